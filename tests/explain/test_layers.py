"""Designs of complementary pairs in layers of size."""

from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boresight.explain.shapley import exact_shapley
from boresight.explain.shapley.layers import exact_from_pairs, layered_design, population_weights


def design_of(n, budget, seed=0, **options):
    return layered_design(n, budget, np.random.default_rng(seed), **options)


@given(st.integers(0, 9), st.integers(2, 600), st.integers(0, 99), st.booleans())
@settings(max_examples=80, deadline=None)
def test_a_design_lists_each_coalition_once_within_its_budget_and_with_its_complement(
    n, budget, seed, outer_first
):
    design = design_of(n, budget, seed, outer_first=outer_first)
    rows = {tuple(row) for row in design.coalitions.tolist()}
    assert len(rows) == len(design.coalitions) <= min(budget, 2**n)
    assert len(rows) >= min(budget - 1, 2**n)
    assert {tuple(not present for present in row) for row in rows} == rows


def test_the_outermost_layer_comes_first_and_the_others_share_alike():
    assert design_of(8, 32).drawn.tolist() == [8, 3, 3, 1]  # 15 pairs; the middle layer has half as many
    assert design_of(8, 64).drawn.tolist() == [8, 9, 9, 5]
    assert design_of(8, 32, outer_first=False).drawn.tolist() == [5, 4, 4, 2]
    assert design_of(8, 16).drawn.tolist() == [7, 0, 0, 0]


@given(st.integers(2, 12), st.integers(4, 200), st.integers(0, 200), st.integers(0, 99))
@settings(max_examples=50, deadline=None)
def test_a_smaller_budget_gives_a_part_of_a_larger_one(n, budget, more, seed):
    small, large = design_of(n, budget, seed), design_of(n, budget + more, seed)
    assert {row.tobytes() for row in small.coalitions} <= {row.tobytes() for row in large.coalitions}


def test_layers_hold_all_pairs_once_their_sizes_are_drawn_out():
    design = design_of(6, 64)
    assert design.complete
    assert design.population.tolist() == [6, 15, 10]
    assert not design_of(6, 62).complete


def test_large_layers_are_drawn_without_repeats_or_listing():
    design = design_of(40, 800)
    assert len(np.unique(design.coalitions, axis=0)) == 800
    assert design.population[-1] == comb(40, 20) / 2


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_weights_of_all_pairs_give_the_exact_values(n, masks):
    table = np.random.default_rng(n).normal(size=(2**n, 3))
    design = design_of(n, 2**n)
    found = exact_from_pairs(design, table[masks(design.coalitions)])
    assert np.allclose(found, exact_shapley(table), rtol=0, atol=1e-12)


def test_weights_of_pairs_sum_to_zero_over_players():
    assert np.allclose(population_weights(design_of(7, 60)).sum(axis=0), 0, atol=1e-15)


def test_more_than_a_thousand_players_are_refused():
    with pytest.raises(ValueError, match="up to 1,000 players, got 1,001"):
        design_of(1_001, 4_000)
