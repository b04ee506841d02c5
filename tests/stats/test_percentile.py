"""The percentile of sizes is exceeded as often as it says."""

import numpy as np
import pytest

from boresight.stats.percentile import absolute_percentile, exceedance


def test_the_sign_does_not_count():
    assert absolute_percentile([-3.0, 1.0, 2.0], 0.75) == 3.0
    assert absolute_percentile([3.0, -1.0, -2.0], 0.75) == 3.0


def test_twenty_four_values_by_hand():
    """Place 0.95 * 25 = 23.75: three quarters of the way from 23 to 24."""
    assert absolute_percentile(range(1, 25)) == pytest.approx(23.75)


@pytest.mark.parametrize("n", [1, 2, 8, 18, 19])
def test_few_values_have_their_largest(n):
    assert absolute_percentile(np.arange(n) - n) == n


def test_the_exceedance_of_few_values_is_one_in_one_more():
    assert exceedance(8) == pytest.approx(1 / 9)
    assert exceedance(19) == exceedance(500) == pytest.approx(0.05)
    assert exceedance(1, 0.5) == 0.5


@pytest.mark.parametrize("n", [3, 8, 19, 39, 59])
def test_a_further_value_is_larger_as_often_as_it_says(n):
    """2,000 data sets; these numbers need no interpolation, so the probability is exact for any law."""
    data = np.random.default_rng(n).normal(size=(2000, n + 1))
    larger = np.mean([abs(row[0]) > absolute_percentile(row[1:]) for row in data])
    expected = exceedance(n)
    assert larger == pytest.approx(expected, abs=4 * np.sqrt(expected * (1 - expected) / 2000))


@pytest.mark.parametrize("values", [[], [np.nan], [1.0, np.inf], [[1.0]]])
def test_values_without_a_percentile_are_refused(values):
    with pytest.raises(ValueError, match="a percentile needs"):
        absolute_percentile(values)


def test_no_value_exceeds_nothing():
    with pytest.raises(ValueError, match="a percentile needs at least 1 value, got 0"):
        exceedance(0)


@pytest.mark.parametrize("share", [0, 1, 95])
def test_a_share_out_of_range_is_refused(share):
    with pytest.raises(ValueError, match="share must be between 0 and 1"):
        absolute_percentile([1.0], share)
    with pytest.raises(ValueError, match="share must be between 0 and 1"):
        exceedance(3, share)
