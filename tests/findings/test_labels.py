"""Passages that an answer rests on and that no label calls relevant."""

from dataclasses import replace

import pytest

from boresight.findings import Number, asked_kinds, diagnose

WEIGHTS = {"a": 3.0, "b": 2.0, "c": 1.0, "d": -1.0}


@pytest.fixture
def case(make_case, lattice_of):
    return make_case(lattice_of(4, lambda s: sum(WEIGHTS[one] for one in s) - 9), floor=0.02)


def holes(case, relevance, **changes):
    return [
        one
        for one in diagnose(replace(case, relevance=relevance, **changes))
        if one.kind == "label_hole"
    ]  # fmt: skip


def test_the_passages_stand_by_weight_with_what_their_labels_say(case):
    (found,) = holes(case, {"a": 1.0, "c": 0.0})
    assert found.passages == ("b", "c")
    assert found.sentence == (
        "The answer rests on passages b and c, which no label calls relevant: 2.00 nats from b (never "
        "judged) and 1.00 nats from c (judged irrelevant)."
    )
    assert found.score == 2.0
    assert found.evidence == {
        "attribution[b]": Number(2.0), "attribution[c]": Number(1.0), "label[c]": Number(0.0),
        "floor": Number(0.04),
    }  # fmt: skip


def test_an_answer_that_rests_on_no_relevant_passage_says_so(case):
    (found,) = holes(case, {"d": 1.0})
    assert "relevant, and on no passage that a label does: 3.00 nats from a" in found.sentence


def test_an_answer_that_rests_on_labelled_passages_has_no_hole(case):
    assert holes(case, {"a": 1.0, "b": 2.0, "c": 1.0}) == []


def test_below_the_floor_nothing_is_said(case):
    (found,) = holes(case, {"a": 1.0}, placebo_floor=1.5)
    assert found.passages == ("b",)
    assert holes(case, {"a": 1.0}, placebo_floor=3.5) == []


def test_a_sampled_attribution_counts_only_with_its_whole_interval(case):
    low, high = {"a": 2.5, "b": -0.1, "c": 0.5, "d": -2.0}, {"a": 3.5, "b": 4.0, "c": 1.5, "d": 0.0}
    (found,) = holes(case, {"a": 1.0}, exact=False, low=low, high=high)
    assert found.passages == ("c",)


def test_a_trace_without_labels_is_not_asked(case):
    assert "label_hole" not in asked_kinds(case)
    assert "label_hole" in asked_kinds(replace(case, relevance={"x": 1.0}))
