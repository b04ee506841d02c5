"""The placebo floor of a run, on a tiny random model."""

import json

import pandas as pd
import pytest

from boresight.api import audit
from boresight.models import transformers_generator
from boresight.models.fake import FakeGenerator
from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.toy_models import tiny_model, toy_tokenizer
from helpers import make_trace


@pytest.fixture(scope="module")
def generator():
    tokenizer = toy_tokenizer()
    return TransformersGenerator(tiny_model("llama", vocabulary=len(tokenizer)), tokenizer, name="tiny")


def traces(count):
    made = [make_trace(f"t{index}", answer="in Rome") for index in range(count)]
    for index, trace in enumerate(made):
        for passage in trace["passages"]:
            passage["text"] += f" number {index}"
    return made


def stored(result, game):
    rows = pd.concat(pd.read_parquet(file) for file in (result.folder / "values").glob("*.parquet"))
    return rows[rows["game"] == game]


@pytest.fixture(scope="module")
def result(generator, tmp_path_factory):
    return audit(traces(4), generator=generator, placebo=2, out=tmp_path_factory.mktemp("placebo") / "run")


def test_the_sample_has_guests_of_other_traces(result):
    guests = result.run["floors"]["placebo"]["traces"]
    assert len(guests) == 2
    assert all(guest["from"] != guest["trace"] for guest in guests)


def test_a_guest_costs_the_coalitions_that_hold_it(result):
    rows = stored(result, "placebo")
    assert len(rows) == 2 * 8
    assert {coalition[-1] for coalition in rows["coalition"]} == {"1"}
    assert {len(coalition) for coalition in rows["coalition"]} == {4}


def test_planned_tokens_are_spent(result):
    assert result.run["tokens"]["planned"] == result.run["tokens"]["spent"]


def test_the_floor_is_at_least_what_the_guests_did_and_marks_the_passages(result):
    floor = result.run["floors"]["placebo"]
    assert floor["nats"] >= min(abs(guest["attribution"]) for guest in floor["traces"])
    expected = result.passages["attribution"].abs() > floor["nats"]
    assert result.passages["above_placebo"].astype(bool).equals(expected.rename("above_placebo"))


def test_the_same_seed_invites_the_same_guests(result, generator):
    again = audit(traces(4), generator=generator, placebo=2)
    assert again.run["floors"] == result.run["floors"]


def test_placebo_rows_change_no_value_of_the_traces(result, generator):
    without = audit(traces(4), generator=generator, placebo=0)
    pd.testing.assert_series_equal(without.passages["attribution"], result.passages["attribution"])
    assert without.run["floors"]["placebo"]["reason"] == "no placebo was asked for"


@pytest.fixture
def small_packs(monkeypatch):
    monkeypatch.setitem(transformers_generator.PACK_TOKENS, "cpu", 48)


def own_bytes(result, *games):
    rows = pd.concat(stored(result, game) for game in (games or ("passages", "closed_book", "numeric_floor")))
    return {
        (row.trace, row.game, row.target, row.coalition): row.logprobs.tobytes() for row in rows.itertuples()
    }


@pytest.mark.usefixtures("small_packs")
@pytest.mark.parametrize("settings", [{}, {"score_end": True, "max_tokens_per_trace": 1, "budget": 20}])
def test_neither_guests_nor_a_limit_change_a_byte_of_the_traces_own_values(generator, settings):
    made = traces(4)
    for trace in made:
        trace["passages"] += [
            {"id": "d", "text": f"more of {trace['id']} in the town"},
            {"id": "e", "text": ""},
        ]
    assert generator.describe()["engine"].startswith("tree")
    without = own_bytes(audit(made, generator=generator, placebo=0, **settings))
    guests = audit(made, generator=generator, placebo=2, **settings)
    assert len(stored(guests, "placebo")) > 0
    assert own_bytes(guests) == without
    limited = own_bytes(audit(made, generator=generator, placebo=2, limit=2, **settings))
    assert limited == {key: row for key, row in without.items() if key[0] in ("t0", "t1")}


@pytest.mark.usefixtures("small_packs")
def test_guests_continue_the_batches_of_their_trace(generator, tmp_path):
    results = [
        audit(traces(2), generator=generator, placebo=count, out=tmp_path / str(count)) for count in (0, 1)
    ]
    plans = [json.loads((result.folder / "plan.json").read_text()) for result in results]
    alone, joined = ([one for plan in plans[count]["traces"] for one in plan["batches"]] for count in (0, 1))
    assert len(alone) == len(joined)
    rows = {name for one in joined for name in one["games"].get("placebo", ())}
    assert len(rows) == 8
    whole = sum(one["tokens"] for one in joined) - sum(one["tokens"] for one in alone)
    longest = next(plan["longest"] for plan in plans[1]["traces"] if plan["placebo"])
    assert 0 < whole < 8 * longest / 2


def test_a_guests_values_are_those_of_plain_scoring(generator, result):
    plain = TransformersGenerator(generator.model, toy_tokenizer(), name="tiny", engine="plain")
    again = audit(traces(4), generator=plain, placebo=2)
    one, other = (
        stored(made, "placebo").set_index(["trace", "coalition"])["logprobs"] for made in (result, again)
    )
    assert set(one.index) == set(other.index)
    for key, row in one.items():
        assert row == pytest.approx(other[key], abs=1e-4)


def test_a_single_trace_has_no_placebo_and_says_so(generator):
    result = audit(traces(1), generator=generator)
    assert result.run["floors"]["placebo"]["nats"] is None
    assert "no other trace" in result.run["floors"]["placebo"]["reason"]
    assert result.passages["above_placebo"].isna().all()


def test_a_sampled_trace_can_have_a_guest(generator):
    made = traces(2)
    for trace in made:
        trace["passages"] += [{"id": name, "text": f"more {name} {trace['id']}"} for name in "def"]
    result = audit(made, generator=generator, placebo=1, max_tokens_per_trace=1, budget=40)
    (guest,) = result.run["floors"]["placebo"]["traces"]
    assert guest["attribution"] != 0
    assert result.passages["method"].unique().tolist() == ["kriging"]


def test_a_table_of_values_has_floors_of_zero(tables):
    result = audit(traces(2), generator=FakeGenerator(tables))
    assert result.run["floors"]["placebo"]["nats"] == 0
    assert len(stored(result, "placebo")) == 0


def test_findings_keep_to_the_larger_floor(result):
    floor = result.run["floors"]["placebo"]["nats"]
    harmful = result.findings[result.findings["kind"] == "harmful_passage"]
    assert all(evidence["floor"]["value"] >= floor for evidence in harmful["evidence"])
    assert all(score > floor for score in harmful["score"])


def test_plan_json_names_the_guest(result):
    plans = json.loads((result.folder / "plan.json").read_text())["traces"]
    assert sum(plan["placebo"] is not None for plan in plans) == 2
