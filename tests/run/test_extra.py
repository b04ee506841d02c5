"""Rows that only some measures read: what they are, and that asking for them moves nothing else."""

import json
from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

import boresight as bs
from boresight.api import audit
from boresight.game.needs import Needs
from boresight.game.orders import context_orders
from boresight.game.targets import known_target
from boresight.models.fake import FakeGenerator
from boresight.models.prompts import UDCG
from boresight.models.streams import CONTRASTIVE, LAYER, STREAM_KINDS
from boresight.models.transformers_generator import TransformersGenerator
from boresight.models.tree_scorer import TreeScorer
from boresight.report.text import cost_lines
from boresight.run import audit as auditing
from boresight.run import derive as deriving
from boresight.run.audit import make_job, plan_job
from boresight.run.extra import EXTRA_GAMES
from boresight.run.reuse import reuse
from boresight.stats.random import rng_for
from boresight.testing.toy_models import tiny_model, toy_tokenizer
from boresight.trace import trace_from_dict
from helpers import additive_table, make_trace

REFERENCES = Needs(singletons=True, closed_book=True, targets=frozenset({"answer", "reference"}))
EVERYTHING = REFERENCES | Needs(
    orders=True,
    order_answers=True,
    contrastive=True,
    abstention=True,
    streams=True,
    single_answers=True,
    closed_book_answer=True,
)


@pytest.fixture
def run(monkeypatch):
    """Audits with more needs than those of the measures; gives the result and the evidence by trace."""
    plain = auditing.needs_of

    def started(traces, needs=EVERYTHING, **settings):
        seen = {}
        add = deriving.Totals.add

        def spy(totals, evidence, found):
            seen[evidence.trace] = evidence
            add(totals, evidence, found)

        with monkeypatch.context() as patch:
            for module in (auditing, deriving):
                patch.setattr(module, "needs_of", lambda names: plain(names) | needs)
            patch.setattr(deriving.Totals, "add", spy)
            result = audit(traces, **{"max_new_tokens": 6} | settings)
        return result, seen

    return started


@pytest.fixture(scope="module")
def generator():
    tokenizer = toy_tokenizer("bytes")
    made = TransformersGenerator(
        tiny_model("llama", vocabulary=len(tokenizer), window=32_768), tokenizer, name="toy"
    )
    assert made.describe()["engine"].startswith("tree")
    return made


@pytest.fixture(scope="module")
def plain(generator):
    return TransformersGenerator(generator.model, toy_tokenizer("bytes"), name="toy", engine="plain")


def traces(**fields):
    made = [
        make_trace(f"t{place}", tuple("abcd"), references=["Rome", "the city of Rome"], **fields)
        for place in range(2)
    ]
    for place, trace in enumerate(made):
        for passage in trace["passages"]:
            passage["text"] += " and a river" * (len(passage["id"]) + place)
    return made


def stored(folder):
    tables = [pq.read_table(file) for file in sorted((folder / "values").glob("*.parquet"))]
    return [row for table in tables for row in table.to_pylist()]


def plans(folder):
    return json.loads((folder / "plan.json").read_text())["traces"]


def generations(folder):
    return [json.loads(line) for line in (folder / "generations.jsonl").read_text().splitlines()]


def contents(folder):
    files = (
        path for path in folder.rglob("*") if path.is_file() and path.name not in ("run.json", "run.lock")
    )
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


# nothing else moves --------------------------------------------------------------------------------------


def own(row):
    """Whether a row is there without these needs too."""
    return row["game"] not in EXTRA_GAMES and row["target"] == "answer"


@pytest.mark.parametrize("engine", ["generator", "plain"])
@pytest.mark.parametrize("settings", [{}, {"max_tokens_per_trace": 1, "budget": 12, "split": ["top"]}])
def test_no_byte_of_the_others_moves(run, engine, settings, request, tmp_path):
    model = request.getfixturevalue(engine)
    given = {"generator": model, "placebo": 2, **settings}
    without, _ = run(traces(answer="in Rome"), Needs(), out=tmp_path / "without", **given)
    result, _ = run(traces(answer="in Rome"), out=tmp_path / "with", **given)
    rows = stored(result.folder)
    assert [row for row in rows if own(row)] == stored(without.folder)
    assert len({row["game"] for row in rows}) > len({row["game"] for row in stored(without.folder)})
    for name in ("passages", "tokens", "measures", "pairs", "saliency"):
        file = f"{name}.parquet"
        assert (result.folder / file).read_bytes() == (without.folder / file).read_bytes()
    for name in ("measures", "share_by_rank", "share_by_position", "traces"):
        assert result.summary[name] == without.summary[name]


def test_these_batches_stand_behind_all_others(run, generator):
    result, _ = run(
        traces(answer="in Rome"), generator=generator, placebo=2, max_tokens_per_trace=1, budget=12
    )
    for plan in plans(result.folder):
        extra = [any(name in EXTRA_GAMES for name in batch["games"]) for batch in plan["batches"]]
        assert extra == sorted(extra)
        assert any("placebo" in batch["games"] for batch in plan["batches"])


@pytest.mark.parametrize("engine", ["generator", "plain"])
def test_what_was_planned_is_what_was_spent(run, engine, request):
    result, _ = run(traces(), generator=request.getfixturevalue(engine), placebo=0)
    tokens = result.run["tokens"]
    assert tokens["planned"] == tokens["spent"]
    assert tokens["spent"] == sum(
        batch["tokens"] for plan in plans(result.folder) for batch in plan["batches"]
    )
    assert all(
        plan["tokens"] + plan["extra_tokens"] == sum(batch["tokens"] for batch in plan["batches"])
        for plan in plans(result.folder)
    )


def test_a_run_without_these_needs_has_nothing_of_them(run, generator):
    result, seen = run(traces(answer="in Rome"), Needs(), generator=generator, placebo=0)
    assert not {row["game"] for row in stored(result.folder)} & set(EXTRA_GAMES)
    extra = seen["t0"].extra
    assert (extra.orders, extra.abstention, extra.contrastive, extra.streams) == ((), {}, {}, None)
    assert (extra.closed_book_answer, extra.single_answers) == (None, {})


# orders --------------------------------------------------------------------------------------------------


def test_values_of_orders_from_a_table(run):
    """The reverse is worth a nat more in each of two tokens, whoever is missing."""
    table = additive_table({"a": 1.0, "b": -0.5, "c": 0.25})
    table["orders"] = {
        name[::-1]: [value + 0.5 for value in row] for name, row in table["values"].items() if name.count(",")
    }
    trace = make_trace(answer="in Rome")
    tables = {"*": table | {"orders": table["orders"] | {"c,a,b": table["values"]["a,b,c"]}}}
    (_, seen) = run([trace], Needs(orders=True), generator=FakeGenerator(tables))
    orders = seen["t"].known_orders()
    assert [row.order for row in orders][:2] == [("a", "b", "c"), ("c", "b", "a")]
    whole = 2 * -3 + 1.5 * 0.75
    assert orders[0].value == pytest.approx(whole)
    assert orders[1].value == pytest.approx(whole + 1)
    assert orders[0].without == pytest.approx({"a": whole - 1.5, "b": whole + 0.75, "c": whole - 0.375})
    assert orders[1].without == pytest.approx({"a": whole - 0.5, "b": whole + 1.75, "c": whole + 0.625})


def test_values_of_orders_equal_prompts_written_by_hand(run, generator):
    _, seen = run(traces(answer="in Rome")[:1], Needs(orders=True), generator=generator, placebo=0)
    game = bs.ContextGame(generator, trace_from_dict(traces(answer="in Rome")[0]))
    orders = context_orders(4, rng_for(0, "t0", "orders"))
    found = seen["t0"].known_orders()
    assert [row.order for row in found] == [tuple("abcd"[place] for place in order) for order in orders]
    for row, order in zip(found, orders, strict=True):
        request = game.request("1111", (game.target,), order)
        assert game.prompt(order=row.order).ids == request.prompt_ids
        assert row.value == pytest.approx(generator.score([request])[0].logprobs["answer"].sum(), abs=1e-4)
        request = game.request("1011", (game.target,), [place for place in order if place != 1])
        value = generator.score([request])[0].logprobs["answer"].sum()
        assert row.without["b"] == pytest.approx(value, abs=1e-4)


def test_orders_are_stored_with_their_order_and_none_twice(run, generator):
    result, seen = run(traces(answer="in Rome")[:1], Needs(orders=True), generator=generator, placebo=0)
    rows = [row for row in stored(result.folder) if row["game"] == "orders"]
    orders = [tuple(row["order"]) for row in rows]
    assert len(orders) == len(set(orders))
    assert all(row["coalition"] == "".join("01"[place in row["order"]] for place in range(4)) for row in rows)
    assert all(order != tuple(sorted(order)) for order in orders)  # those are in the answer's table
    table = seen["t0"].table
    assert seen["t0"].known_orders()[0].value == table.value("abcd")
    assert seen["t0"].known_orders()[0].without["c"] == table.value("abd")


def test_orders_share_their_beginnings(run, generator, plain):
    spent = []
    for model in (generator, plain):
        result, _ = run(traces(answer="in Rome")[:1], Needs(orders=True), generator=model, placebo=0)
        batches = plans(result.folder)[0]["batches"]
        spent.append(sum(batch["tokens"] for batch in batches if "orders" in batch["games"]))
    assert spent[0] < 0.6 * spent[1]


def test_a_sampled_trace_has_its_orders_too(run, generator):
    settings = {"max_tokens_per_trace": 1, "budget": 8, "measures": ["spearman"]}
    _, seen = run(traces(answer="in Rome")[:1], Needs(orders=True), generator=generator, **settings)
    assert all(set(row.without) == set("abcd") for row in seen["t0"].known_orders())


def test_one_passage_has_one_order(run, generator):
    trace = make_trace(names=("a",), answer="in Rome")
    _, seen = run([trace], generator=generator)
    (row,) = seen["t"].known_orders()
    assert row.order == ("a",)
    assert row.without == {"a": seen["t"].empty}


# other targets -------------------------------------------------------------------------------------------


def test_every_reference_is_scored_behind_few_coalitions(run, generator):
    result, seen = run(traces(answer="in Rome")[:1], REFERENCES, generator=generator, placebo=0)
    rows = [row for row in stored(result.folder) if row["target"].startswith("reference:")]
    assert {row["target"] for row in rows} == {"reference:0", "reference:1"}
    names = {(row["game"], row["coalition"]) for row in rows}
    few = {"0000", "1111", "1000", "0100", "0010", "0001"}
    assert names == {("passages", name) for name in few} | {("closed_book", "")}
    found = seen["t0"].reference_rows()["reference:1"]
    assert found.text == "the city of Rome"
    assert found.without == {}
    game = bs.ContextGame(generator, trace_from_dict(traces()[0]), target=None)
    target = known_target(generator, game.trace, "reference:1")
    for row, request in (
        (found.singletons["c"], game.request("0010", (target,))),
        (found.closed_book, game.closed_book_request((target,))),
    ):
        np.testing.assert_allclose(row, generator.score([request])[0].logprobs["reference:1"], atol=1e-5)


def test_only_a_target_with_a_table_has_attributions(run, generator):
    few, _ = run(traces(answer="in Rome")[:1], REFERENCES, generator=generator, placebo=0)
    assert set(few.passages.reset_index()["target"]) == {"answer"}
    tables = Needs(
        table=True, targets=frozenset({"answer", "reference"}), tables=frozenset({"answer", "reference"})
    )
    whole, seen = run(traces(answer="in Rome")[:1], tables, generator=generator, placebo=0)
    rows = whole.passages.reset_index()
    assert set(rows["target"]) == {"answer", "reference:0", "reference:1"}
    assert rows["attribution"].notna().all()
    assert set(seen["t0"].token_rows("reference:0").without) == set("abcd")


def test_a_trace_without_references_says_so(run, generator):
    trace = make_trace(answer="in Rome")
    _, seen = run([trace], generator=generator)
    for accessor in (seen["t"].reference_rows, seen["t"].known_contrastive, seen["t"].known_references):
        with pytest.raises(LookupError, match="the trace has no references"):
            accessor()


def test_the_answer_token_by_token(run, generator):
    _, seen = run(traces(answer="in Rome")[:1], Needs(), generator=generator)
    rows, table = seen["t0"].token_rows(), seen["t0"].table
    assert rows.text == "in Rome"
    assert "".join(rows.text[start:end] for start, end in rows.offsets) == rows.text
    np.testing.assert_array_equal(rows.grand, table.logprobs("abcd"))
    np.testing.assert_array_equal(rows.empty, table.logprobs(""))
    np.testing.assert_array_equal(rows.closed_book, table.closed_book)
    np.testing.assert_array_equal(rows.singletons["b"], table.logprobs("b"))
    np.testing.assert_array_equal(rows.without["b"], table.logprobs("acd"))


# abstention ----------------------------------------------------------------------------------------------


def test_abstention_is_the_first_token_of_the_string_behind_a_passage_alone(run, generator):
    _, seen = run(traces(answer="in Rome")[:1], Needs(abstention=True), generator=generator)
    found = seen["t0"].known_abstention()
    game = bs.ContextGame(generator, trace_from_dict(traces()[0]), style=UDCG)
    target = known_target(generator, game.trace, "abstention")
    assert target.text == "NO-RESPONSE"
    request = game.request("0010", (target,))
    assert "NO-RESPONSE" in generator.decode(request.segments[0].ids)
    assert generator.decode(request.segments[1].ids).startswith("Document 1: ")
    first = generator.score([request])[0].logprobs["abstention"][0]
    assert found["c"] == pytest.approx(np.exp(first), rel=1e-4)
    assert set(found) == set("abcd")


# two streams ---------------------------------------------------------------------------------------------


def test_contrastive_references_equal_a_comparison_by_hand(run, generator):
    result, seen = run(traces(answer="in Rome")[:1], Needs(contrastive=True), generator=generator, placebo=0)
    game = bs.ContextGame(generator, trace_from_dict(traces()[0]))
    targets = tuple(known_target(generator, game.trace, f"reference:{place}") for place in range(2))
    ours, theirs = game.request("0100", targets), game.closed_book_request(targets)
    by_hand = generator.compare(ours, theirs, frozenset({CONTRASTIVE}), 0.5)
    found = seen["t0"].known_contrastive()
    assert set(found) == set("abcd")
    for name in ("reference:0", "reference:1"):
        np.testing.assert_allclose(found["b"][name], by_hand[name][CONTRASTIVE], atol=1e-6)
    rows = [row for row in stored(result.folder) if row["game"] == "contrastive"]
    assert {row["value_kind"] for row in rows} == {"contrastive@0.5"}
    assert [row["coalition"] for row in rows[::2]] == ["1000", "0100", "0010", "0001"]
    assert not [row for row in stored(result.folder) if own(row) and row["target"] != "answer"]


def test_streams_compare_all_passages_with_closed_book(run, generator):
    result, seen = run(traces(answer="in Rome")[:1], Needs(streams=True), generator=generator, placebo=0)
    streams = seen["t0"].known_streams()
    assert set(streams.scalars) == STREAM_KINDS - {CONTRASTIVE, LAYER}
    assert streams.layer == 1
    assert {len(row) for row in streams.scalars.values()} == {len(seen["t0"].token_rows().offsets)}
    game = bs.ContextGame(generator, trace_from_dict(traces(answer="in Rome")[0]))
    ours, theirs = (
        game.request("1111", (game.target,)),
        game.closed_book_request((game.target,)),
    )
    by_hand = generator.compare(ours, theirs, frozenset({"kl"}))["answer"]["kl"]
    np.testing.assert_allclose(streams.scalars["kl"], by_hand, atol=1e-6)
    rows = [row for row in stored(result.folder) if row["game"] == "streams"]
    assert all(row["value_kind"].startswith("stream:") and row["coalition"] == "1111" for row in rows)


def test_a_generator_that_shows_no_distributions_leaves_them_out_and_says_why(run):
    fake = FakeGenerator({"*": additive_table({"a": 1.0, "b": -0.5, "c": 0.25})})
    needs = Needs(contrastive=True, streams=True)
    trace = make_trace(answer="in Rome", references=["Rome"])
    result, seen = run([trace], needs, generator=fake)
    assert result.run["status"] == "done"
    for accessor in (seen["t"].known_streams, seen["t"].known_contrastive):
        with pytest.raises(LookupError, match="this generator shows no distributions"):
            accessor()


# answers -------------------------------------------------------------------------------------------------


def test_the_generated_answer_stands_for_the_recorded_order(run, generator):
    result, seen = run(traces()[:1], Needs(order_answers=True), generator=generator)
    answered = seen["t0"].known_order_answers()
    assert answered[0].answer == seen["t0"].extra.answer
    lines = [line for line in generations(result.folder) if line["purpose"] == "order"]
    assert len(lines) == len(answered) - 1 == 3
    assert {line["coalition"] for line in lines} == {"1111"}
    orders = {tuple("abcd"[place] for place in line["order"]): line["text"] for line in lines}
    assert orders == {row.order: row.answer for row in answered[1:]}
    assert all(row.without == {} for row in answered[1:])  # nobody asked for these


def test_an_answer_of_another_system_is_not_the_greedy_one(run, generator):
    trace = make_trace(names=tuple("abcdefgh"), answer="in Rome")
    result, seen = run([trace], Needs(order_answers=True), generator=generator, measures=["context_gain"])
    lines = [line for line in generations(result.folder) if line["purpose"] == "order"]
    assert len(lines) == 4
    assert lines[0]["order"] == [0, 1, 2, 3, 4, 5, 6, 7]
    assert seen["t"].known_order_answers()[0].answer == lines[0]["text"] != "in Rome"


def test_answers_with_one_passage_alone(run, generator):
    result, seen = run(traces()[:1], Needs(single_answers=True), generator=generator)
    found = seen["t0"].known_single_answers()
    game = bs.ContextGame(generator, trace_from_dict(traces()[0]))
    assert list(found) == list("abcd")
    assert found["b"] == generator.generate(game.request("0100", ()), 6).text
    lines = [line for line in generations(result.folder) if line["purpose"] == "single"]
    assert [line["coalition"] for line in lines] == ["1000", "0100", "0010", "0001"]


def test_the_plain_question_is_asked_when_a_measure_needs_it(run, generator):
    settings = {"generator": generator, "closed_book_answers": False}
    _, seen = run(traces()[:1], Needs(closed_book_answer=True), **settings)
    game = bs.ContextGame(generator, trace_from_dict(traces()[0]))
    by_hand = generator.generate(game.closed_book_request(()), 6).text
    assert seen["t0"].known_closed_book_answer() == by_hand
    _, seen = run(traces()[:1], Needs(), **settings)
    with pytest.raises(LookupError, match="the plain question was not answered"):
        seen["t0"].known_closed_book_answer()


# odd traces ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("trace", [make_trace(names=(), answer="in Rome"), make_trace(answer=" ")])
def test_a_trace_without_passages_or_answer_is_as_before(run, generator, trace):
    given = trace | {"references": ["Rome"]}
    result, seen = run([given], generator=generator)
    plain, _ = run([given], Needs(), generator=generator)
    assert stored(result.folder) == stored(plain.folder)
    assert seen["t"].extra.references == ("Rome",)
    assert seen["t"].extra.answer == trace["answer"].strip()


def test_a_prompt_that_does_not_fit_is_refused_before_anything_is_spent(run, tmp_path):
    table = additive_table({"a": 1.0, "b": -0.5, "c": 0.25}) | {"window": 40}
    fake = FakeGenerator({"*": table})
    trace = make_trace(answer="in Rome", names=("a", "b", "c"))
    run([trace], Needs(), generator=fake)
    with pytest.raises(bs.BoresightError, match="measures read and the model's window holds 40"):
        run(
            [trace],
            Needs(abstention=True),
            generator=LongAbstention(fake, {"*": table}),
            out=tmp_path / "run",
        )


class LongAbstention(FakeGenerator):
    """Splits an abstention into many tokens."""

    def capabilities(self):
        """It scores any text."""
        return replace(super().capabilities(), any_target=True)

    def __init__(self, _, tables):
        super().__init__(tables)

    def encode_target(self, trace_id, text, *, end=False):
        if text == "NO-RESPONSE":
            return (1,) * 30, ((0, 0),) * 30
        return super().encode_target(trace_id, text, end=end)


# price ---------------------------------------------------------------------------------------------------


def test_the_plan_shows_what_each_need_adds(monkeypatch, generator):
    plain = auditing.needs_of
    monkeypatch.setattr(auditing, "needs_of", lambda names: plain(names) | EVERYTHING)
    job = make_job(traces(), generator=generator, settings={"placebo": 0})
    cost, found = plan_job(job)
    assert list(cost.added_tokens) == list(EXTRA_GAMES)
    assert cost.added_answers == {"order_answers": 6, "single_answers": 8}
    batches = [batch for plan in found for batch in plan.batches]
    orders = sum(batch.tokens for batch in batches if "orders" in batch.games)
    assert cost.added_tokens["orders"] == orders > 0
    lines = cost_lines(cost)
    assert f"  of them other orders of the passages: {orders:,} tokens" in lines
    assert "  answers with one passage alone: 8 answers" in lines
    prompts = sum(batch.calls for batch in batches)
    assert cost.calls == prompts + 2 + 2 + 6 + 8  # answers, closed book, orders, singles


def test_a_default_plan_shows_none_of_it(generator):
    cost, _ = plan_job(make_job(traces(), generator=generator))
    assert (cost.added_tokens, cost.added_answers) == ({}, {})
    assert not any(line.startswith(" ") for line in cost_lines(cost))


# measures of passages ------------------------------------------------------------------------------------


def test_a_measure_of_passages_that_is_named_has_a_row_a_passage(generator):
    names = ["context_gain", "content_effect"]
    result = audit(traces(answer="in Rome")[:1], generator=generator, measures=names, placebo=0)
    rows = result.passage_measures.reset_index()
    assert rows["passage"].tolist() == list("abcd")
    assert set(rows["measure"]) == {"content_effect"}
    assert set(rows["state"]) == {"defined"}
    assert rows["value"].notna().all()


def test_without_one_there_is_no_such_file(generator):
    result = audit(traces(answer="in Rome")[:1], generator=generator, measures=["context_gain"], placebo=0)
    assert not (result.folder / "passage_measures.parquet").exists()


# without a model -----------------------------------------------------------------------------------------


def test_another_look_at_the_stored_rows_calls_no_model(run, generator, tmp_path, monkeypatch):
    result, seen = run(traces()[:1], generator=generator, out=tmp_path / "run")
    plain, found = deriving.needs_of, {}
    monkeypatch.setattr(deriving, "needs_of", lambda names: plain(names) | EVERYTHING)
    monkeypatch.setattr(deriving.Totals, "add", lambda _, evidence, __: found.update({"t0": evidence.extra}))
    for name in ("score", "generate", "compare"):
        monkeypatch.delattr(TransformersGenerator, name)
    reuse(result.folder, tmp_path / "again", {})
    assert repr(found["t0"]) == repr(seen["t0"].extra)


# interruption --------------------------------------------------------------------------------------------


def stopping(patch, left):
    """Let so many steps of the model be made, then stop the run as a person would."""
    for owner, name in (
        (TreeScorer, "score"),
        (TransformersGenerator, "generate"),
        (TransformersGenerator, "compare"),
    ):
        patch.setattr(owner, name, _counted(getattr(owner, name), left))


def _counted(step, left):
    def counted(*given):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return step(*given)

    return counted


def test_an_interrupted_run_ends_in_the_same_bytes(run, generator, tmp_path):
    def go(folder):
        return run(traces(), generator=generator, placebo=1, out=folder)[0]

    with pytest.MonkeyPatch.context() as patch:
        left = [10**6]
        stopping(patch, left)
        whole = go(tmp_path / "whole")
    steps = 10**6 - left[0]
    for stop in range(2, steps, 9):
        with pytest.MonkeyPatch.context() as patch:
            stopping(patch, [stop])
            with pytest.raises(KeyboardInterrupt):
                go(tmp_path / str(stop))
        again = go(tmp_path / str(stop))
        assert contents(again.folder) == contents(whole.folder)
        extra = again.run["tokens"]["spent"] - whole.run["tokens"]["spent"]
        assert 0 <= extra <= max(batch["tokens"] for plan in plans(whole.folder) for batch in plan["batches"])


def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_orders(run, generator, tmp_path):
    wide = [make_trace("t", tuple("abcdefghijklmn"), answer="in Rome")]
    settings = {"generator": generator, "measures": ["context_gain"], "placebo": 0}
    needs = Needs(orders=True, order_answers=True)
    one, _ = run(wide, needs, out=tmp_path / "one", **settings)
    two, _ = run(wide, needs, out=tmp_path / "two", **settings)
    other, _ = run(wide, needs, out=tmp_path / "other", seed=1, **settings)
    assert contents(one.folder) == contents(two.folder)
    names = [plans(result.folder)[0]["batches"][-1]["games"] for result in (one, other)]
    assert names[0] != names[1]
