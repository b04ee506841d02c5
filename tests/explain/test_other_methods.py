"""Leave-one-out, Monte-Carlo fits, LIME and ContextCite."""

import numpy as np
import pytest

from boresight.explain.shapley import ESTIMATORS, attribute, exact_shapley
from boresight.explain.shapley.estimands import ESTIMANDS
from boresight.explain.shapley.montecarlo import MonteCarloEstimator
from boresight.explain.shapley.surrogate import exact_contextcite, exact_lime


def rng(seed=0):
    return np.random.default_rng(seed)


def members(n):
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)


@pytest.fixture
def answer_game(rough_game):
    """Log-probabilities of an answer, summed over its tokens."""
    return rough_game.sum(axis=1) - rough_game.sum(axis=1).max() - 0.1


def test_every_method_names_an_estimand_that_a_table_gives(answer_game):
    for name, estimator in ESTIMATORS.items():
        found = attribute(lambda rows: answer_game[rows @ (1 << np.arange(8))], 8, name)
        assert found.estimand == estimator.estimand
        assert ESTIMANDS[found.estimand](answer_game).shape == found.values.shape == (8,)


@pytest.mark.parametrize("name", ["leverage", "banzhaf", "lime", "contextcite", "loo"])
def test_a_method_that_sees_everything_gives_its_estimand(name, answer_game):
    found = attribute(lambda rows: answer_game[rows @ (1 << np.arange(8))], 8, name, budget=256)
    assert np.allclose(found.values, ESTIMANDS[found.estimand](answer_game), rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name not in ("exact", "loo")])
def test_a_seed_decides_everything_byte_by_byte(name, answer_game):
    def value(rows):
        return answer_game[rows @ (1 << np.arange(8))]

    first, again, other = (attribute(value, 8, name, budget=60, seed=seed) for seed in (3, 3, 4))
    assert first.values.tobytes() == again.values.tobytes() != other.values.tobytes()


def test_leave_one_out_is_what_absence_costs():
    table = np.array([0.0, 1.0, 2.0, 7.0])
    found = attribute(lambda rows: table[rows @ [1, 2]], 2, "loo")
    assert (found.values.tolist(), found.calls, found.estimand) == ([5.0, 6.0], 4, "leave_one_out")
    assert "efficiency_gap" not in found.diagnostics


def test_twins_get_nothing_by_leave_one_out_and_half_each_by_shapley():
    found = attribute(lambda rows: rows[:, :2].any(axis=1) * 1.0, 3, "loo")
    assert found.values.tolist() == [0.0, 0.0, 0.0]
    assert exact_shapley(members(3)[:, :2].any(axis=1)).tolist() == [0.5, 0.5, 0.0]


@pytest.mark.parametrize("paired", [True, False])
def test_the_published_pool_has_twenty_coalitions_and_parts_of_eight(paired):
    design = MonteCarloEstimator(paired=paired).design(5, 20, rng())
    assert len(np.unique(design.coalitions, axis=0)) == 20
    assert design.parts.shape == (200, 8)
    assert (design.parts >= 2).all()  # never the empty and the grand coalition
    assert all(len(set(part)) == 8 for part in design.parts.tolist())
    if paired:
        rows = design.coalitions[design.parts].reshape(200, 4, 2, 5)
        assert (rows[:, :, 0] != rows[:, :, 1]).all()


def test_one_fit_of_everything_is_the_kernel_regression_with_free_intercept():
    """Two players: the fit sees {0} and {1} only, so its ridge leaves half of their difference to each."""
    table = np.array([0.0, 1.0, 3.0, 9.0])
    estimator = MonteCarloEstimator(paired=True, draws=1)
    design = estimator.design(2, 4, rng())
    found = estimator.estimate(design, table[design.coalitions @ [1, 2]])
    # Kernel weight 1/2 of both rows, ridge 0.001: slopes -b and b with b = 0.5 / (0.5 + 0.001).
    assert found.attribution == pytest.approx([-0.998003992, 0.998003992])
    assert found.low is None
    assert "one pool" in found.reason


def test_contextcite_reads_log_odds_and_counts_saturated_values():
    """One player that turns an even chance into certainty: log-odds 0 and 16.6, standardised by 1/2."""
    table = np.array([np.log(0.5), 0.0])
    found = attribute(lambda rows: table[rows.astype(int)[:, 0]], 1, "contextcite", budget=2)
    ceiling = np.log((1 - 2.0**-24) / 2.0**-24)
    assert found.values == pytest.approx([2 * (ceiling / 2 - 0.01)], rel=1e-6)
    assert found.diagnostics["interval"].endswith("1 values are at probability one")


def test_contextcite_leaves_out_what_matters_less_than_its_penalty():
    table = -1.0 + members(4) @ np.array([0.5, 0.0, 0.001, -0.3])
    found = exact_contextcite(table)
    assert found[1] == found[2] == 0.0
    assert found[0] > 0 > found[3]


def test_contextcite_refuses_what_is_no_log_probability():
    with pytest.raises(ValueError, match=r"at most 0; the largest value is 0\.25"):
        attribute(lambda rows: rows @ [0.25, 0.0], 2, "contextcite", budget=4)


def test_lime_by_hand_for_one_player():
    """Weights 1 and exp(-8) for presence and absence, ridge 1: slope = g / (g + 1) of the difference."""
    absent = np.exp(-((100 / 25) ** 2) / 2)
    spread = absent / (1 + absent)
    assert exact_lime(np.array([0.0, 2.0])) == pytest.approx([2 * spread / (spread + 1)])


@pytest.mark.parametrize("name", ["mcshap", "pmcshap", "lime", "contextcite", "loo", "banzhaf", "kernel"])
def test_too_small_a_budget_is_refused_by_name(name):
    with pytest.raises(ValueError, match=r"a budget of 2 is too small for 6 players: \S+ needs at least"):
        attribute(lambda rows: -rows.sum(axis=1), 6, name, budget=2)
