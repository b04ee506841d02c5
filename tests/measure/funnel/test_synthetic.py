"""The set of funnels whose loss is known: every kind is recovered, and none is invented."""

from itertools import combinations

import pytest

from boresight.measure.funnel import LOSS_KINDS, funnel, good_passages
from boresight.testing.funnels import (
    FAULTS,
    GOLD,
    funnel_case,
    funnel_cases,
    only_what_was_kept,
    without_stages,
)

STAGES = ("bm25", "dense", "fuse", "language", "rerank", "pack")
WIDER = {"packing_budget": "packing", "packing_reorder": "packing"}


def row_of(case):
    good = [one for one in good_passages(case.trace) if one.passage == GOLD]
    return funnel(case.trace, good, case.generation, read=case.read)[0]


def told(case):
    loss = row_of(case).loss
    return (loss.kind, loss.stage) if loss else (None, None)


def truth(case):
    return (case.fault.kind, case.fault.stage)


@pytest.mark.parametrize("seed", range(5))
def test_every_labelled_cause_is_recovered(seed):
    cases = funnel_cases(repeats=4, seed=seed)
    assert [told(case) for case in cases] == [truth(case) for case in cases]


def test_the_set_holds_every_kind_that_a_full_record_shows():
    seen_elsewhere = {"below_cut", "packing", "not_recorded"}  # those say that a record is not full
    assert {fault.kind for fault in FAULTS} - {None} == set(LOSS_KINDS) - seen_elsewhere


@pytest.mark.parametrize("size", range(1, 7))
def test_no_cause_is_invented_where_stages_are_missing(size):
    """The cause is the true one, a wider one at the true stage, or not recorded, whatever is missing."""
    for case in funnel_cases(repeats=2):
        for missing in combinations(STAGES, size):
            kind, stage = told(without_stages(case, missing))
            assert (
                (kind, stage) == truth(case)
                or kind == "not_recorded"
                or (kind is not None and (kind, stage) == (WIDER.get(case.fault.kind), case.fault.stage))
            ), (case.fault, missing, kind, stage)


def test_a_missing_stage_that_lost_the_passage_is_never_named():
    for case in funnel_cases(repeats=2):
        if case.fault.stage in STAGES:
            assert told(without_stages(case, [case.fault.stage]))[0] == "not_recorded", case.fault


def test_a_missing_stage_elsewhere_hides_no_passage_that_came_through():
    for case in funnel_cases(repeats=2):
        if case.fault.kind is None:
            assert all(told(without_stages(case, [name])) == (None, None) for name in STAGES)


def test_without_the_generator_nothing_is_said_about_use():
    for fault in FAULTS:
        if fault.stage == "generator":
            case = funnel_case(fault, "t")
            row = funnel(case.trace, good_passages(case.trace))[0]
            assert (row.loss, row.in_context, row.above_floor) == (None, True, None)


def test_a_record_of_what_was_kept_gives_the_stage_and_a_wider_kind():
    """What lies below a reranker's cut has no rank any more, below a retriever's it was never retrieved."""
    wider = {
        ("scored_low", "rerank"): ("below_cut", "rerank"),
        ("cut", "rerank"): ("below_cut", "rerank"),
        ("beyond_limit", "rerank"): ("beyond_limit", "rerank"),
        ("scored_low", "dense"): ("never_retrieved", "bm25 + dense"),
        ("cut", "bm25"): ("never_retrieved", "bm25 + dense"),
        ("beyond_limit", "dense"): ("never_retrieved", "bm25 + dense"),
    }
    for case in funnel_cases(repeats=2):
        expected = wider.get(truth(case), truth(case))
        assert told(only_what_was_kept(case)) == expected, case.fault


def test_the_same_seed_gives_the_same_set():
    assert funnel_cases(1, seed=3) == funnel_cases(1, seed=3) != funnel_cases(1, seed=4)
