"""Tied places against the enumeration of every order that the ties allow."""

from itertools import pairwise, permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boresight.measure.ranks import Place, expected_overlap, places_by_attribution, places_by_rank


def orders(ranks):
    """Every order of the passages that keeps better ranks before worse ones."""
    return [
        order
        for order in permutations(ranks)
        if all(ranks[before] <= ranks[after] for before, after in pairwise(order))
    ]


RANKS = st.lists(st.integers(0, 2), min_size=4, max_size=4).map(
    lambda found: dict(zip("abcd", found, strict=True))
)


def test_places_of_three_ties():
    assert places_by_rank({"a": 5.0, "b": 1.0, "c": 5.0, "d": 2.0}) == {
        "b": Place(0, 1),
        "d": Place(1, 1),
        "a": Place(2, 2),
        "c": Place(2, 2),
    }


def test_the_largest_attribution_comes_first():
    assert places_by_attribution({"a": -1.0, "b": 2.0, "c": 0.0}) == {
        "b": Place(0, 1),
        "c": Place(1, 1),
        "a": Place(2, 1),
    }


def test_attributions_are_tied_along_the_order_up_to_a_billionth():
    """a and c are further apart than the bar, but b links them; d is just beyond."""
    places = places_by_attribution({"a": 0.0, "b": -0.9e-9, "c": -1.8e-9, "d": -2.9e-9})
    assert places == {"a": Place(0, 3), "b": Place(0, 3), "c": Place(0, 3), "d": Place(3, 1)}


@pytest.mark.parametrize(("depth", "chance"), [(0, 0.0), (1, 0.0), (2, 0.5), (3, 1.0), (9, 1.0), (-1, 0.0)])
def test_a_tie_of_two_enters_one_by_one(depth, chance):
    assert Place(1, 2).within(depth) == chance


@given(RANKS)
def test_the_probability_of_a_place_is_its_share_of_the_orders(ranks):
    every = orders(ranks)
    for passage, place in places_by_rank(ranks).items():
        for depth in range(5):
            counted = sum(passage in order[:depth] for order in every) / len(every)
            assert place.within(depth) == pytest.approx(counted, abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(RANKS, RANKS, st.integers(0, 4), st.integers(0, 4))
def test_the_expected_overlap_is_the_mean_over_all_orders_of_both(one, other, depth, other_depth):
    pairs = list(product(orders(one), orders(other)))
    counted = sum(len(set(a[:depth]) & set(b[:other_depth])) for a, b in pairs) / len(pairs)
    found = expected_overlap(places_by_rank(one), depth, places_by_rank(other), other_depth)
    assert found == pytest.approx(counted, abs=1e-12)
