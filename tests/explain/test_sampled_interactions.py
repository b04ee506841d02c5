"""Pairwise interactions from sampled coalitions."""

import numpy as np
import pytest

from boresight.explain.shapley import kriging_design
from boresight.explain.shapley.interactions import pairwise_interactions
from boresight.explain.shapley.sampled_interactions import faithful_interactions, sampled_interactions


def design_of(n, budget, seed=0):
    return kriging_design(n, budget, np.random.default_rng(seed))


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8])
def test_all_coalitions_give_the_exact_index(n, masks):
    table = np.random.default_rng(n).normal(size=(2**n, 2))
    design = design_of(n, 2**n)
    found = sampled_interactions(design, table[masks(design.coalitions)])
    assert np.allclose(found.interaction, pairwise_interactions(table), rtol=0, atol=1e-12)
    assert found.reason == "every coalition was evaluated: the values are exact"


def pairs_game(rows):
    """Three passages, two of which need each other, two of which are as good as one; 10 players."""
    return rows[:, 0] * 1.0 + 2 * rows[:, 1] * rows[:, 2] - 3 * rows[:, 4] * rows[:, 9]


def test_a_game_of_pairs_is_recovered():
    design = design_of(10, 200)
    found = sampled_interactions(design, pairs_game(design.coalitions))
    expected = np.zeros((10, 10))
    expected[1, 2] = expected[2, 1] = 2.0
    expected[4, 9] = expected[9, 4] = -3.0
    assert np.allclose(found.interaction, expected, rtol=0, atol=1e-3)


def test_few_pairs_give_the_index_without_an_interval(masks, rough_game):
    for budget, has_interval in ((140, False), (142, True)):  # 69 and 70 pairs for 28 parameters
        design = design_of(8, budget)
        found = sampled_interactions(design, rough_game[masks(design.coalitions)])
        assert (found.low is not None) is has_interval
        assert (found.interaction == found.interaction.transpose(1, 0, 2)).all()
        assert not found.interaction[range(8), range(8)].any()


def test_intervals_cover_near_their_nominal_rate(masks, rough_game):
    exact, (first, second) = pairwise_interactions(rough_game), np.triu_indices(8, 1)
    hits = []
    for seed in range(100):
        design = design_of(8, 180, seed)
        found = sampled_interactions(design, rough_game[masks(design.coalitions)])
        hits.append(((found.low <= exact) & (exact <= found.high))[first, second])
    assert 0.92 <= np.mean(hits) <= 0.98


def test_the_faithful_index_of_a_game_of_pairs_is_that_game():
    design = design_of(10, 120)
    found = faithful_interactions(design, pairs_game(design.coalitions))
    assert np.allclose(found.single, [1, *[0] * 9], rtol=0, atol=1e-8)
    assert found.pair[1, 2] == pytest.approx(2.0)
    assert found.pair[4, 9] == pytest.approx(-3.0)


def test_the_faithful_index_agrees_with_the_ends(masks, rough_game):
    design = design_of(8, 160)
    found = faithful_interactions(design, rough_game[masks(design.coalitions)])
    total = found.single.sum(axis=0) + found.pair.sum(axis=(0, 1)) / 2
    assert np.allclose(total, rough_game[-1] - rough_game[0], rtol=0, atol=1e-8)


def test_the_faithful_index_needs_as_many_coalitions_as_coefficients():
    assert faithful_interactions(design_of(8, 36), np.zeros(36)) is None  # 36 coefficients beside v(empty)
    assert faithful_interactions(design_of(8, 38), np.zeros(38)) is not None


def test_more_players_than_can_be_solved_for_are_refused():
    with pytest.raises(ValueError, match="up to 64 players, got 65"):
        sampled_interactions(design_of(65, 130), np.zeros(130))
