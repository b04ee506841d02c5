"""The main job on tables with known numbers: what is computed, and what changes nothing."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from boresight.api import Audit, audit
from boresight.errors import BoresightError, InputError, ScoringError, SpecError, WindowError
from boresight.models.fake import FakeGenerator
from boresight.trace import read_objects
from helpers import additive_table, enumerate_shapley, make_trace, write_jsonl

FILES = {
    "run.json", "plan.json", "traces.jsonl", "targets.jsonl", "values", "passages.parquet", "tokens.parquet",
    "measures.parquet", "summary.json", "run.lock", "generations.jsonl", "pairs.parquet", "sets.jsonl",
    "findings.jsonl", "saliency.parquet", "funnel.parquet", "funnel_steps.parquet", "stages.parquet",
}  # fmt: skip


def run(traces, tables, out=None, **options):
    return audit(traces, generator=FakeGenerator(tables), out=out, **options)


def attributions(result, trace="t"):
    return result.passages.xs((trace, "answer"), level=("trace", "target"))["attribution"].to_dict()


def test_attributions_of_an_additive_table_are_its_weights(trace, tables, weights):
    expected = {name: 1.5 * weight for name, weight in weights.items()}
    assert attributions(run([trace], tables)) == pytest.approx(expected)


def test_attributions_equal_an_enumeration_of_the_stored_values(trace, tables, tmp_path):
    result = run([trace], tables, tmp_path / "run")
    rows = pd.concat(pd.read_parquet(file) for file in (tmp_path / "run/values").glob("*.parquet"))
    rows = rows[rows["game"] == "passages"]
    phi = enumerate_shapley(dict(zip(rows["coalition"], rows["logprobs"], strict=True)), 3)
    stored = result.tokens.xs(("t", "answer"), level=("trace", "target"))["attribution"].unstack("token")
    assert np.abs(stored.to_numpy() - phi).max() < 1e-9


def test_tokens_sum_to_the_effect_of_the_context_and_passages_to_their_tokens(trace, tables):
    result = run([trace], tables)
    per_token = result.tokens["attribution"].groupby("token").sum()
    assert per_token.to_list() == pytest.approx([0.75, 0.375])
    summed = result.tokens["attribution"].groupby("passage").sum().to_dict()
    assert summed == pytest.approx(attributions(result))


def test_base_definitions_by_hand(trace, tables):
    row = run([trace], tables).passages.loc[("t", "b", "answer")]
    assert row["harm"] == pytest.approx(0.75)
    assert row["share"] == 0
    assert row["leave_one_out"] == pytest.approx(-0.75)
    assert row["gain"] == pytest.approx((-6 - 0.75) - (-2))
    assert (row["rank"], row["retriever_score"], row["position"]) == (1, 2.0, 1)


def test_toy_world_attributions_sum_to_ln_9_and_the_context_gains_nothing():
    high, low = [math.log(0.9)], [math.log(0.1)]
    keys = ["a", "b", "c", "a,b", "a,c", "b,c", "a,b,c"]
    values = {"": low, **dict.fromkeys(keys, high)}
    tables = {"*": {"answer": "yes", "closed_book": high, "values": values}}
    result = run([make_trace(answer="yes")], tables)
    assert sum(attributions(result).values()) == pytest.approx(math.log(9), abs=1e-6)
    assert result.measures.loc[("t", "context_gain", "answer"), "value"] == 0


def test_the_run_directory_holds_the_files_of_the_blueprint(trace, tables, tmp_path):
    run([trace], tables, tmp_path / "run")
    assert {path.name for path in (tmp_path / "run").iterdir()} == FILES
    assert pq.read_schema(tmp_path / "run/passages.parquet").names[:8] == [
        "trace", "passage", "target", "method", "rank", "retriever_score", "position", "attribution",
    ]  # fmt: skip


def test_no_derived_file_holds_nan(trace, tables, tmp_path):
    run([trace, make_trace("u", ("a",), answer="in Rome")], tables, tmp_path / "run")
    for name in ("passages", "tokens", "measures"):
        for column in pq.read_table(tmp_path / f"run/{name}.parquet").columns:
            assert not any(value != value for value in column.to_pylist() if value is not None)  # noqa: PLR0124
    json.loads((tmp_path / "run/summary.json").read_text(), parse_constant=pytest.fail)


def numbers(result, names=None):
    """All numbers of the passages, under ids that a renaming is undone in."""
    table = result.passages.reset_index()
    if names:
        table["passage"] = table["passage"].map(names)
    return table.sort_values(["trace", "passage"]).reset_index(drop=True)


def test_permuting_the_passages_of_the_long_form_changes_nothing(trace, tables):
    (long,) = read_objects([trace]).traces
    other = replace(long, passages=long.passages[::-1])
    pd.testing.assert_frame_equal(numbers(run([long], tables)), numbers(run([other], tables)))


def test_renaming_passages_changes_no_number(trace, tables, weights):
    renamed = make_trace(names=("z", "m", "b"), answer="in Rome")
    other = {"*": additive_table({"z": weights["a"], "m": weights["b"], "b": weights["c"]})}
    undo = {"z": "a", "m": "b", "b": "c"}
    pd.testing.assert_frame_equal(numbers(run([trace], tables)), numbers(run([renamed], other), undo))


def test_renaming_passages_changes_no_sampled_number():
    weights = {name: 0.5 - index / 4 for index, name in enumerate("abcdef")}
    undo = dict(zip("zmbyxw", "abcdef", strict=True))
    other = {"*": additive_table({new: weights[old] for new, old in undo.items()})}
    options = {"max_tokens_per_trace": 1, "budget": 44}
    base = run(
        [make_trace(names=tuple("abcdef"), answer="in Rome")], {"*": additive_table(weights)}, **options
    )
    renamed = run([make_trace(names=tuple(undo), answer="in Rome")], other, **options)
    assert base.passages["method"].unique().tolist() == ["kriging"]
    pd.testing.assert_frame_equal(numbers(base), numbers(renamed, undo))


def test_limit_and_order_change_no_number_of_a_trace(tables):
    many = [make_trace(f"t{n}", answer="in Rome") for n in range(3)]
    full = run(many, tables).passages
    first = run(many, tables, limit=1).passages
    turned = run(many[::-1], tables).passages
    pd.testing.assert_frame_equal(full.loc[["t0"]], first)
    pd.testing.assert_frame_equal(full.sort_index(), turned.sort_index())


def test_twins_are_two_players_with_equal_attributions():
    table = additive_table({"a": 1.0, "b": 1.0})
    twins = make_trace(names=("a", "b"), answer="in Rome")
    for passage in twins["passages"]:
        passage["text"] = "the same"
    found = attributions(run([twins], {"*": table}))
    assert found["a"] == found["b"] == pytest.approx(1.5)


def test_a_missing_answer_is_generated_and_stored(tables, tmp_path):
    result = run([make_trace()], tables, tmp_path / "run")
    assert result.answers == {"t": "in Rome"}
    (line,) = map(json.loads, (tmp_path / "run/targets.jsonl").read_text().splitlines())
    assert (line["target"], line["kind"]) == ("answer", "generated")
    assert (tmp_path / "run/generations.jsonl").exists()


def test_an_empty_context_is_audited_closed_book_with_its_reason(tables):
    result = run([make_trace(names=(), answer="in Rome")], tables)
    assert len(result.passages) == 0
    assert set(result.measures["state"]) == {"undefined"}
    assert set(result.measures["reason"]) == {"the context is empty"}
    assert result.run["counts"] == {"coalitions_scored": 0, "calls": 1}


def test_an_empty_answer_leaves_measures_undefined_and_costs_nothing(tables):
    result = run([make_trace(answer="  ")], tables)
    assert set(result.measures["reason"]) == {"the answer is empty"}
    assert result.run["counts"]["calls"] == 0


def test_a_missing_row_fails_the_trace_and_only_that(tables):
    broken = {"u": {"values": {"": [-1.0, -1.0]}}, **tables}
    result = run([make_trace("u", answer="in Rome"), make_trace("t", answer="in Rome")], broken)
    assert list(result.failures) == ["u"]
    assert set(result.measures.loc["u"]["state"]) == {"failed"}
    assert set(result.passages.index.get_level_values("trace")) == {"t"}
    assert result.summary["measures"]["spearman"] | {"value": 0, "low": 0, "high": 0} == {
        "value": 0, "low": 0, "high": 0, "defined": 1, "undefined": 0, "failed": 1, "chance": 0.0,
        "unit": "index", "reasons": {"fake has no row for trace 'u', values 'a'": 1},
    }  # fmt: skip


def test_a_prompt_beyond_the_window_is_refused_before_anything_is_spent(trace, tables, tmp_path):
    tight = {"*": {**tables["*"], "window": 10}}
    with pytest.raises(WindowError, match=r"'t' needs \d+ tokens .* holds 10"):
        run([trace], tight, tmp_path / "run")
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["run.lock"]


def test_a_prompt_beyond_the_window_can_be_skipped(trace, tables):
    mixed = {"u": {"window": 10}, **tables}
    result = run([make_trace("u", answer="in Rome"), trace], mixed, too_long="skip")
    assert "holds 10" in result.failures["u"]
    assert attributions(result)


def test_sampled_traces_have_intervals(tables):
    names = tuple("abcdef")
    table = additive_table(dict.fromkeys(names, 0.25))
    result = run([make_trace(names=names, answer="in Rome")], {"*": table}, max_tokens_per_trace=1, budget=44)
    rows = result.passages
    assert set(rows["method"]) == {"kriging"}
    assert (rows["low"] <= rows["attribution"]).all()
    assert rows["attribution"].to_list() == pytest.approx([0.375] * 6)
    assert rows[["leave_one_out", "gain"]].notna().all().all()


def test_a_sample_that_would_hold_every_coalition_is_exact(trace, tables):
    result = run([trace], tables, max_tokens_per_trace=1)
    assert set(result.passages["method"]) == {"exact"}


def test_exact_can_be_forced(tables):
    names = tuple("abcdef")
    table = additive_table(dict.fromkeys(names, 0.25))
    result = run(
        [make_trace(names=names, answer="in Rome")], {"*": table}, max_tokens_per_trace=1, exact=True
    )
    assert set(result.passages["method"]) == {"exact"}


def test_exact_and_a_sampling_method_exclude_each_other(trace, tables):
    with pytest.raises(SpecError, match="exclude each other"):
        audit([trace], generator=FakeGenerator(tables), exact=True, method="kernel")


def test_a_span_is_the_sum_of_its_tokens(trace, tables):
    result = run([trace], tables, spans=["Rome"])
    rows = result.passages.xs("span:Rome", level="target")["attribution"]
    assert rows.droplevel("trace").to_dict() == pytest.approx({"a": 0.5, "b": -0.25, "c": 0.125})


def test_a_phrase_that_is_not_in_the_answer_has_no_rows(trace, tables):
    targets = run([trace], tables, spans=["Paris"]).passages.index.get_level_values("target")
    assert set(targets) == {"answer"}


def test_chosen_measures_alone_are_computed(trace, tables):
    result = run([trace], tables, measures=["context_gain"])
    assert result.measures.index.get_level_values("measure").tolist() == ["context_gain"]
    assert result.run["counts"]["coalitions_scored"] == 2  # empty and grand suffice
    assert result.passages["attribution"].isna().all()


def test_the_rag_e_preset_attributes_probability(trace, tables):
    result = run([trace], tables, preset="rag-e")
    assert result.summary["scale"] == "probability"
    total = sum(attributions(result).values())
    grand, empty = (-3 + 0.75, -3 + 0.375), (-3, -3)
    assert total == pytest.approx(sum(map(math.exp, grand)) - sum(map(math.exp, empty)), abs=1e-6)
    assert result.run["prompt"]["labels"] == "renumber"


def test_every_stage_can_be_the_retriever(tables):
    long = {
        "id": "t", "query": "Where?", "answer": "in Rome", "context": ["a", "b", "c"],
        "passages": [{"id": name, "text": name} for name in "abc"],
        "stages": [
            {"name": "bm25", "kind": "retrieve", "ranking": [{"id": i} for i in "cab"]},
            {"name": "rerank", "kind": "rerank", "ranking": [{"id": i} for i in "abc"]},
            {"name": "pack", "kind": "pack", "ranking": [{"id": i} for i in "bca"]},
        ],
    }  # fmt: skip
    assert run([long], tables).passages["rank"].tolist() == [0, 1, 2]
    assert run([long], tables, stage="bm25").passages["rank"].tolist() == [1, 2, 0]
    with pytest.raises(SpecError, match="bm25, pack, rerank"):
        run([long], tables, stage="bm52")


def test_score_measures_are_undefined_without_scores(tables):
    trace = make_trace(answer="in Rome")
    del trace["passages"][1]["score"]
    rows = run([trace], tables).measures
    assert rows.loc[("t", "warg@1.5", "answer"), "reason"] == "no retriever scores"
    assert rows.loc[("t", "spearman", "answer"), "state"] == "defined"


class ReversingEncoder:
    """Scores passages by the letter in their text, last letter best."""

    name, score_name = "letters", "dot"

    def describe(self):
        return {"name": self.name}

    def score(self, query, passages):
        return {key: float(ord(text[-1])) for key, text in passages.items()}

    def encode(self, texts, side=None):
        raise NotImplementedError

    def truncation(self, text):
        return (len(text), len(text))


def test_an_encoder_becomes_the_retriever_and_recorded_ranks_stay(trace, tables, tmp_path):
    result = run([trace], tables, tmp_path / "run", retriever=ReversingEncoder())
    assert result.passages["rank"].tolist() == [2, 1, 0]
    stages = json.loads((tmp_path / "run/traces.jsonl").read_text())["stages"]
    assert [stage["name"] for stage in stages] == ["retrieve", "letters"]
    again = run([trace], tables, retriever=ReversingEncoder(), stage="retrieve")
    assert again.passages["rank"].tolist() == [0, 1, 2]


def test_one_question_can_be_audited_without_a_file(tables):
    result = audit(
        query="Where?", passages=[{"id": name, "text": name} for name in "abc"], answer="in Rome",
        generator=FakeGenerator(tables),
    )  # fmt: skip
    assert len(result.passages) == 3


def test_traces_and_query_exclude_each_other(trace, tables):
    with pytest.raises(SpecError, match="either"):
        audit([trace], query="Where?", generator=FakeGenerator(tables))


def test_a_saved_run_opens_again_and_shows_the_same(trace, tables, tmp_path):
    result = run([trace], tables)
    result.save(tmp_path / "kept")
    opened = Audit(tmp_path / "kept")
    pd.testing.assert_frame_equal(opened.passages, result.passages)
    assert "boresight-" in str(result.folder)


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(SpecError, match=r"no run\.json"):
        Audit(tmp_path)


def test_the_notebook_view_escapes_what_traces_hold(tables):
    hostile = make_trace("<script>alert(1)</script>", answer="in Rome")
    assert "<script>" not in run([hostile], tables)._repr_html_()


def test_a_file_and_objects_give_the_same(trace, tables, tmp_path):
    from_file = run(write_jsonl(tmp_path / "t.jsonl", [trace]), tables)
    pd.testing.assert_frame_equal(from_file.passages, run([trace], tables).passages)


def test_a_stage_that_neither_traces_nor_encoder_have_is_refused(trace, tables):
    with pytest.raises(SpecError, match="letters, retrieve"):
        run([trace], tables, retriever=ReversingEncoder(), stage="lettres")


def test_an_encoder_whose_name_is_taken_is_refused_before_anything_is_written(trace, tables, tmp_path):
    trace["passages"][0]["score"] = None
    long = {
        "id": "t", "query": "q", "passages": trace["passages"], "context": ["a"], "answer": "in Rome",
        "stages": [{"name": "letters", "kind": "rerank", "ranking": [{"id": "a"}]}],
    }  # fmt: skip
    with pytest.raises(InputError, match="letters"):
        run([long], tables, tmp_path / "run", retriever=ReversingEncoder())
    assert not (tmp_path / "run").exists()


def test_passage_measures_can_be_named_and_fill_their_columns(trace, tables):
    result = run([trace], tables, measures=["gain", "share"])
    assert result.passages[["gain", "share"]].notna().all().all()
    assert len(result.measures) == 0


@pytest.mark.parametrize("measures", [[], ""])
def test_no_measure_at_all_is_refused(trace, tables, measures):
    with pytest.raises(SpecError, match="no measure"):
        run([trace], tables, measures=measures)


def test_measures_and_spans_may_be_one_string(trace, tables):
    result = run([trace], tables, measures="spearman, kendall", spans="Rome")
    assert set(result.measures.index.get_level_values("measure")) == {"spearman", "kendall"}
    assert "span:Rome" in result.passages.index.get_level_values("target")


def test_a_span_that_no_answer_holds_is_warned_of_and_a_repeated_one_counts_once(trace, tables):
    result = run([trace], tables, spans=["Paris", "Rome", "Rome"])
    assert "the span 'Paris' is in 0 of 1 answers" in result.run["warnings"]
    assert result.passages.index.is_unique


def test_an_empty_span_is_refused(trace, tables):
    with pytest.raises(SpecError, match="span"):
        run([trace], tables, spans=[" "])


def test_a_refused_run_leaves_nothing_that_another_spec_would_stumble_over(trace, tables, tmp_path):
    tight = {"*": {**tables["*"], "window": 10}}
    with pytest.raises(WindowError):
        run([trace], tight, tmp_path / "run")
    assert run([trace], tight, tmp_path / "run", too_long="skip").failures


def test_a_skipped_trace_is_not_told_to_pass_the_option_that_it_passed(trace, tables):
    tight = {"*": {**tables["*"], "window": 10}}
    assert "--too-long" not in run([trace], tight, too_long="skip").failures["t"]


def test_a_value_that_float32_cannot_hold_fails_the_trace(trace, tables):
    class Overflowing(FakeGenerator):
        def score(self, requests):
            return [
                replace(one, logprobs={"answer": np.float32([-np.inf, 0])}) for one in super().score(requests)
            ]

    result = audit([trace], generator=Overflowing(tables))
    assert "not finite" in result.failures["t"]


def test_a_run_records_input_command_and_environment(trace, tables, tmp_path):
    path = write_jsonl(tmp_path / "t.jsonl", [trace])
    record = run(path, tables).run
    assert record["input"]["path"] == str(path)
    assert len(record["input"]["sha256"]) == 64
    assert record["environment"]["python"].startswith("3.")


def test_an_unfinished_run_says_so(tmp_path):
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(SpecError, match="not finished"):
        Audit(tmp_path)


@pytest.mark.parametrize("text", ["{", "{}", "[]"])
def test_a_damaged_run_is_one_sentence(trace, tables, tmp_path, text):
    run([trace], tables, tmp_path / "run")
    (tmp_path / "run/run.json").write_text(text)
    with pytest.raises(BoresightError, match="damaged"):
        run([trace], tables, tmp_path / "run")
    assert run([trace], tables, tmp_path / "run", overwrite=True).run["status"] == "done"


def test_a_damaged_part_is_one_sentence(trace, tables, tmp_path):
    run([trace], tables, tmp_path / "run")
    part = tmp_path / "run/values/part-00000000.parquet"
    part.write_bytes(part.read_bytes()[:40])
    with pytest.raises(BoresightError, match="damaged"):
        run([trace], tables, tmp_path / "run")


def test_an_interrupted_removal_can_be_taken_up(trace, tables, tmp_path, monkeypatch):
    run([trace], tables, tmp_path / "run")
    (tmp_path / "run/values/part-00000000.parquet").unlink()
    (tmp_path / "run/plan.json").unlink()
    assert run([trace], tables, tmp_path / "run", overwrite=True, seed=5).run["seed"] == 5


def test_findings_pairs_and_sets_are_tables(trace, tables):
    result = run([trace], tables)
    assert result.pairs.loc[("t", "a", "b", "answer"), "interaction"] == pytest.approx(0, abs=1e-6)
    harmful = result.findings[result.findings["kind"] == "harmful_passage"]
    assert harmful["passages"].tolist() == [["b"]]
    assert set(result.sets["kind"]) == {"keeps", "breaks"}
    assert len(result.summary["sentences"]) == 3


def test_show_prints_the_run(trace, tables, capsys):
    run([trace], tables).show()
    out = capsys.readouterr().out
    assert "attribution" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_efficiency_gap_is_reported_and_is_rounding(trace, tables):
    assert 0 <= run([trace], tables).run["efficiency_gap"] < 1e-12


def test_each_question_is_also_answered_without_passages(trace, tables, tmp_path):
    result = run([trace, make_trace("none", names=(), answer="in Rome")], tables, tmp_path / "run")
    assert result.closed_book_answers == {"t": "in Rome"}
    (line,) = map(json.loads, (tmp_path / "run/generations.jsonl").read_text().splitlines())
    assert (line["game"], line["purpose"], line["coalition"]) == ("closed_book", "closed_book", "")


def test_closed_book_answers_can_be_left_out(trace, tables, tmp_path):
    result = run([trace], tables, tmp_path / "run", closed_book_answers=False)
    assert result.closed_book_answers == {}
    assert not (tmp_path / "run/generations.jsonl").exists()


def test_a_question_that_cannot_be_answered_without_passages_fails_nothing(trace, tables):
    class Mute(FakeGenerator):
        def generate(self, request, max_new_tokens):
            raise ScoringError("nothing to say")

    result = audit([trace], generator=Mute(tables))
    assert result.failures == {}
    assert any("nothing to say" in warning for warning in result.run["warnings"])
