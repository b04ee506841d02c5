"""Pairwise interactions: closed forms, the definition by enumeration, and what must hold for any game."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boresight.explain.shapley import exact_shapley
from boresight.explain.shapley.interactions import pairwise_interactions
from boresight.testing import toy_games

numbers = st.floats(-100, 100, width=32)
tables = st.tuples(st.integers(2, 5), st.integers(1, 2)).flatmap(
    lambda size: arrays(np.float64, (2 ** size[0], size[1]), elements=numbers)
)


def close(a, b):
    return np.allclose(a, b, rtol=0, atol=1e-10)


def by_definition(table):
    n = len(table).bit_length() - 1
    index = np.zeros((n, n, *table.shape[1:]))
    for i, j in combinations(range(n), 2):
        others = [1 << k for k in range(n) if k not in (i, j)]
        for size in range(n - 1):
            weight = factorial(size) * factorial(n - size - 2) / factorial(n - 1)
            for chosen in combinations(others, size):
                s = sum(chosen)
                delta = table[s | 1 << i | 1 << j] - table[s | 1 << i] - table[s | 1 << j] + table[s]
                index[i, j] += weight * delta
        index[j, i] = index[i, j]
    return index


def play(game):
    return game.value(toy_games.all_coalitions(game.players))


@pytest.mark.parametrize("players", [2, 3, 5])
def test_twins_have_minus_one_and_two_hops_plus_one(players):
    expected = np.zeros((players, players))
    expected[0, 1] = expected[1, 0] = 1
    assert close(pairwise_interactions(play(toy_games.two_hop(players))), expected)
    assert close(pairwise_interactions(play(toy_games.duplicate_pair(players))), -expected)


def test_three_clones_share_the_redundancy():
    """Alone with i: -1 without the third, 0 with it, each with weight one half."""
    assert close(pairwise_interactions(play(toy_games.any_helps(3))), -0.5 * (1 - np.eye(3)))


def test_an_additive_game_has_none():
    assert close(pairwise_interactions(play(toy_games.additive([3.0, -1.0, 0.5, 2.0]))), np.zeros((4, 4)))


@given(tables)
def test_they_are_those_of_the_definition(table):
    assert close(pairwise_interactions(table), by_definition(table))


@given(tables)
def test_they_are_symmetric_with_an_empty_diagonal(table):
    index = pairwise_interactions(table)
    assert (index == index.swapaxes(0, 1)).all()
    assert (np.einsum("iit->it", index) == 0).all()


@given(tables)
def test_tokens_are_independent_and_add_up(table):
    index = pairwise_interactions(table)
    assert close(index.sum(axis=2), pairwise_interactions(table.sum(axis=1)))


@given(tables, st.integers(0, 4))
def test_a_player_that_changes_nothing_interacts_with_none_exactly(table, place):
    n = len(table).bit_length()
    place = min(place, n - 1)
    masks = np.arange(2**n)
    below = masks & ((1 << place) - 1)
    widened = table[masks >> (place + 1) << place | below]
    assert (pairwise_interactions(widened)[place] == 0).all()


@given(tables)
def test_an_interaction_is_the_change_of_one_share_when_the_other_joins(table):
    """I_ij = phi_i of the game in which j is always there, minus phi_i of the game without j."""
    n = len(table).bit_length() - 1
    half = len(table) // 2
    j = n - 1
    change = exact_shapley(table[half:]) - exact_shapley(table[:half])
    assert close(pairwise_interactions(table)[:j, j], change)


@pytest.mark.parametrize("players", [0, 1])
def test_below_two_players_there_is_no_pair(players):
    assert (
        pairwise_interactions(np.ones((2**players, 3))).tolist() == np.zeros((players, players, 3)).tolist()
    )


def test_a_table_that_is_not_whole_is_refused():
    with pytest.raises(ValueError, match="2\\^n"):
        pairwise_interactions(np.zeros(3))
