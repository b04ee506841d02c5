"""Minimal sets: smallest that keep, smallest removals that break."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boresight.explain.counterfactual import PassageSet, minimal_breaks, minimal_keeps

IDS = ("a", "b", "c", "d", "e")


def table_of(n, value):
    names = IDS[:n]
    return [float(value({name for i, name in enumerate(names) if mask >> i & 1})) for mask in range(2**n)]


def sets(found):
    return [one.passages for one in found]


def test_of_two_twins_either_keeps_and_only_both_removed_break():
    table = table_of(3, lambda s: bool(s & {"a", "b"}))
    assert minimal_keeps(table, IDS[:3], 0.1) == [PassageSet(("a",), 1.0), PassageSet(("b",), 1.0)]
    assert minimal_breaks(table, IDS[:3], 0.1) == [PassageSet(("a", "b"), 0.0)]


def test_two_hops_are_kept_together_and_broken_by_either():
    table = table_of(3, lambda s: {"a", "c"} <= s)
    assert minimal_keeps(table, IDS[:3], 0.1) == [PassageSet(("a", "c"), 1.0)]
    assert minimal_breaks(table, IDS[:3], 0.1) == [PassageSet(("a",), 0.0), PassageSet(("c",), 0.0)]


def test_an_answer_that_needs_no_passage_is_kept_by_the_empty_set_and_broken_by_none():
    assert minimal_keeps([-1.0] * 4, IDS[:2], 0.0) == [PassageSet((), -1.0)]
    assert minimal_breaks([-1.0] * 4, IDS[:2], 0.0) == []


def test_the_margin_itself_still_keeps():
    table = table_of(2, lambda s: ("a" in s) + 0.25 * ("b" in s))
    assert sets(minimal_keeps(table, IDS[:2], 0.25)) == [("a",)]
    assert sets(minimal_breaks(table, IDS[:2], 0.25)) == [("a",)]
    assert sets(minimal_keeps(table, IDS[:2], 0.2)) == [("a", "b")]
    assert sets(minimal_breaks(table, IDS[:2], 0.2)) == [("a",), ("b",)]


def test_without_passages_the_empty_set_keeps():
    assert minimal_keeps([-2.0], (), 0.1) == [PassageSet((), -2.0)]
    assert minimal_breaks([-2.0], (), 0.1) == []


@given(arrays(np.float64, 32, elements=st.floats(-5, 0)), st.floats(0, 3))
def test_they_are_those_of_a_plain_search(table, margin):
    def search(wanted):
        for size in range(6):
            chosen = [c for c in combinations(range(5), size) if wanted(sum(1 << i for i in c))]
            if chosen:
                return [tuple(IDS[i] for i in c) for c in chosen]
        return []

    bar = table[-1] - margin
    assert sets(minimal_keeps(table, IDS, margin)) == search(lambda mask: table[mask] >= bar)
    assert sets(minimal_breaks(table, IDS, margin)) == search(lambda mask: table[31 - mask] < bar)


def test_sixteen_passages_are_searched_whole():
    names = tuple("abcdefghijklmnop")
    members = np.array([mask.bit_count() for mask in range(2**16)], dtype=float)
    found = minimal_keeps(members, names, 14.0)
    assert len(found) == 16 * 15 // 2
    assert found[0] == PassageSet(("a", "b"), 2.0)
    assert sets(minimal_breaks(members, names, 15.0)) == [names]


@pytest.mark.parametrize(
    ("values", "margin", "message"),
    [([0.0] * 3, 0.1, "need 4 values"), ([0.0, np.nan, 0, 0], 0.1, "finite"), ([0.0] * 4, -1.0, "margin")],
)
def test_what_is_no_table_or_no_margin_is_refused(values, margin, message):
    with pytest.raises(ValueError, match=message):
        minimal_keeps(values, IDS[:2], margin)
