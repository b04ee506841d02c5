"""The bootstrap interval of a mean: what it is, and that it covers."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap, norm, t

from boresight.stats.bootstrap import cluster_mean_interval, mean_interval, paired_interval


def rng(seed=0):
    return np.random.default_rng(seed)


def test_the_mean_is_the_mean():
    assert mean_interval([1.0, 2.0, 6.0], rng()).value == 3.0


def test_one_value_has_a_mean_and_no_interval():
    found = mean_interval([4.0], rng())
    assert (found.value, found.low, found.high) == (4.0, None, None)
    assert found.reason == "one value says nothing about spread"


def test_equal_values_have_an_interval_without_width():
    found = mean_interval([0.1] * 7, rng())
    assert found.low == found.value == found.high


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
    with pytest.raises(ValueError, match=r"draws must be at least 1|level must be between 0 and 1"):
        mean_interval([1.0, 2.0], rng(), **options)


def by_id(values):
    return {f"q{number}": float(value) for number, value in enumerate(values)}


def percentile_coverage(n, level=0.95):
    """What the percentile bootstrap of a normal mean comes to: the normal quantile and the divisor n."""
    return 2 * t.cdf(norm.ppf((1 + level) / 2) * np.sqrt((n - 1) / n), n - 1) - 1


def test_a_paired_difference_is_that_of_the_common_traces():
    found = paired_interval({"a": 5.0, "b": 1.0, "c": 9.0}, {"b": 0.0, "a": 2.0, "d": 7.0, "e": 8.0}, rng())
    assert found.difference.value == 2.0  # (3 + 1) / 2
    assert (found.pairs, found.only_first, found.only_second) == (2, 1, 2)


def test_what_two_runs_share_cancels():
    base = rng(13).normal(0, 100, size=20)
    found = paired_interval(by_id(base + 0.5), by_id(base), rng()).difference
    assert found.low == pytest.approx(0.5, abs=1e-9)
    assert found.high == pytest.approx(0.5, abs=1e-9)


def test_the_paired_interval_is_that_of_the_differences():
    first, second = rng(14).normal(size=(2, 12))
    found = paired_interval(by_id(first), by_id(second), rng(15), draws=300, level=0.8)
    assert found.difference == mean_interval(first - second, rng(15), draws=300, level=0.8)


def test_runs_without_a_common_trace_have_no_difference():
    found = paired_interval({"a": 1.0}, {"b": 1.0, "c": 2.0}, rng())
    assert found.difference.value is None
    assert found.difference.reason == "the two have no trace in common"
    assert (found.pairs, found.only_first, found.only_second) == (0, 1, 2)


def test_one_common_trace_has_a_difference_and_no_interval():
    found = paired_interval({"a": 1.0}, {"a": 4.0}, rng()).difference
    assert (found.value, found.low, found.high) == (-3.0, None, None)


def test_a_difference_that_is_not_finite_is_refused():
    with pytest.raises(ValueError, match="a mean needs finite values"):
        paired_interval({"a": float("inf")}, {"a": 1.0}, rng())


@pytest.mark.parametrize("n", [10, 40])
def test_the_paired_interval_covers_as_often_as_it_can(n, check_coverage):
    source = rng(n)
    base = source.normal(0, 30, size=(2000, n))
    change = source.normal(0.3, 1, size=(2000, n))
    found = [
        paired_interval(by_id(before + more), by_id(before), source, draws=400).difference
        for before, more in zip(base, change, strict=True)
    ]
    # The 400 draws add a little noise to the ends, which costs at most half a percent.
    check_coverage(found, 0.3, percentile_coverage(n), slack=0.005)


def test_every_value_of_a_trace_weighs_the_same():
    assert cluster_mean_interval({"a": [1.0, 2.0, 3.0], "b": [10.0]}, rng()).value == 4.0


def test_a_trace_without_values_takes_no_part():
    full = {"a": [1.0, 2.0], "b": [4.0]}
    assert cluster_mean_interval({**full, "c": []}, rng()) == cluster_mean_interval(full, rng())


def test_two_traces_resample_to_three_means():
    """Both a: 2; both b: 10; one of each: (6 + 10) / 4 = 4, half of the time."""
    found = cluster_mean_interval({"a": [1.0, 2.0, 3.0], "b": [10.0]}, rng(), level=0.95)
    assert (found.low, found.high) == (2.0, 10.0)
    inner = cluster_mean_interval({"a": [1.0, 2.0, 3.0], "b": [10.0]}, rng(), level=0.4)
    assert (inner.low, inner.high) == (4.0, 4.0)


def test_traces_of_one_value_are_the_mean_over_traces():
    values = rng(16).normal(size=9)
    ours = cluster_mean_interval({trace: [value] for trace, value in by_id(values).items()}, rng(17))
    plain = mean_interval(values, rng(17))
    assert (ours.low, ours.high) == pytest.approx((plain.low, plain.high), rel=1e-12)


def test_one_trace_has_a_mean_and_no_interval():
    found = cluster_mean_interval({"a": [1.0, 3.0], "b": []}, rng())
    assert (found.value, found.low, found.reason) == (2.0, None, "one trace says nothing about spread")


@pytest.mark.parametrize("clusters", [{}, {"a": []}, {"a": [1.0, float("nan")]}])
def test_clusters_without_a_mean_are_refused(clusters):
    with pytest.raises(ValueError, match="a mean needs"):
        cluster_mean_interval(clusters, rng())


def test_the_cluster_interval_covers_where_one_over_values_does_not(check_coverage):
    """Thirty traces of one to nine values that share most of their error."""
    source = rng(18)
    sizes = np.arange(30) % 9 + 1
    offsets = source.normal(size=(2000, 30))
    noise = source.normal(0, 0.3, size=(2000, sizes.sum()))
    values = np.repeat(offsets, sizes, axis=1) + noise
    splits = np.cumsum(sizes)[:-1]
    found = [
        cluster_mean_interval(
            dict(zip("abcdefghijklmnopqrstuvwxyzABCD", np.split(row, splits), strict=True)), source, draws=200
        )
        for row in values
    ]
    # 8,000 data sets of another seed gave 0.917: unequal weights leave about 22 traces' worth.
    check_coverage(found, 0.0, 0.917)
    naive = [mean_interval(row, source, draws=100) for row in values[:300]]
    assert np.mean([interval.low <= 0 <= interval.high for interval in naive]) < 0.75
