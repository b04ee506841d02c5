"""The declared measures of utility read the stored rows that they name, and nothing else."""

import dataclasses
import math

import numpy as np
import pytest

from boresight.measure.evidence import Evidence, RetrieverView
from boresight.measure.funnel import FunnelRow, Good
from boresight.measure.gain import gain_families
from boresight.measure.rows import Extra, TokenRows

FAMILIES = {family.name: family.bound()[0] for family in gain_families()}


def logs(*given):
    return np.log(np.array(given))


ROWS = TokenRows("Rome", ((0, 4),), closed_book=logs(0.2), singletons={"a": logs(0.5), "b": logs(0.1)})
SEEN = Evidence(
    "q1",
    "answer",
    ("a", "b"),
    grand=-1.0,
    empty=-4.0,
    singletons={"a": -2.0, "b": -2.5},
    retriever=RetrieverView("bm25", {"a": 1.0, "b": 0.0}),
    extra=Extra(
        targets={"reference:0": ROWS},
        abstention={"a": 0.1, "b": 0.4},
        contrastive={"a": {"reference:0": logs(0.5)}, "b": {"reference:0": logs(0.25)}},
        answer="It is Rome.",
        single_answers={"a": "Rome", "b": "It is Rome"},
        references=("Rome",),
        relevance={"a": 1.0, "b": 0.0},
    ),
)


def per_passage(name, seen=SEEN):
    return {key: found.value for key, found in FAMILIES[name].per_passage(seen).items()}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("contrastive_gain", {"a": -math.log(3), "b": -math.log(5)}),
        ("plain_gain", {"a": -math.log(3), "b": -math.log(11)}),
        ("dig", {"a": 0.3, "b": -0.1}),
        ("dig_product", {"a": 0.3, "b": -0.1}),
        ("erag_exact_match", {"a": 1.0, "b": 0.0}),
        ("erag_f1", {"a": 1.0, "b": 0.5}),
        ("erag_containment", {"a": 1.0, "b": 1.0}),
        ("abstention_utility", {"a": 0.9, "b": None}),
        ("distracting_effect", {"a": None, "b": 0.6}),
    ],
)
def test_passages_by_hand(name, expected):
    assert per_passage(name) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("udcg", 1 / (1 + math.exp(-(0.9 - 0.333 * 0.6) / 2))),
        ("redundancy", 2.0 + 1.5 - 3.0),
        ("gain_correlation", -1.0),  # the retriever ranks b first, the gain a
    ],
)
def test_traces_by_hand(name, expected):
    assert FAMILIES[name].compute(SEEN).value == pytest.approx(expected)


@pytest.mark.parametrize("name", FAMILIES)
def test_nothing_stored_leaves_every_measure_undefined_with_a_reason(name):
    bare, measure = Evidence("q1", "answer", ("a", "b")), FAMILIES[name]
    found = [measure.compute(bare)] if measure.family.scope == "trace" else measure.per_passage(bare).values()
    assert all(one.state == "undefined" and one.reason for one in found)
    assert not measure.family.default


def holding(*in_context, answer="It is Rome.", references=("Rome",)):
    """A trace whose good passages hold the answer, in the context or not."""
    rows = tuple(
        FunnelRow("q1", Good(str(place), ("reference",), None, 4), (), in_context=inside)
        for place, inside in enumerate(in_context)
    )
    extra = dataclasses.replace(SEEN.extra, answer=answer, references=references)
    return dataclasses.replace(SEEN, funnel=rows, extra=extra)


def gap(seen):
    return tuple(
        FAMILIES[name].compute(seen).value for name in ("wrong_despite_answer", "right_without_answer")
    )


def test_the_preference_gap_counts_each_trace_where_it_belongs():
    assert gap(holding(True)) == (0.0, 0.0)
    assert gap(holding(True, answer="Paris")) == (1.0, None)
    assert gap(holding(False)) == (None, 1.0)
    assert gap(holding()) == (None, 1.0)
    assert gap(holding(False, answer="Paris")) == (None, None)


def test_a_passage_labelled_good_without_the_words_does_not_hold_the_answer():
    row = FunnelRow("q1", Good("a", ("labelled",), 1.0, None), (), in_context=True)
    assert gap(dataclasses.replace(SEEN, funnel=(row,))) == (None, 1.0)


def test_a_verdict_can_be_searched_for_in_no_passage():
    found = FAMILIES["wrong_despite_answer"].compute(holding(references=("yes",)))
    assert found.reason == "no passage can be searched for these references"
