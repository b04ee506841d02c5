"""Benjamini-Hochberg: the published example, scipy, and the false discovery rate itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control, norm

from boresight.stats.multiple import adjusted, rejected

P_VALUES = st.dictionaries(st.text(max_size=3), st.floats(0, 1), max_size=12)


def test_the_published_example_calls_four_of_fifteen():
    """Benjamini and Hochberg (1995), section 3: Bonferroni calls three, their procedure four."""
    published = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
        0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0,
    ]  # fmt: skip
    p_values = {f"endpoint {number}": p for number, p in enumerate(published)}
    assert rejected(p_values, 0.05) == {f"endpoint {number}" for number in range(4)}


def test_three_tests_by_hand():
    """Sorted 0.01, 0.03, 0.04: times 3/1, 3/2, 3/3 is 0.03, 0.045, 0.04; the second takes the third's."""
    found = adjusted({"b": 0.03, "a": 0.01, "c": 0.04})
    assert list(found) == ["b", "a", "c"]
    assert found == pytest.approx({"b": 0.04, "a": 0.03, "c": 0.04})


@given(P_VALUES)
def test_adjusted_values_are_those_of_scipy(p_values):
    theirs = false_discovery_control(list(p_values.values())) if p_values else []
    assert list(adjusted(p_values).values()) == pytest.approx(list(theirs), abs=1e-12)


@given(P_VALUES.filter(bool), st.randoms())
def test_the_order_of_the_tests_changes_nothing(p_values, random):
    names = random.sample(list(p_values), len(p_values))
    assert adjusted({name: p_values[name] for name in names}) == adjusted(p_values)


def test_one_test_keeps_its_p_value_and_none_has_none():
    assert adjusted({"a": 0.2}) == {"a": 0.2}
    assert adjusted({}) == {}
    assert rejected({}, 0.1) == frozenset()


@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused_by_name(p):
    with pytest.raises(ValueError, match="the p value of order must be between 0 and 1"):
        adjusted({"rank": 0.5, "order": p})


@pytest.mark.parametrize("q", [0, 1, 5])
def test_a_rate_out_of_range_is_refused(q):
    with pytest.raises(ValueError, match="q must be between 0 and 1"):
        rejected({"a": 0.5}, q)


def test_the_false_discovery_rate_is_what_theory_says():
    """12 true nulls among 20 independent tests: the rate is exactly q * 12 / 20."""
    shift = np.where(np.arange(20) < 12, 0.0, 2.5)
    p_values = norm.sf(np.random.default_rng(0).normal(shift, size=(2000, 20)))
    shares, found = [], 0
    for row in p_values:
        positive = rejected({str(number): float(p) for number, p in enumerate(row)}, 0.2)
        false = sum(int(name) < 12 for name in positive)
        shares.append(false / max(len(positive), 1))
        found += len(positive) - false
    assert np.mean(shares) == pytest.approx(0.12, abs=4 * np.std(shares) / np.sqrt(2000))
    assert found / (2000 * 8) > 0.6  # and it does find what is there
