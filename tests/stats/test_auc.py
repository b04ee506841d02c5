"""AUROC: by counting pairs, against scipy and DeLong's definition, and by coverage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, norm

from boresight.stats.auc import auroc
from boresight.stats.wilson import wilson_interval

SCORES = st.lists(st.integers(-3, 3), min_size=1, max_size=8)


def counted(positives, negatives):
    """The plain count over all pairs."""
    pairs = [(a, b) for a in positives for b in negatives]
    return sum((a > b) + (a == b) / 2 for a, b in pairs) / len(pairs)


@given(SCORES, SCORES)
def test_the_area_is_the_share_of_pairs_in_order(positives, negatives):
    assert auroc(positives, negatives).value == pytest.approx(counted(positives, negatives), abs=1e-12)


@given(SCORES, SCORES)
def test_the_classes_change_places_with_one_minus_the_area(positives, negatives):
    ahead, behind = auroc(positives, negatives), auroc(negatives, positives)
    assert ahead.value == pytest.approx(1 - behind.value, abs=1e-12)
    if ahead.low is not None:
        assert ahead.low == pytest.approx(1 - behind.high, abs=1e-9)


def test_the_area_is_the_mann_whitney_statistic():
    positives, negatives = np.random.default_rng(0).integers(0, 20, size=(2, 50))
    expected = mannwhitneyu(positives, negatives).statistic / 2500
    assert auroc(positives, negatives).value == pytest.approx(expected, rel=1e-12)


def test_five_scores_by_hand():
    """Positives 3, 1 and negatives 2, 0, 0: shares below 1 and 2/3, area 5/6.

    Variances 1/18 over 2 and 1/12 over 3 add to 1/18; the logit is log 5 and its error sqrt(1/18) * 36 / 5.
    """
    found = auroc([3, 1], [2, 0, 0])
    reach = 1.959964 * np.sqrt(1 / 18) * 36 / 5
    ends = [1 / (1 + np.exp(-end)) for end in (np.log(5) - reach, np.log(5) + reach)]
    assert (found.value, found.low, found.high) == pytest.approx((5 / 6, *ends), abs=1e-6)


def test_the_variance_is_that_of_delong_pair_by_pair():
    positives, negatives = np.random.default_rng(1).integers(0, 9, size=(2, 12))
    order = np.array([[(a > b) + (a == b) / 2 for b in negatives] for a in positives])
    variance = order.mean(axis=1).var(ddof=1) / 12 + order.mean(axis=0).var(ddof=1) / 12
    found = auroc(positives, negatives)
    logits = np.log([found.low / (1 - found.low), found.high / (1 - found.high)])
    error = np.diff(logits)[0] / (2 * 1.959964) * found.value * (1 - found.value)
    assert error**2 == pytest.approx(variance, rel=1e-6)


def test_classes_that_separate_have_wilsons_end():
    found = auroc([5, 6, 7, 8], [1, 2, 3])
    assert (found.value, found.low, found.high) == (1.0, wilson_interval(3, 3).low, 1.0)
    reverse = auroc([1, 2, 3], [5, 6, 7, 8])
    assert (reverse.value, reverse.low, reverse.high) == (0.0, 0.0, wilson_interval(0, 3).high)


@pytest.mark.parametrize(("positives", "negatives"), [([], [1.0]), ([1.0, 2.0], []), ([], [])])
def test_one_class_has_no_area(positives, negatives):
    found = auroc(positives, negatives)
    assert (found.value, found.low, found.high) == (None, None, None)
    expected = f"there are {len(positives)} positives and {len(negatives)} negatives, and both are needed"
    assert found.reason == expected


def test_a_class_of_one_has_an_area_and_no_interval():
    found = auroc([2.0], [1.0, 3.0, 0.0])
    assert (found.value, found.low) == (pytest.approx(2 / 3), None)
    assert found.reason == "one member of a class says nothing about spread"


def test_equal_scores_have_an_area_of_one_half_and_no_interval():
    found = auroc([1.0, 1.0], [1.0, 1.0, 1.0])
    assert (found.value, found.low, found.reason) == (0.5, None, "all scores are equal")


@pytest.mark.parametrize("wrong", [[1.0, float("nan")], [float("inf")], [[1.0]]])
def test_scores_that_are_not_finite_are_refused(wrong):
    for classes in ((wrong, [1.0, 2.0]), ([1.0, 2.0], wrong)):
        with pytest.raises(ValueError, match="an AUROC needs"):
            auroc(*classes)


@pytest.mark.parametrize(("m", "n", "shift", "expected"), [
    (50, 50, 0.0, 0.95), (50, 50, 1.0, 0.95), (20, 80, 1.0, 0.95), (40, 40, 2.0, 0.95), (10, 10, 1.0, 0.965),
])  # fmt: skip
def test_the_interval_covers_as_often_as_it_says(m, n, shift, expected, check_coverage):
    """Normal scores; two classes of ten err on the wide side."""
    rng = np.random.default_rng(m + n)
    data = zip(rng.normal(shift, size=(2000, m)), rng.normal(size=(2000, n)), strict=True)
    check_coverage([auroc(*classes) for classes in data], norm.cdf(shift / np.sqrt(2)), expected)


def test_the_interval_covers_with_ties(check_coverage):
    """Scores 0 to 3 with chances 1..4 tenths for positives and 4..1 tenths for negatives."""
    up = np.array([0.1, 0.2, 0.3, 0.4])
    truth = sum(up[a] * up[3 - b] * ((a > b) + (a == b) / 2) for a in range(4) for b in range(4))
    rng = np.random.default_rng(2)
    data = zip(rng.choice(4, (2000, 40), p=up), rng.choice(4, (2000, 40), p=up[::-1]), strict=True)
    check_coverage([auroc(*classes) for classes in data], truth, 0.95)
