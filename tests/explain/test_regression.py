"""Least-squares estimators: leverage, kernel and Banzhaf values, and the jackknife they share."""

import numpy as np
import pytest

from boresight.explain.shapley import attribute, exact_shapley
from boresight.explain.shapley.banzhaf import BanzhafEstimator, exact_banzhaf
from boresight.explain.shapley.fit import LayeredSample
from boresight.explain.shapley.regression import KernelEstimator, LeverageEstimator


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("estimator", [LeverageEstimator(), KernelEstimator()])
@pytest.mark.parametrize("budget", [16, 40, 100])
def test_attributions_sum_to_the_whole_and_recover_an_additive_game(estimator, budget, masks, rough_game):
    design = estimator.design(8, budget, rng())
    assert len(design.coalitions) == budget
    found = estimator.estimate(design, rough_game[masks(design.coalitions)])
    assert np.allclose(found.attribution.sum(axis=0), rough_game[-1] - rough_game[0], rtol=0, atol=1e-5)
    weights = np.arange(8.0)
    if budget > 16:
        line = estimator.estimate(design, design.coalitions @ weights).attribution
        assert np.allclose(line, weights, rtol=0, atol=1e-6)


@pytest.mark.parametrize("estimator", [LeverageEstimator(), KernelEstimator()])
def test_all_coalitions_give_the_exact_shapley_values(estimator, masks, rough_game):
    design = estimator.design(8, 256, rng())
    found = estimator.estimate(design, rough_game[masks(design.coalitions)])
    assert np.allclose(found.attribution, exact_shapley(rough_game), rtol=0, atol=1e-12)
    assert found.reason == "every coalition was evaluated: the values are exact"


@pytest.mark.parametrize(("estimator", "least"), [(LeverageEstimator(), 21), (BanzhafEstimator(), 32)])
def test_an_interval_needs_its_pairs_and_says_how_many(estimator, least):
    short, enough = (estimator.design(8, 2 * pairs + 2, rng()) for pairs in (least - 1, least))
    assert estimator.estimate(enough, rng().normal(size=2 * least + 2)).low is not None
    found = estimator.estimate(short, rng().normal(size=2 * least))
    assert found.reason == (
        f"an interval needs {least} pairs of coalitions, and the budget pays for {least - 1}"
    )


@pytest.mark.parametrize(
    ("estimator", "exact"), [(LeverageEstimator(), exact_shapley), (BanzhafEstimator(), exact_banzhaf)]
)
def test_intervals_cover_near_their_nominal_rate(estimator, exact, masks, rough_game):
    truth, hits = exact(rough_game), []
    for seed in range(300):
        design = estimator.design(8, 100, rng(seed))
        found = estimator.estimate(design, rough_game[masks(design.coalitions)])
        hits.append((found.low <= truth) & (truth <= found.high))
    assert 0.92 <= np.mean(hits) <= 0.98


def test_kernel_never_claims_an_interval(masks, rough_game):
    design = KernelEstimator().design(8, 128, rng())
    found = KernelEstimator().estimate(design, rough_game[masks(design.coalitions)])
    assert found.low is None
    assert "with replacement" in found.reason
    assert design.times.sum() > len(design.times)


def test_banzhaf_values_by_hand():
    """v is 1 with both players, 3 with the second alone: the first adds 0 and -2, the second 3 and 1."""
    table = np.array([0.0, 0.0, 3.0, 1.0])
    assert exact_banzhaf(table).tolist() == [-1.0, 2.0]
    assert attribute(lambda rows: table[rows @ [1, 2]], 2, "banzhaf", budget=4).values == pytest.approx(
        [-1, 2]
    )


@pytest.mark.parametrize("n", [14, 20])
def test_banzhaf_of_many_players_draws_distinct_pairs(n):
    design = BanzhafEstimator().design(n, 400, rng())
    assert len(np.unique(design.coalitions, axis=0)) == 400


def test_the_jackknife_of_one_layer_is_the_textbook_error_of_a_mean():
    heights = rng(1).normal(size=(6, 2))
    sample = LayeredSample(np.ones((6, 1)), np.full(6, 5.0), np.zeros(6, int), np.array([30.0]))
    overstated = 1 / 12 * (1 - 6 / 30)
    expected = heights.std(axis=0, ddof=1) / np.sqrt(6) * np.sqrt((1 - 6 / 30) * (1 - overstated))
    assert sample.solve(heights)[0] == pytest.approx(heights.mean(axis=0))
    assert sample.error(heights)[0] == pytest.approx(expected)
    assert sample.freedom() == pytest.approx([5.0])


def test_a_layer_drawn_whole_adds_no_error():
    heights = rng(1).normal(size=(4, 1))
    sample = LayeredSample(np.ones((4, 1)), np.ones(4), np.zeros(4, int), np.array([4.0]))
    assert sample.error(heights).tolist() == [[0.0]]
