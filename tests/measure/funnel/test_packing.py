"""Losses in packing: the budget, or a reorder before the cut."""

import pytest

from boresight.measure.funnel import Good, funnel
from boresight.measure.funnel.packing import reorderings


def packed(trace, stage, entered, *packed_ids, good, context=(), cut=None):
    given = trace(
        stage("r", "retrieve", *entered), stage("pack", "pack", *packed_ids, cut=cut), context=context
    )
    return funnel(given, (Good(good, ("named",)),))[0].loss


def test_a_rank_past_what_was_packed_is_the_budget(stage, trace):
    assert packed(trace, stage, "abcdef", *"abc", good="e").kind == "packing_budget"


def test_reordering_before_the_cut_drops_the_second_best(stage, trace):
    """Best at both ends, then four are kept: the second and the fourth go."""
    loss = packed(trace, stage, "abcdef", *"acefdb", good="b", context="acef", cut=4)
    assert (loss.kind, loss.stage, loss.inferred) == ("packing_reorder", "pack", False)


@pytest.mark.parametrize(("kept", "lost"), [("acef", "b"), ("bdfe", "a"), ("fedc", "b")])
def test_a_known_reordering_is_told_from_what_was_kept(stage, trace, kept, lost):
    loss = packed(trace, stage, "abcdef", *kept, good=lost, context=kept, cut=4)
    assert (loss.kind, loss.inferred) == ("packing_reorder", True)


def test_a_passage_skipped_in_the_order_of_entry_did_not_fit(stage, trace):
    loss = packed(trace, stage, "abcdef", *"acd", good="b", context="acd")
    assert (loss.kind, loss.inferred) == ("packing_budget", True)


def test_a_passage_packed_before_others_and_yet_not_kept_did_not_fit(stage, trace):
    """The packing stage recorded its order, the context what fitted."""
    assert packed(trace, stage, "abcdef", *"bacdef", good="b", context="acd").kind == "packing_budget"


def test_an_order_that_allows_both_is_left_open(stage, trace):
    assert packed(trace, stage, "abcdef", *"dac", good="b", context="dac").kind == "packing"
    assert packed(trace, stage, "abcdef", *"abd", good="c", context="abd", cut=3).kind == "packing"


def test_a_tie_over_the_budget_is_left_open(stage, trace):
    entered = [("a", 3.0), ("b", 2.0), ("c", 2.0), ("d", 1.0)]
    assert packed(trace, stage, entered, "a", "c", good="b", context="ac").kind == "packing"


def test_a_packing_stage_without_ranking_is_read_from_the_context(stage, trace):
    assert packed(trace, stage, "abcdef", good="e", context="abc").kind == "packing_budget"


def test_other_scores_than_those_that_entered_hide_a_ranker(stage, trace):
    given = trace(
        stage("r", "retrieve", ("a", 9.0), ("g", 8.0)), stage("pack", "pack", ("a", 0.2)), context="a"
    )
    assert funnel(given, (Good("g", ("named",)),))[0].loss.kind == "not_recorded"


def test_the_usual_reorderings_of_six():
    assert reorderings([1, 2, 3, 4, 5, 6]) == [[1, 3, 5, 6, 4, 2], [2, 4, 6, 5, 3, 1], [6, 5, 4, 3, 2, 1]]
