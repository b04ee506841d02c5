"""The t interval: against scipy, by hand, and by coverage."""

import numpy as np
import pytest
from scipy.stats import t

from boresight.stats.quantiles import t_reaches
from boresight.stats.t import t_interval


def test_three_samples_by_hand():
    """Mean 2, standard error 1 / sqrt(3), t quantile of two degrees of freedom 4.302653."""
    found = t_interval([1.0, 2.0, 3.0])
    assert found.value == 2.0
    assert found.low == pytest.approx(2 - 4.302653 / np.sqrt(3), abs=1e-6)
    assert found.high == pytest.approx(2 + 4.302653 / np.sqrt(3), abs=1e-6)


def test_each_element_has_the_interval_that_scipy_gives_it():
    samples = np.random.default_rng(0).normal(size=(6, 2, 3))
    found = t_interval(samples, level=0.9)
    error = samples.std(axis=0, ddof=1) / np.sqrt(6)
    low, high = t.interval(0.9, 5, loc=samples.mean(axis=0), scale=error)
    np.testing.assert_allclose(found.low, low, rtol=1e-12)
    np.testing.assert_allclose(found.high, high, rtol=1e-12)


def test_one_sample_has_a_mean_and_no_interval():
    found = t_interval([[1.0, 2.0]])
    assert found.value.tolist() == [1.0, 2.0]
    assert found.low is None
    assert found.high is None
    assert found.reason == "one sample says nothing about spread"


def test_equal_samples_have_an_interval_without_width():
    found = t_interval([[3.0], [3.0], [3.0]])
    assert found.low.tolist() == found.value.tolist() == found.high.tolist() == [3.0]


@pytest.mark.parametrize("k", [2, 5, 20])
@pytest.mark.parametrize("level", [0.95, 0.5])
def test_the_interval_covers_as_often_as_it_says(k, level):
    """2,000 data sets at once; four standard errors of a binomial around the level."""
    found = t_interval(np.random.default_rng(k).normal(size=(k, 2000)), level)
    covered = np.mean((found.low <= 0) & (found.high >= 0))
    assert covered == pytest.approx(level, abs=4 * np.sqrt(level * (1 - level) / 2000))


@pytest.mark.parametrize("samples", [[], 1.0, [np.nan, 1.0], [[np.inf], [1.0]]])
def test_samples_without_a_mean_are_refused(samples):
    with pytest.raises(ValueError, match="an interval needs"):
        t_interval(samples)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_out_of_range_is_refused(level):
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        t_interval([1.0, 2.0], level)


def test_quantiles_of_many_degrees_of_freedom_at_once():
    reaches = t_reaches(np.array([0.2, 1.0, 3.0, 1e9]))
    assert reaches == pytest.approx([12.7062, 12.7062, 3.182446, 1.959964], rel=1e-5)
    assert t_reaches(8.5, level=0.9).shape == ()
