"""Effect sizes: by hand, by naive count, by published example and by coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gamma
from scipy.stats import norm, ttest_ind, ttest_rel

from boresight.stats.auc import auroc
from boresight.stats.effect import cliffs_delta, cohens_dz, hedges_g

GROUPS = st.lists(st.integers(-3, 3), min_size=2, max_size=8)


def by_id(values):
    return {f"q{number}": float(value) for number, value in enumerate(values)}


def rng(seed=0):
    return np.random.default_rng(seed)


def with_moments(n, mean, deviation, seed):
    sample = rng(seed).normal(size=n)
    return mean + deviation * (sample - sample.mean()) / sample.std(ddof=1)


def test_three_differences_by_hand():
    """Differences 1, 2, 3: mean 2, deviation 1, so 2, with variance 1/3 + 4/6 = 1."""
    found = cohens_dz({"a": 1.0, "b": 5.0, "c": 9.0, "x": 7.0}, {"c": 6.0, "a": 0.0, "b": 3.0, "y": 0.0})
    assert (found.value, found.low, found.high) == pytest.approx((2, 2 - 1.959964, 2 + 1.959964), abs=1e-6)


def test_dz_is_the_paired_t_over_the_root_of_n():
    first, second = rng(1).normal(size=(2, 15))
    expected = ttest_rel(first, second).statistic / np.sqrt(15)
    assert cohens_dz(by_id(first), by_id(second)).value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_common_traces_have_no_effect_size(n):
    found = cohens_dz({"a": 1.0, "b": 2.0}, dict([("a", 0.0), ("c", 1.0)][1 - n : 2]) if n else {"c": 1.0})
    assert (found.value, found.low) == (None, None)
    assert found.reason == f"an effect size needs two traces in common, there are {n}"


def test_equal_differences_have_no_effect_size_even_after_rounding():
    base = by_id([0.1, 0.2, 0.3, 0.7])
    found = cohens_dz({trace: value + 0.1 for trace, value in base.items()}, base)
    assert (found.value, found.reason) == (None, "the differences are all equal")
    assert cohens_dz(base, base).reason == "the differences are all equal"


@pytest.mark.parametrize("n", [10, 40])
@pytest.mark.parametrize("effect", [0.0, 0.5, 1.5])
def test_dz_covers_as_often_as_it_says(n, effect, check_coverage):
    """The large-sample variance costs half a percent with ten traces."""
    second, change = rng(n).normal(0, 5, (2000, n)), rng(n + 1).normal(effect, 1, (2000, n))
    found = [cohens_dz(by_id(b + d), by_id(b)) for b, d in zip(second, change, strict=True)]
    check_coverage(found, effect, 0.945 if n == 10 else 0.949)


def test_the_published_example_of_hedges_g():
    """Borenstein and others, Introduction to Meta-Analysis (2009), page 27: d 0.5970, g 0.5924."""
    found = hedges_g(with_moments(50, 103, 5.5, 2), with_moments(50, 100, 4.5, 3))
    assert found.value == pytest.approx(0.5924, abs=5e-5)
    assert (found.high - found.low) / 2 == pytest.approx(1.959964 * np.sqrt(0.04 + 0.5924**2 / 200), abs=1e-5)


def test_g_is_t_times_hedges_factor():
    first, second = rng(4).normal(size=6), rng(5).normal(size=4)
    factor = gamma(4) / (np.sqrt(4) * gamma(3.5))
    expected = factor * ttest_ind(first, second).statistic * np.sqrt(1 / 6 + 1 / 4)
    assert hedges_g(first, second).value == pytest.approx(expected, rel=1e-12)


def test_g_has_no_bias_in_small_groups():
    first, second = rng(6).normal(1, 1, (2000, 4)), rng(7).normal(size=(2000, 4))
    found = np.array([hedges_g(*groups).value for groups in zip(first, second, strict=True)])
    assert found.mean() == pytest.approx(1, abs=4 * found.std() / np.sqrt(2000))
    factor = 0.8686  # of 6 degrees of freedom; without it the mean would be 1.15
    assert abs(found.mean() / factor - 1) > 4 * found.std() / factor / np.sqrt(2000)


def test_groups_that_do_not_vary_have_no_g():
    found = hedges_g([1.0, 1.0, 1.0], [2.0, 2.0])
    assert (found.value, found.reason) == (None, "neither group varies")
    assert hedges_g([1.0, 1.0], [2.0, 3.0]).value is not None


@pytest.mark.parametrize(("m", "n"), [(10, 10), (20, 40), (5, 40)])
@pytest.mark.parametrize("effect", [0.0, 0.5, 1.5])
def test_g_covers_as_often_as_it_says(m, n, effect, check_coverage):
    data = zip(rng(m).normal(effect, 1, (2000, m)), rng(n + 1).normal(size=(2000, n)), strict=True)
    check_coverage([hedges_g(*groups) for groups in data], effect, 0.953)


@given(GROUPS, GROUPS)
def test_delta_is_the_count_above_minus_the_count_below(first, second):
    signs = np.sign(np.subtract.outer(first, second))
    found = cliffs_delta(first, second)
    assert found.value == pytest.approx(signs.mean(), abs=1e-12)
    assert -1 <= found.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.high <= 1
    assert found.value == pytest.approx(2 * auroc(first, second).value - 1, abs=1e-12)


@given(GROUPS, GROUPS)
def test_the_interval_of_delta_follows_from_the_matrix_of_signs(first, second):
    signs = np.sign(np.subtract.outer(first, second)).astype(float)
    (m, n), delta = signs.shape, signs.mean()
    if abs(delta) == 1:
        return
    rows, columns = (((signs.mean(axis=axis) - delta) ** 2).sum() for axis in (1, 0))
    cells = ((signs - delta) ** 2).sum()
    variance = (n**2 * rows + m**2 * columns - cells) / (m * n * (m - 1) * (n - 1))
    z2 = norm.ppf(0.975) ** 2 * max(variance, (1 - delta**2) / (m * n - 1))
    wide = np.sqrt(z2 * ((1 - delta**2) ** 2 + z2))
    ends = [(delta - delta**3 + side * wide) / (1 - delta**2 + z2) for side in (-1, 1)]
    found = cliffs_delta(first, second)
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-9)


def test_groups_that_separate_have_the_end_of_feng_and_cliff():
    """(n - z^2) / (n + z^2) with the smaller n, here 5."""
    found = cliffs_delta([6, 7, 8, 9, 10], [1, 2, 3, 4, 5, 5])
    end = (5 - 3.841459) / (5 + 3.841459)
    assert (found.value, found.low, found.high) == (1.0, pytest.approx(end, abs=1e-6), 1.0)
    reverse = cliffs_delta([1, 2, 3, 4, 5, 5], [6, 7, 8, 9, 10])
    assert (reverse.value, reverse.low, reverse.high) == (-1.0, -1.0, pytest.approx(-end, abs=1e-6))


@pytest.mark.parametrize(("m", "n"), [(20, 20), (20, 60)])
@pytest.mark.parametrize("shift", [0.0, 0.7])
def test_delta_covers_as_often_as_it_says(m, n, shift, check_coverage):
    data = zip(rng(m).normal(shift, 1, (2000, m)), rng(n + 1).normal(size=(2000, n)), strict=True)
    truth = 2 * norm.cdf(shift / np.sqrt(2)) - 1
    check_coverage([cliffs_delta(*groups) for groups in data], truth, 0.95)


@pytest.mark.parametrize("measure", [hedges_g, cliffs_delta])
@pytest.mark.parametrize(("first", "second"), [([], [1.0, 2.0]), ([1.0, 2.0], [1.0]), ([1.0], [])])
def test_groups_below_two_have_no_effect_size(measure, first, second):
    found = measure(first, second)
    assert (found.value, found.low) == (None, None)
    expected = f"an effect size needs two values in each group, there are {len(first)} and {len(second)}"
    assert found.reason == expected


@pytest.mark.parametrize("measure", [hedges_g, cliffs_delta, lambda a, b: cohens_dz(by_id(a), by_id(b))])
def test_numbers_that_are_not_finite_are_refused(measure):
    for groups in (([1.0, np.nan], [1.0, 2.0]), ([1.0, 2.0], [np.inf, 2.0])):
        with pytest.raises(ValueError, match="an effect size needs finite values"):
            measure(*groups)


@pytest.mark.parametrize("level", [0, 95])
def test_a_level_out_of_range_is_refused(level):
    for measure in (hedges_g, cliffs_delta):
        with pytest.raises(ValueError, match="level must be"):
            measure([1.0], [2.0], level)
    with pytest.raises(ValueError, match="level must be"):
        cohens_dz({}, {}, level)
