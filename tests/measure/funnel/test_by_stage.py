"""Alignment with every recorded stage."""

from dataclasses import replace

import pytest

from boresight.measure.evidence import Evidence
from boresight.measure.funnel import align_stages, summarise_alignment
from boresight.measure.registry import parse

MEASURES = (parse("warg@1.5"), parse("kendall"), parse("effective_passages"))


def evidence(name="q"):
    """The answer rests on b alone."""
    return Evidence(name, "answer", tuple("abc"), attribution={"a": 0.0, "b": 3.0, "c": 0.0})


@pytest.fixture
def two_stages(stage, trace):
    """The first stage scores b lowest, the second highest; the filter lacks c; packing has no scores."""
    return trace(
        stage("bm25", "retrieve", ("a", 3.0), ("c", 2.0), ("b", 1.0)),
        stage("few", "filter", ("a", 3.0), ("b", 1.0)),
        stage("ce", "rerank", ("b", 0.9), ("a", 0.5), ("c", 0.1)),
        stage("pack", "pack", "b", "a", "c"),
        context="bac",
    )


def test_warg_is_taken_against_each_stage(two_stages):
    found = {row.stage: row.outcome for row in align_stages(two_stages, evidence(), MEASURES[:1])}
    # bm25: b 0 in [0, 1], the others 1 and 1/2: gap -3/4 over an oracle of 1 - 1/4.
    assert found["bm25"].value == pytest.approx(-1.0)
    assert found["ce"].value == pytest.approx(1.0)
    assert "does not hold passage 'c'" in found["few"].reason
    assert found["pack"].reason == "no retriever scores"


def test_measures_that_do_not_read_the_retriever_are_left_out(two_stages):
    names = {row.measure for row in align_stages(two_stages, evidence(), MEASURES)}
    assert names == {"warg@1.5", "kendall"}


def test_rows_of_the_table_keep_state_and_reason(two_stages):
    row = align_stages(two_stages, evidence(), MEASURES[:1])[1].to_row()
    assert (row["stage"], row["step"], row["state"], row["value"]) == ("few", 1, "undefined", None)


def test_a_trace_without_numbers_is_undefined_at_every_stage(two_stages):
    nothing = Evidence("q", "answer", (), reason="the trace was not scored")
    rows = align_stages(two_stages, nothing, MEASURES[:1])
    assert {row.outcome.reason for row in rows} == {"the trace was not scored"}


def test_the_table_over_stages_gives_means_and_changes(two_stages):
    rows = align_stages(two_stages, evidence(), MEASURES[:1])
    many = [replace(row, trace=name) for name in ("q1", "q2", "q3") for row in rows]
    table = {mean["stage"]: mean for mean in summarise_alignment(many, seed=0)}
    assert list(table) == ["bm25", "few", "ce", "pack"]
    assert (table["bm25"]["value"], table["bm25"]["defined"], table["bm25"]["change"]) == (-1.0, 3, None)
    assert (table["few"]["value"], table["few"]["undefined"], table["few"]["pairs"]) == (None, 3, 0)
    assert (table["ce"]["change"], table["ce"]["pairs"]) == (
        2.0,
        3,
    )  # against bm25, the last that has a value


def test_the_change_is_paired_over_traces(stage, trace):
    given = trace(
        stage("bm25", "retrieve", ("a", 3.0), ("c", 2.0), ("b", 1.0)),
        stage("ce", "rerank", ("b", 0.9), ("a", 0.5), ("c", 0.1)),
        context="bac",
    )
    last = summarise_alignment(align_stages(given, evidence(), MEASURES[:1]), seed=0)[-1]
    assert (last["stage"], last["change"], last["pairs"], last["change_low"]) == ("ce", 2.0, 1, None)
