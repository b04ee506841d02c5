"""Absent, zero, undefined and failed are four things."""

import pytest

from boresight.outcome import Measure


def test_zero_is_a_defined_value():
    assert Measure.defined(0).is_defined
    assert Measure.defined(0).value == 0.0


def test_undefined_and_failed_have_a_reason_and_no_value():
    for measure in (Measure.undefined("one passage"), Measure.failed("time-out")):
        assert (measure.value, measure.is_defined) == (None, False)
        assert measure.reason
    assert Measure.undefined("x") != Measure.failed("x")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
@pytest.mark.parametrize("field", ["value", "low", "high", "chance", "minimum"])
def test_no_field_holds_a_number_that_is_not_finite(number, field):
    with pytest.raises(ValueError, match="finite"):
        Measure("defined", **{"value": 1.0, field: number})


@pytest.mark.parametrize(
    ("state", "value", "reason"),
    [
        ("defined", None, None),
        ("defined", 1.0, "why"),
        ("undefined", None, None),
        ("undefined", 1.0, "why"),
        ("failed", None, ""),
    ],
)
def test_states_that_contradict_themselves_are_refused(state, value, reason):
    with pytest.raises(ValueError, match="does not go with"):
        Measure(state, value, reason=reason)
