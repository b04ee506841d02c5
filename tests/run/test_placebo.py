"""The placebo floor of a run, on a tiny random model."""

import json

import pandas as pd
import pytest

from boresight.api import audit
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
    assert result.passages["method"].unique().tolist() == ["permutation"]


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
