"""Ranking measures against trec_eval's own output, and label holes."""

import sys
from collections import defaultdict
from dataclasses import replace
from math import log2
from pathlib import Path

import pytest

from boresight.measure.evidence import Evidence, RetrieverView
from boresight.measure.registry import parse
from boresight.measure.retrieval.ranking import ranking_measure
from boresight.measure.retriever import retriever_view
from boresight.measure.rows import Extra
from boresight.trace.forms import parse_trace

GOLDEN = Path(__file__).parents[3] / "../shared/data/trec_eval"
NAMES = ("ndcg@10", "map", "mrr", "recall@10")


def seen(ranking, relevance, attribution=None, floor=0.0):
    """Evidence of a trace whose context is the ranking."""
    return Evidence(
        "t",
        "answer",
        tuple(attribution or ()),
        attribution=attribution,
        floor=floor,
        retriever=RetrieverView("bm25", ranking=tuple(ranking)),
        extra=Extra(relevance=relevance),
    )


def test_measures_of_a_ranking_by_hand():
    """c is relevant at rank 3, b at 2; d is relevant and not ranked."""
    case = seen("abc", {"a": 0, "b": 1, "c": 2, "d": 1})
    best = 2 + 1 / log2(3) + 1 / log2(4)
    assert parse("ndcg@10").compute(case).value == pytest.approx((1 / log2(3) + 2 / log2(4)) / best)
    assert parse("ndcg@2").compute(case).value == pytest.approx((1 / log2(3)) / (2 + 1 / log2(3)))
    assert parse("map").compute(case).value == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert parse("mrr").compute(case).value == pytest.approx(1 / 2)
    assert parse("recall@10").compute(case).value == pytest.approx(2 / 3)
    assert parse("recall@2").compute(case).value == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("ranking", "relevance", "reason"),
    [
        ("abc", {}, "no passage is labelled"),
        ("abc", {"a": 0, "b": -1}, "no passage is labelled relevant"),
        ("", {"a": 1}, "no ranking recorded"),
    ],
)
def test_without_labels_or_ranking_there_is_no_value(name, ranking, relevance, reason):
    found = parse(name).compute(seen(ranking, relevance))
    assert (found.state, found.reason) == ("undefined", reason)


def test_only_a_measure_that_weighs_grades_needs_whole_ones():
    case = seen("ab", {"a": 0.5})
    assert parse("ndcg@10").compute(case).reason == "the grade 0.5 of a label is no whole number"
    assert parse("map").compute(case).value == 1.0


@pytest.mark.parametrize("name", NAMES)
def test_without_the_library_the_reason_names_the_extra(name, monkeypatch):
    monkeypatch.setitem(sys.modules, "ir_measures", None)
    found = parse(name).compute(seen("ab", {"a": 1}))
    assert found.state == "undefined"
    assert "pip install 'boresight[retrieval]'" in found.reason


def test_the_whole_stage_is_ranked_not_only_the_context():
    trace = parse_trace(
        {
            "id": "t",
            "query": "q",
            "passages": [{"id": name, "text": name} for name in "abc"],
            "stages": [
                {"name": "bm25", "kind": "retrieve", "ranking": [{"id": "c"}, {"id": "a"}, {"id": "b"}]}
            ],
            "context": ["a"],
        }
    ).trace
    assert retriever_view(trace).ranking == ("c", "a", "b")
    assert retriever_view(replace(trace, context=("a", "b"))).ranking == ("c", "a", "b")


def golden_topics():
    """Ranking, labels and expected numbers of each topic."""
    labels, scores, golden = defaultdict(dict), defaultdict(dict), defaultdict(dict)
    for line in (GOLDEN / "qrels.test").read_text(encoding="utf-8").splitlines():
        topic, _, passage, grade = line.split()
        labels[topic][passage] = float(grade)
    for line in (GOLDEN / "results.test").read_text(encoding="utf-8").splitlines():
        topic, _, passage, _, score, _ = line.split()
        scores[topic][passage] = float(score)
    for line in (GOLDEN / "out.test.aq").read_text(encoding="utf-8").splitlines():
        name, topic, value = line.split()
        golden[topic][name] = value
    # trec_eval breaks ties of its scores by falling id.
    return {
        topic: (sorted(found, key=lambda one: (found[one], one), reverse=True), labels[topic], golden[topic])
        for topic, found in scores.items()
    }


@pytest.mark.skipif(not GOLDEN.exists(), reason="no ../shared/data/trec_eval")
@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("AP", "map"), ("RR", "recip_rank"), ("nDCG@10", "ndcg_cut_10"), ("R@10", "recall_10")],
)
def test_numbers_are_those_of_trec_eval(ours, theirs):
    topics = golden_topics()
    assert len(topics) == 3
    for ranking, relevance, golden in topics.values():
        found = ranking_measure(ours, ranking, relevance)
        assert found.value == pytest.approx(float(golden[theirs]), abs=5.1e-5)


HELPED = {"a": 3.0, "b": 1.0, "c": 0.5, "d": -2.0, "e": 0.05}


def test_holes_are_passages_above_the_floor_without_a_label_above_zero():
    """b is judged irrelevant, c never; d harms and e is below the floor."""
    case = seen("abcde", {"a": 1, "b": 0}, HELPED, floor=0.1)
    assert parse("label_holes").compute(case).value == 2
    assert parse("share_outside_labels").compute(case).value == pytest.approx(1.55 / 4.55)


def test_an_answer_that_rests_on_labelled_passages_has_no_hole():
    case = seen("ab", {"a": 1, "b": 2}, {"a": 1.0, "b": 2.0})
    assert parse("label_holes").compute(case).value == 0
    assert parse("share_outside_labels").compute(case).value == 0


@pytest.mark.parametrize("name", ["label_holes", "share_outside_labels"])
def test_without_any_label_there_is_no_hole(name):
    assert parse(name).compute(seen("a", {}, {"a": 1.0})).reason == "no passage is labelled"


def test_an_answer_that_rests_on_nothing_has_no_share():
    found = parse("share_outside_labels").compute(seen("a", {"a": 1}, {"a": -1.0}))
    assert found.reason == "no attribution is positive"
