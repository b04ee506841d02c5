"""The retriever's view of a context."""

import pytest

from boresight.measure.retriever import retriever_view
from boresight.trace import Passage, Ranked, Stage, Trace


def trace(context, *stages):
    named = {place.id for stage in stages for place in stage.ranking} | set(context)
    passages = tuple(Passage(key, f"text {key}") for key in sorted(named))
    return Trace("q", "why?", passages, tuple(context), tuple(stages))


def stage(name, *ranking, kind="retrieve"):
    return Stage(name, kind, tuple(Ranked(*place) for place in ranking))


def test_passages_are_ranked_among_those_of_the_context():
    found = retriever_view(
        trace("dba", stage("bm25", ("x", 9.0), ("a", 8.0), ("y", 7.0), ("b", 6.0), ("d", 5.0)))
    )
    assert found.stage == "bm25"
    assert found.ranks == {"a": 0.0, "b": 1.0, "d": 2.0}
    assert found.scores == {"d": 5.0, "b": 6.0, "a": 8.0}
    assert (found.rank_reason, found.score_reason) == (None, None)


def test_the_order_of_the_context_is_not_the_ranking():
    given = stage("bm25", ("a", 2.0), ("b", 1.0))
    assert retriever_view(trace("ab", given)).ranks == retriever_view(trace("ba", given)).ranks


def test_equal_scores_share_the_best_rank_of_their_tie():
    given = stage("bm25", ("a", 3.0), ("b", 2.0), ("c", 2.0), ("d", 1.0))
    assert retriever_view(trace("abcd", given)).ranks == {"a": 0.0, "b": 1.0, "c": 1.0, "d": 3.0}


def test_a_tie_reaches_over_passages_outside_the_context():
    given = stage("bm25", ("a", 2.0), ("x", 2.0), ("b", 2.0))
    assert retriever_view(trace("ab", given)).ranks == {"a": 0.0, "b": 0.0}


def test_equal_scores_that_the_stage_kept_apart_are_no_tie():
    given = stage("mmr", ("a", 2.0), ("b", 1.0), ("c", 2.0))
    assert retriever_view(trace("abc", given)).ranks == {"a": 0.0, "b": 1.0, "c": 2.0}


def test_a_stage_that_scores_all_alike_ranks_none_above_another():
    found = retriever_view(trace("ab", stage("rr", ("a", 1.0), ("b", 1.0))))
    assert found.ranks == {"a": 0.0, "b": 0.0}
    assert found.scores == {"a": 1.0, "b": 1.0}


def test_ranks_outlive_a_missing_score_anywhere_in_the_stage():
    found = retriever_view(trace("ab", stage("bm25", ("a", 1.0), ("b", 1.0), ("x",))))
    assert found.ranks == {"a": 0.0, "b": 1.0}
    assert found.scores is None
    assert found.score_reason == "no retriever scores"
    assert found.rank_reason is None


def test_a_score_of_zero_is_a_score():
    assert retriever_view(trace("a", stage("bm25", ("a", 0.0)))).scores == {"a": 0.0}


def test_a_passage_that_the_stage_does_not_hold_undefines_both():
    found = retriever_view(trace("ab", stage("bm25", ("a", 1.0))))
    assert (found.ranks, found.scores) == (None, None)
    assert found.rank_reason == found.score_reason == "stage 'bm25' does not hold passage 'b' of the context"


@pytest.mark.parametrize("stages", [(), (stage("prompt", ("a", 1.0), kind="pack"),)])
def test_without_a_ranking_before_packing_both_are_undefined(stages):
    found = retriever_view(trace("a", *stages))
    assert (found.stage, found.ranks, found.scores) == (None, None, None)
    assert found.rank_reason == found.score_reason == "no ranking recorded"


def test_the_last_ranking_speaks_unless_a_stage_is_named():
    both = stage("bm25", ("a", 2.0), ("b", 1.0)), stage("rr", ("b", 0.9), ("a", 0.1), kind="rerank")
    assert retriever_view(trace("ab", *both)).ranks == {"b": 0.0, "a": 1.0}
    assert retriever_view(trace("ab", *both), "bm25").ranks == {"a": 0.0, "b": 1.0}


def test_an_empty_context_has_an_empty_view():
    found = retriever_view(trace("", stage("bm25", ("a", 1.0))))
    assert (found.ranks, found.scores) == ({}, {})
