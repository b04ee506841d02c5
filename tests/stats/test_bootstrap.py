"""The bootstrap interval of a mean: what it is, and that it covers."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from boresight.stats.bootstrap import mean_interval


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_mean_is_the_mean():
    assert mean_interval([1.0, 2.0, 6.0], rng()).mean == 3.0


def test_one_value_has_a_mean_and_no_interval():
    found = mean_interval([4.0], rng())
    assert (found.mean, found.low, found.high) == (4.0, None, None)


def test_equal_values_have_an_interval_without_width():
    found = mean_interval([0.1] * 7, rng())
    assert found.low == found.mean == found.high


def test_two_values_resample_to_three_means():
    """Means 0, 1/2 and 1 with probabilities 1/4, 1/2, 1/4: the middle half ends at 0 and 1 or inside."""
    found = mean_interval([0.0, 1.0], rng(), level=0.95)
    assert (found.low, found.high) == (0.0, 1.0)
    inner = mean_interval([0.0, 1.0], rng(), level=0.4)
    assert (inner.low, inner.high) == (0.5, 0.5)


def test_the_interval_agrees_with_scipy():
    values = rng(1).gamma(2.0, size=40)
    ours = mean_interval(values, rng(2), draws=20_000)
    theirs = bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=rng(3)
    ).confidence_interval
    assert ours.low == pytest.approx(theirs.low, abs=0.02)
    assert ours.high == pytest.approx(theirs.high, abs=0.02)


def test_the_same_seed_gives_the_same_bytes():
    values = rng(4).normal(size=30)
    assert mean_interval(values, rng(5)) == mean_interval(values, rng(5))
    assert mean_interval(values, rng(5)) != mean_interval(values, rng(6))


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=12), st.randoms())
def test_the_order_of_the_traces_changes_nothing(values, random):
    shuffled = random.sample(values, len(values))
    assert mean_interval(values, rng(), draws=50) == mean_interval(shuffled, rng(), draws=50)


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=12))
def test_the_interval_lies_between_the_extreme_values(values):
    found = mean_interval(values, rng(), draws=50)
    assert min(values) - 1e-12 <= found.low <= found.high <= max(values) + 1e-12


def test_the_interval_covers_as_often_as_it_says():
    """2,000 data sets of 40; the percentile interval of a mean is known to be a little narrow."""
    data = rng(7).exponential(size=(2000, 40))
    draws = rng(8)
    found = [mean_interval(sample, draws, draws=400) for sample in data]
    covered = np.mean([interval.low <= 1.0 <= interval.high for interval in found])
    assert 0.90 < covered < 0.955


def test_a_lower_level_covers_less_often():
    data = rng(9).normal(size=(2000, 40))
    draws = rng(10)
    found = [mean_interval(sample, draws, draws=400, level=0.5) for sample in data]
    assert 0.45 < np.mean([interval.low <= 0 <= interval.high for interval in found]) < 0.53


def test_ten_thousand_traces_take_little_memory():
    values = rng(11).normal(size=10_000)
    tracemalloc.start()
    mean_interval(values, rng(12), draws=400)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 2**20  # all draws at once would be 64 MiB for the places alone


@pytest.mark.parametrize("values", [[], [[1.0, 2.0]], [1.0, float("nan")], [float("inf")]])
def test_values_without_a_mean_are_refused(values):
    with pytest.raises(ValueError, match="a mean needs"):
        mean_interval(values, rng())


@pytest.mark.parametrize("options", [{"draws": 0}, {"level": 0.0}, {"level": 1.0}, {"level": 95}])
def test_options_out_of_range_are_refused(options):
    with pytest.raises(ValueError, match="draws must be at least 1 and level between 0 and 1"):
        mean_interval([1.0, 2.0], rng(), **options)
