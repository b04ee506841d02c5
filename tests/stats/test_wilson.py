"""Wilson's interval: against scipy, by enumeration, by simulation."""

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from boresight.stats.wilson import wilson_interval


@pytest.mark.parametrize(("successes", "n"), [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (250, 1000)])
@pytest.mark.parametrize("level", [0.95, 0.5])
def test_the_interval_is_that_of_scipy(successes, n, level):
    found = wilson_interval(successes, n, level)
    theirs = binomtest(successes, n).proportion_ci(level, method="wilson")
    assert found.value == successes / n
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)


def test_five_of_ten_by_hand():
    """0.5 -+ z sqrt(0.25 / 10 + z^2 / 400) / (1 + z^2 / 10) with z^2 = 3.841459."""
    found = wilson_interval(5, 10)
    assert (found.low, found.high) == pytest.approx((0.236593, 0.763407), abs=1e-6)


def test_rates_of_zero_and_one_end_there_exactly_and_keep_their_width():
    for n in range(1, 200):
        none, every = wilson_interval(0, n), wilson_interval(n, n)
        assert none.low == 0.0
        assert every.high == 1.0
        assert none.high == pytest.approx(1 - every.low) == pytest.approx(3.841459 / (n + 3.841459))


def test_no_trial_has_no_rate():
    found = wilson_interval(0, 0)
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.reason == "there is no trial to take a rate of"


@pytest.mark.parametrize("counts", [(-1, 3), (4, 3), (0, -1)])
def test_counts_that_contradict_each_other_are_refused(counts):
    with pytest.raises(ValueError, match="successes must be between 0 and n"):
        wilson_interval(*counts)


@pytest.mark.parametrize("n", [0, 5])
def test_a_level_out_of_range_is_refused(n):
    with pytest.raises(ValueError, match="level must be"):
        wilson_interval(0, n, 95)


@pytest.mark.parametrize("n", [10, 30, 100])
def test_over_all_rates_the_coverage_is_near_the_level(n):
    """Enumerated: it swings with the rate, which whole numbers force, and is right on average."""
    rates = np.linspace(0.05, 0.95, 181)
    found = [wilson_interval(successes, n) for successes in range(n + 1)]
    held = np.array([(interval.low <= rates) & (rates <= interval.high) for interval in found])
    coverage = (binom.pmf(np.arange(n + 1)[:, None], n, rates) * held).sum(axis=0)
    assert coverage.mean() == pytest.approx(0.95, abs=0.008)
    assert coverage.min() > 0.87


@pytest.mark.parametrize(("n", "rate"), [(10, 0.1), (40, 0.5), (100, 0.02)])
def test_the_interval_covers_as_often_as_enumeration_says(n, rate, check_coverage):
    table = [wilson_interval(successes, n) for successes in range(n + 1)]
    expected = sum(binom.pmf(k, n, rate) for k in range(n + 1) if table[k].low <= rate <= table[k].high)
    drawn = np.random.default_rng(n).binomial(n, rate, size=2000)
    check_coverage([table[successes] for successes in drawn], rate, expected)
    assert 0.9 < expected < 0.99
