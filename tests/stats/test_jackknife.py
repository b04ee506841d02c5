"""The jackknife: by hand, against the t interval, and by coverage."""

import itertools

import numpy as np
import pytest

from boresight.stats.jackknife import jackknife_error, jackknife_interval
from boresight.stats.t import t_interval


def rng(seed=0):
    return np.random.default_rng(seed)


def average(units):
    return units.mean(axis=0)


def ratio(units):
    """Sum of the first half of the columns over that of the second half."""
    sums = units.sum(axis=0)
    return sums[: len(sums) // 2] / sums[len(sums) // 2 :]


def holds(found, truth):
    return np.mean((found.low <= truth) & (truth <= found.high))


def margin(level=0.95):
    return 4 * np.sqrt(level * (1 - level) / 2000)


def test_three_replicates_by_hand():
    """Values 1, 2, 6: without one of them 4, 3.5, 1.5; 2/3 of the squared distances from 3 is 7/3."""
    assert jackknife_error([4.0, 3.5, 1.5]) == pytest.approx(np.sqrt(7 / 3), rel=1e-12)


def test_the_jackknife_of_a_mean_is_the_t_interval():
    sample = rng(1).normal(size=(7, 3))
    ours, student = jackknife_interval(average, sample, level=0.9), t_interval(sample, 0.9)
    np.testing.assert_allclose([ours.value, ours.low, ours.high], [student.value, student.low, student.high])


def test_the_jackknife_of_a_plug_in_variance_follows_its_closed_form():
    """Leaving out i gives n / (n - 1) * (v - d_i^2 / (n - 1)) with d_i the distance from the mean."""
    sample = rng(2).gamma(2.0, size=8)
    away = (sample - sample.mean()) ** 2
    expected = np.sqrt(7 / 8 * (8 / 49) ** 2 * ((away - away.mean()) ** 2).sum())
    found = jackknife_interval(lambda units: units.var(axis=0), sample)
    assert found.value == pytest.approx(sample.var())
    assert (found.high - found.low) / 2 == pytest.approx(2.364624 * expected, rel=1e-6)


def test_groups_are_left_out_whole():
    """The mean over groups of two is the mean of three group means."""
    sample = [1.0, 10.0, 3.0, 20.0, 5.0, 60.0]
    found = jackknife_interval(average, sample, groups=["a", "b", "a", "b", "c", "c"])
    means = t_interval([2.0, 15.0, 32.5])
    np.testing.assert_allclose([found.value, found.low, found.high], [means.value, means.low, means.high])


def test_groups_of_one_are_units():
    sample = rng(3).normal(size=5)
    alone, grouped = (
        jackknife_interval(average, sample, groups=groups) for groups in (None, [4, 1, 0, 2, 3])
    )
    np.testing.assert_allclose([alone.low, alone.high], [grouped.low, grouped.high], rtol=1e-12)


def test_a_quarter_of_the_population_narrows_the_interval_by_sqrt_three_quarters():
    sample = rng(4).normal(size=10)
    endless, finite = (jackknife_interval(average, sample, population=size) for size in (None, 40))
    assert finite.high - finite.low == pytest.approx(np.sqrt(0.75) * (endless.high - endless.low))


def test_the_correction_counts_units_and_not_groups():
    sample = rng(5).normal(size=10)
    groups = [0, 1, 2, 3, 4] * 2
    endless, finite = (jackknife_interval(average, sample, groups=groups, population=p) for p in (None, 40))
    assert finite.high - finite.low == pytest.approx(np.sqrt(0.75) * (endless.high - endless.low))


def test_a_population_drawn_whole_has_no_error():
    found = jackknife_interval(average, [1.0, 2.0, 6.0], population=3)
    assert found.low == found.value == found.high == 3.0


def test_over_all_samples_the_squared_error_is_right_on_average():
    """Enumerated: all 15 samples of 4 out of 6, drawn without replacement."""
    population = np.array([0.0, 1.0, 1.0, 4.0, 9.0, 20.0])
    samples = np.array(list(itertools.combinations(population, 4)))
    squared = [
        jackknife_error([np.delete(sample, i).mean() for i in range(4)], population=6) ** 2
        for sample in samples
    ]
    assert np.mean(squared) == pytest.approx(samples.mean(axis=1).var(), rel=1e-12)


@pytest.mark.parametrize("options", [{"sample": [2.0]}, {"sample": [2.0, 2.0], "groups": ["a", "a"]}])
def test_one_group_has_a_value_and_no_interval(options):
    found = jackknife_interval(average, **options)
    assert (found.value, found.low, found.high) == (2.0, None, None)
    assert found.reason == "one group of units says nothing about spread"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample": []}, "at least one unit"),
        ({"sample": 1.0}, "at least one unit"),
        ({"sample": [1.0, 2.0], "groups": ["a"]}, "each of the 2 units needs a group"),
        ({"sample": [1.0, 2.0, 3.0], "population": 2}, "3 units cannot be drawn from a population of 2"),
        ({"sample": [1.0, 2.0], "level": 95}, "level must be"),
        ({"sample": [1.0, np.inf]}, "finite values"),
    ],
)
def test_what_cannot_be_jackknifed_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        jackknife_interval(average, **options)


@pytest.mark.parametrize("replicates", [[], [1.0], 1.0])
def test_fewer_than_two_replicates_are_refused(replicates):
    with pytest.raises(ValueError, match="at least two replicates"):
        jackknife_error(replicates)


def test_the_interval_of_a_ratio_covers_as_often_as_it_says():
    """2,000 data sets at once, 40 units each; the true ratio is 2 / 4."""
    sample = np.concatenate([rng(6).normal(2, 1, (40, 2000)), rng(7).normal(4, 1, (40, 2000))], axis=1)
    assert holds(jackknife_interval(ratio, sample), 0.5) == pytest.approx(0.95, abs=margin())


def test_the_corrected_interval_covers_a_finite_population_and_the_plain_one_is_too_wide():
    population = np.tile(rng(8).normal(size=(60, 1)), (1, 2000))
    sample = rng(9).permuted(population, axis=0)[:40]
    truth = population[:, 0].mean()
    assert holds(jackknife_interval(average, sample, population=60), truth) == pytest.approx(
        0.95, abs=margin()
    )
    assert holds(jackknife_interval(average, sample), truth) > 0.99


def test_the_grouped_interval_covers_where_the_ungrouped_one_does_not():
    """15 groups of four that share most of their error."""
    groups = np.repeat(np.arange(15), 4)
    sample = rng(10).normal(size=(15, 2000))[groups] + rng(11).normal(0, 0.3, (60, 2000))
    assert holds(jackknife_interval(average, sample, groups=groups.tolist()), 0) == pytest.approx(
        0.95, abs=margin()
    )
    assert holds(jackknife_interval(average, sample), 0) < 0.75
