"""One shape for every estimate: two ends or none, and a reason exactly where they are missing."""

import math
from statistics import NormalDist

import pytest
from scipy.stats import t

from boresight.stats.interval import Interval, check_level, finite_values, undefined
from boresight.stats.quantiles import normal_reach, t_reach


def test_undefined_has_a_reason_and_nothing_else():
    found = undefined("nothing was asked")
    assert (found.value, found.low, found.high, found.reason) == (None, None, None, "nothing was asked")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((1.0, 0.0, None, "half"), "two ends or none"),
        ((1.0, None, 2.0, "half"), "two ends or none"),
        ((None, 0.0, 2.0, None), "without a value"),
        ((1.0, None, None, None), "a reason is given exactly where"),
        ((1.0, None, None, ""), "a reason is given exactly where"),
        ((1.0, 0.0, 2.0, "why"), "a reason is given exactly where"),
    ],
)
def test_an_interval_that_contradicts_itself_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        Interval(*fields)


def test_95_percent_of_a_normal_lie_within_1_96():
    assert normal_reach(0.95) == pytest.approx(1.959963984540054, rel=1e-12)
    assert NormalDist().cdf(normal_reach(0.5)) == pytest.approx(0.75)


@pytest.mark.parametrize("freedom", [1, 4, 30])
def test_the_t_quantile_is_that_of_scipy(freedom):
    assert t_reach(freedom, 0.9) == pytest.approx(t.ppf(0.95, freedom), rel=1e-12)


@pytest.mark.parametrize("check", [check_level, normal_reach, lambda level: t_reach(3, level)])
@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_a_level_out_of_range_is_refused(check, level):
    with pytest.raises(ValueError, match="level must be between 0 and 1"):
        check(level)


def test_values_must_be_enough_flat_and_finite():
    assert finite_values([], "a rate", least=0).shape == (0,)
    for wrong in ([], 1.0, [[1.0]], [math.nan], [1.0, -math.inf]):
        with pytest.raises(ValueError, match="a rate needs"):
            finite_values(wrong, "a rate")
