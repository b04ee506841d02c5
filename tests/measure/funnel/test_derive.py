"""The funnel of a trace from what a run has at hand, and its measures."""

import pytest

from boresight.measure.evidence import Evidence
from boresight.measure.funnel import derive_funnel
from boresight.measure.funnel.families import funnel_families
from boresight.measure.registry import parse


@pytest.fixture
def given(stage, trace):
    return trace(
        stage("bm25", "retrieve", ("a", 3.0), ("g", 2.0), ("h", 1.0)),
        stage("minilm", "retrieve", ("h", 0.9), ("a", 0.5), ("g", 0.2)),
        context="ag", relevance={"g": 1, "h": 2}, references=("Warsaw",), answer="In Warsaw.",
    )  # fmt: skip


def evidence(**fields):
    return Evidence("q", "answer", ("a", "g"), attribution={"a": 1.0, "g": 0.3}, floor=0.1, **fields)


def derive(given, seen, **options):
    return derive_funnel(given, seen, exclude={"minilm"}, measures=[parse("warg@1.5")], **options)


def test_one_row_a_good_passage_with_where_it_was_lost(given):
    rows = {row["passage"]: row for row in derive(given, evidence()).funnel_rows()}
    assert list(rows) == ["h", "g"]
    assert (rows["h"]["lost_kind"], rows["h"]["stage"], rows["h"]["grade"]) == (
        "not_recorded",
        "context",
        2.0,
    )
    assert (rows["g"]["lost_kind"], rows["g"]["above_floor"], rows["g"]["answer_right"]) == (None, True, True)


def test_the_larger_floor_decides_about_use(given):
    assert derive(given, evidence()).rows[1].above_floor is True
    assert derive(given, evidence(), placebo=0.3).rows[1].above_floor is False


def test_steps_leave_out_the_stage_of_the_audit_and_alignment_takes_it(given):
    found = derive(given, evidence())
    assert {step["stage"] for step in found.step_rows()} == {"bm25", "context", "generator", "citation"}
    assert [row["stage"] for row in found.stage_rows()] == ["bm25", "minilm"]


def test_a_failed_trace_still_has_its_way_to_the_context(given):
    failed = Evidence("q", "answer", (), reason="too long")
    row = derive(given, failed).rows[1]
    assert (row.in_context, row.attribution, row.loss) == (True, None, None)
    assert derive(given, None).stages == ()


def test_the_answer_given_here_counts_before_the_recorded_one(given):
    assert derive(given, evidence(), answer="Paris").rows[1].loss.kind == "answer_wrong"
    assert derive(given, evidence(), answer="Paris", right=True).rows[1].loss is None


def test_measures_of_the_funnel_are_shares_of_the_good_passages(given):
    rows = derive(given, evidence(), cited={"g": True}).rows
    found = {family.name: family.bound()[0].compute(evidence()) for family in funnel_families(lambda _: rows)}
    assert {name: measure.value for name, measure in found.items()} == {
        "good_retrieved": 1.0, "good_in_context": 0.5, "good_used": 1.0, "good_cited": 1.0,
    }  # fmt: skip


def test_measures_without_good_passages_or_records_are_undefined(given):
    reasons = [family.bound()[0].compute(evidence()).reason for family in funnel_families(lambda _: ())]
    assert set(reasons) == {"no good passage is known"}
    rows = derive(given, None).rows
    cited = funnel_families(lambda _: rows)[3].bound()[0].compute(evidence())
    assert cited.reason == "no citation of a good passage was read"


def test_every_measure_of_the_funnel_declares_itself():
    for family in funnel_families(lambda _: ()):
        told = family.bound()[0].describe()
        assert (told["unit"], told["range"], told["default"], told["source"]) == (
            "share", [0.0, 1.0], False, "Boresight",
        )  # fmt: skip
