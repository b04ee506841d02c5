"""Upper bounds of a mean loss: closed forms, and how often they fail when the risk is known."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from boresight.errors import SpecError
from boresight.measure.risk import bound_risk, fewest, hoeffding_bentkus, p_value, shifted_risk

CALIBRATIONS = 2_000


@pytest.mark.parametrize(("n", "delta"), [(22, 0.1), (100, 0.1), (100, 0.01)])
def test_without_a_loss_the_bound_is_one_minus_a_root(n, delta):
    assert hoeffding_bentkus(0.0, n, delta) == pytest.approx(1 - delta ** (1 / n), abs=1e-12)
    assert bound_risk([0.0] * n, delta).bound == pytest.approx(1 - delta ** (1 / n), abs=1e-12)


def test_all_losses_leave_no_bound():
    assert bound_risk([1.0] * 30).bound == 1.0


def test_the_smaller_of_both_tails_decides():
    """30 of 100 at alpha 0.4: Hoeffding's exponent by hand, Bentkus' binomial from scipy."""
    divergence = 0.3 * math.log(0.3 / 0.4) + 0.7 * math.log(0.7 / 0.6)
    bentkus = math.e * binom.cdf(30, 100, 0.4)
    assert bentkus < math.exp(-100 * divergence)
    assert p_value(0.3, 100, 0.4) == pytest.approx(bentkus)
    few = math.exp(-100 * (0.01 * math.log(0.01 / 0.02) + 0.99 * math.log(0.99 / 0.98)))
    assert p_value(0.01, 100, 0.02) == pytest.approx(few)


def test_the_bound_is_where_the_p_value_reaches_delta():
    alpha = hoeffding_bentkus(0.3, 100, 0.1)
    assert p_value(0.3, 100, alpha) <= 0.1 < p_value(0.3, 100, alpha - 1e-6)


@given(st.integers(0, 60), st.sampled_from([0.01, 0.1, 0.5]))
def test_a_bound_lies_above_the_risk_and_rises_with_it(count, delta):
    lower, upper = (hoeffding_bentkus(some / 61, 61, delta) for some in (count, count + 1))
    assert count / 61 <= lower <= upper <= 1.0


def draws(kind, n, rng):
    """Losses of one calibration and their true mean."""
    if kind == "rare":
        return (rng.random(n) < 0.05).astype(float), 0.05
    if kind == "common":
        return (rng.random(n) < 0.4).astype(float), 0.4
    return rng.beta(0.5, 1.5, n), 0.25


@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize("kind", ["rare", "common", "graded"])
def test_simulated_calibrations_violate_the_bound_at_most_at_the_stated_rate(kind, n):
    rng = np.random.default_rng([n, len(kind)])
    violated = 0
    for _ in range(CALIBRATIONS):
        losses, true = draws(kind, n, rng)
        # The bound is below the true risk exactly when that is refuted: no bisection is needed.
        violated += p_value(float(losses.mean()), n, true) <= 0.1
    assert violated / CALIBRATIONS <= 0.1


def test_the_p_value_and_the_bound_refute_the_same_risks():
    rng = np.random.default_rng(3)
    for _ in range(100):
        losses, true = draws("common", 40, rng)
        refuted = p_value(float(losses.mean()), 40, true) <= 0.1
        assert (bound_risk(losses.tolist()).bound <= true) == refuted


def test_a_bound_is_not_idle():
    """On 1,000 traces it is within five points of the risk."""
    assert hoeffding_bentkus(0.2, 1000, 0.1) < 0.25


@pytest.mark.parametrize(("delta", "least"), [(0.1, 22), (0.05, 29), (0.01, 44)])
def test_too_few_traces_are_refused(delta, least):
    assert fewest(delta) == least
    with pytest.raises(
        SpecError, match=rf"needs at least {least} traces with a value, there are {least - 1}"
    ):
        bound_risk([0.0] * (least - 1), delta)
    assert bound_risk([0.0] * least, delta).bound <= 0.1


def test_the_empirical_risk_under_a_shift_by_hand():
    """Distance 0.1, risk 0.2, variance 0.16, 100 traces, delta 0.1."""
    shift = 0.01 * 1.99 * 0.8 + 0.2 * 0.99 * math.sqrt(1.99) * 0.4
    spread = 0.99 / math.sqrt(200) + 0.2 * math.sqrt(2 * 1.99) / math.sqrt(99)
    sampling = 0.99 * spread * math.sqrt(math.log(40)) + math.sqrt(math.log(80) / 200)
    assert shifted_risk(0.2, 0.16, 100, 0.1, 0.1) == pytest.approx(0.2 + shift + sampling)
    assert shifted_risk(0.9, 0.09, 100, 0.9, 0.1) == 1.0


def test_a_bound_for_shifted_traces_is_larger():
    losses = [0.0] * 450 + [1.0] * 50
    plain, near, far = (bound_risk(losses, shift=shift).bound for shift in (0.0, 0.02, 0.1))
    assert plain < near < far < 1.0


@pytest.mark.parametrize(
    ("given_", "match"),
    [
        (([0.5] * 30, 0.0), "delta must be between 0 and 1"),
        (([0.5] * 30, 1.0), "delta must be between 0 and 1"),
        (([0.5] * 30 + [1.5],), "must lie between 0 and 1, got 1.5"),
        (([0.5] * 30 + [math.nan],), "must lie between 0 and 1, got nan"),
        (([0.5] * 30, 0.1, 1.0), "Hellinger distance"),
    ],
)
def test_what_is_out_of_range_is_refused(given_, match):
    with pytest.raises(SpecError, match=match):
        bound_risk(*given_)
