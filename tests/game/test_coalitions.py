"""Coalitions as strings and bit masks."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.game import coalitions as c


def test_the_place_of_a_coalition_is_its_bit_mask():
    assert c.all_coalitions(2) == ["00", "10", "01", "11"]
    assert c.all_coalitions(0) == [""]


@given(st.integers(1, 8), st.data())
def test_members_and_coalition_are_inverse(n, data):
    places = data.draw(st.sets(st.integers(0, n - 1)))
    assert c.members(c.coalition_of(places, n)) == tuple(sorted(places))


def test_singletons_and_all_but_one_are_complements():
    assert c.singletons(3) == ["100", "010", "001"]
    assert c.all_but_one(3) == ["011", "101", "110"]


def test_masks_and_coalitions_are_inverse():
    names = c.all_coalitions(3)
    assert c.from_masks(c.to_masks(names)) == names


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 12, 40])
def test_middle_coalitions_are_distinct_and_of_the_sizes_nearest_half(n):
    drawn = c.middle_coalitions(n, 6, np.random.default_rng(0))
    others = 2**n - 2
    assert len(drawn) == len(set(drawn)) == min(6, others)
    far = max((abs(2 * d.count("1") - n) for d in drawn), default=0)
    nearer = sum(comb(n, size) for size in range(1, n) if abs(2 * size - n) < far)
    assert nearer < 6  # a farther size is used only where the nearer ones do not suffice


def test_middle_coalitions_depend_on_the_seed_alone():
    one, same, other = (c.middle_coalitions(20, 6, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == same
    assert one != other
