"""Every passage stands in every position equally often, and the recorded order comes first."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.game.orders import (
    context_orders,
    follows_context,
    latin_orders,
    order_name,
    order_of,
    with_gaps,
    without,
)
from boresight.stats.random import rng_for

SIZES = st.integers(1, 20)
SEEDS = st.integers(0, 5)


def orders(n, count, seed=0):
    return latin_orders(n, count, rng_for(seed, "t", "orders"))


def places(found):
    """How often each passage stands in each position."""
    return Counter((passage, position) for order in found for position, passage in enumerate(order))


@given(SIZES, SEEDS)
def test_the_recorded_order_is_first_and_its_reverse_second(n, seed):
    found = orders(n, 2, seed)
    assert found[0] == tuple(range(n))
    assert found[-1] == found[0][::-1]


@given(st.integers(3, 20), SEEDS)
def test_rows_of_the_square_alternate_with_their_reverses(n, seed):
    found = orders(n, 2 * n, seed)
    assert [one[::-1] for one in found[::2]] == list(found[1::2])
    shifts = {one[0] for one in found[::2]}
    assert shifts == set(range(n))
    assert all(one == tuple((one[0] + place) % n for place in range(n)) for one in found[::2])


@given(st.integers(3, 20), SEEDS)
def test_over_a_full_square_and_its_reverses_each_passage_stands_twice_in_each_position(n, seed):
    found = orders(n, 2 * n, seed)
    assert len(set(found)) == 2 * n
    assert set(places(found).values()) == {2}
    assert len(places(found)) == n * n


@given(st.integers(1, 6).map(lambda half: 2 * half), SEEDS)
def test_of_an_even_number_up_to_twelve_the_scored_orders_are_a_square_themselves(n, seed):
    found = context_orders(n, rng_for(seed, "t"))
    assert len(found) == n
    assert set(places(found).values()) == {1}


@given(SIZES, SEEDS)
def test_as_many_orders_as_passages_up_to_twelve_and_none_twice(n, seed):
    found = context_orders(n, rng_for(seed, "t"))
    assert len(found) == len(set(found)) == min(n, 12)
    assert all(sorted(order) == list(range(n)) for order in found)


def test_two_passages_have_two_orders():
    assert orders(2, 4) == ((0, 1), (1, 0))


def test_the_seed_chooses_the_rows():
    assert len({orders(16, 12, seed) for seed in range(5)}) > 1
    assert orders(16, 12, 3) == orders(16, 12, 3)


def test_the_order_of_the_others_keeps_its_sequence():
    assert without((2, 0, 1), 0) == (2, 1)


def test_orders_that_are_alike_without_a_passage_are_scored_once():
    """Of three passages: two orders, and what is left of them without each: (0,1), (0,2), (1,2), reversed."""
    found = with_gaps(orders(3, 2))
    assert found == ((0, 1, 2), (1, 2), (0, 2), (0, 1), (2, 1, 0), (2, 1), (2, 0), (1, 0))
    assert len(with_gaps([(0, 1, 2), (1, 2, 0)])) == 7  # without passage 0 both are (1, 2)


@pytest.mark.parametrize(("order", "plain"), [((), True), ((2,), True), ((0, 3), True), ((1, 0), False)])
def test_an_order_along_the_context_is_a_plain_coalition(order, plain):
    assert follows_context(order) is plain


@given(st.permutations(range(14)))
def test_a_name_reads_back(order):
    assert order_of(order_name(tuple(order))) == tuple(order)
    assert order_of(order_name(())) == ()
