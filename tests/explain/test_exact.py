"""Exact Shapley values: axioms, closed forms, and two independent ways to the same numbers."""

from itertools import combinations, permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from boresight.explain.shapley import efficiency_gap, exact_shapley

numbers = st.floats(-100, 100, width=32)
tables = st.tuples(st.integers(1, 5), st.integers(1, 3)).flatmap(
    lambda size: arrays(np.float64, (2 ** size[0], size[1]), elements=numbers)
)


def close(a, b):
    return np.allclose(a, b, rtol=0, atol=1e-11)


def table_of(n, value):
    """The table of a game given as a function of a set of players."""
    return np.array([value({i for i in range(n) if mask >> i & 1}) for mask in range(2**n)], dtype=float)


def by_orders(table):
    n = len(table).bit_length() - 1
    phi = np.zeros((n, *table.shape[1:]))
    for order in permutations(range(n)):
        mask = 0
        for i in order:
            phi[i] += table[mask | 1 << i] - table[mask]
            mask |= 1 << i
    return phi / factorial(n)


def by_subsets(table):
    n = len(table).bit_length() - 1
    phi = np.zeros((n, *table.shape[1:]))
    for i in range(n):
        others = [j for j in range(n) if j != i]
        for size in range(n):
            weight = factorial(size) * factorial(n - size - 1) / factorial(n)
            for members in combinations(others, size):
                mask = sum(1 << j for j in members)
                phi[i] += weight * (table[mask | 1 << i] - table[mask])
    return phi


@given(tables)
def test_equals_the_mean_over_all_orders_and_the_sum_over_all_subsets(table):
    phi = exact_shapley(table)
    assert close(phi, by_orders(table))
    assert close(phi, by_subsets(table))


@given(tables)
def test_efficiency_holds_for_each_token(table):
    assert close(exact_shapley(table).sum(axis=0), table[-1] - table[0])


@given(tables, st.data())
def test_players_that_may_be_exchanged_get_the_same(table, data):
    n = len(table).bit_length() - 1
    i, j = data.draw(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)))
    masks = np.arange(len(table))
    swapped = masks & ~(1 << i | 1 << j) | (masks >> i & 1) << j | (masks >> j & 1) << i
    phi = exact_shapley(table + table[swapped])
    assert np.allclose(phi[i], phi[j], rtol=0, atol=1e-12 * 400)


@given(tables, st.data())
def test_a_player_that_changes_nothing_gets_exactly_zero(table, data):
    n = len(table).bit_length() - 1
    i = data.draw(st.integers(0, n - 1))
    deaf = table[np.arange(len(table)) & ~(1 << i)]
    assert (exact_shapley(deaf)[i] == 0).all()


@given(tables, numbers, st.randoms(use_true_random=False))
def test_is_linear(table, factor, random):
    other = table[random.sample(range(len(table)), len(table))]
    together = exact_shapley(factor * table + other)
    expected = factor * exact_shapley(table) + exact_shapley(other)
    assert np.allclose(together, expected, rtol=0, atol=1e-9)


@given(tables)
def test_each_token_is_a_game_of_its_own(table):
    assert close(exact_shapley(table[:, -1]), exact_shapley(table)[:, -1])


@pytest.mark.parametrize(
    ("n", "value", "expected"),
    [
        (3, lambda s: 4 + sum((1.0, -2.0, 5.0)[i] for i in s), [1, -2, 5]),
        (2, bool, [0.5, 0.5]),
        (2, lambda s: s == {0, 1}, [0.5, 0.5]),
        (4, lambda s: s >= {0, 2, 3}, [1 / 3, 0, 1 / 3, 1 / 3]),
        (3, lambda s: min(len(s & {0}), len(s & {1, 2})), [2 / 3, 1 / 6, 1 / 6]),
        (3, lambda s: len(s) >= 2, [1 / 3, 1 / 3, 1 / 3]),
    ],
    ids=["additive", "or", "and", "unanimity", "glove", "majority"],
)
def test_closed_form_games(n, value, expected):
    assert np.allclose(exact_shapley(table_of(n, value)), expected, rtol=0, atol=1e-14)


def test_a_constant_game_gives_exact_zeros():
    assert (exact_shapley(np.full((16, 3), -123.4)) == 0).all()


@pytest.mark.parametrize("n", [0, 1])
def test_games_of_no_and_of_one_player(n):
    table = np.array([[2.0, 3.0], [5.0, -1.0]])[: 2**n]
    assert exact_shapley(table).tolist() == [[3.0, -4.0]][:n]


def test_twenty_players_keep_their_precision():
    sizes = np.array([mask.bit_count() for mask in range(2**20)])
    phi = exact_shapley(np.where(sizes >= 7, -300.0, -310.0))
    assert np.allclose(phi, 0.5, rtol=0, atol=1e-12)


@pytest.mark.parametrize("rows", [0, 3, 6])
def test_a_table_with_missing_rows_is_refused(rows):
    with pytest.raises(ValueError, match=f"needs 2\\^n rows, one for each coalition, got {rows}"):
        exact_shapley(np.zeros(rows))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_refused(bad):
    with pytest.raises(ValueError, match=r"must be finite, got .* in row 2"):
        exact_shapley([0.0, 0.0, bad, 0.0])


def test_the_efficiency_gap_is_the_largest_over_tokens():
    values = np.array([[0.0, 1.0], [9.0, 9.0], [9.0, 9.0], [3.0, 5.0]])
    assert efficiency_gap(values, [[1.0, 2.0], [1.5, 2.0]]) == 0.5
    assert efficiency_gap(values, exact_shapley(values)) < 1e-14


def test_the_efficiency_gap_of_other_shapes_is_refused():
    with pytest.raises(ValueError, match="do not belong together"):
        efficiency_gap(np.zeros((4, 2)), np.zeros(2))
