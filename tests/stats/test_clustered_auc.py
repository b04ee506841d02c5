"""The clustered area: against the plain one, by hand, and against resampled traces."""

from itertools import chain

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.stats.auc import auroc
from boresight.stats.clustered_auc import clustered_auroc, clustered_auroc_difference


def flat(lists):
    return list(chain.from_iterable(lists))


def alone(values, name):
    return {f"{name}{place}": [value] for place, value in enumerate(values)}


def test_one_score_a_trace_gives_delongs_interval():
    positives, negatives = np.random.default_rng(1).normal(size=(2, 15))
    found = clustered_auroc(alone(positives + 0.5, "p"), alone(negatives, "n"))
    plain = auroc(positives + 0.5, negatives)
    assert (found.value, found.low, found.high) == pytest.approx((plain.value, plain.low, plain.high))


def test_two_traces_by_hand():
    """Trace a: 3 against 2; trace b: 1 against 0. Components 1, 1/2 and 1/2, 1; area 3/4.

    Sums by trace less the area: 1/4, -1/4 and -1/4, 1/4. Variance 1/16 + 1/16 - 1/8 = 0.
    """
    found = clustered_auroc({"a": [3], "b": [1]}, {"a": [2], "b": [0]})
    assert found.value == 0.75
    assert found.reason == "the scores show no spread"


SCORES = st.lists(st.integers(-3, 3), max_size=4)


@given(st.lists(st.tuples(SCORES, SCORES), min_size=2, max_size=5))
def test_the_area_is_that_of_all_scores_pooled(traces):
    positives = {str(place): ours for place, (ours, _) in enumerate(traces)}
    negatives = {str(place): others for place, (_, others) in enumerate(traces)}
    pooled = auroc(flat(positives.values()), flat(negatives.values()))
    assert clustered_auroc(positives, negatives).value == pytest.approx(pooled.value)


def grouped(seed, traces=80):
    """Scores that share a level with their trace; two scores of each, the second a noisy copy."""
    rng = np.random.default_rng(seed)
    sides, copies = ({}, {}), ({}, {})
    for trace in range(traces):
        level = rng.normal()
        for side in (0, 1):
            values = level * (1 - side) + rng.normal(size=rng.integers(0, 6)) - 0.5 * side
            sides[side][str(trace)] = list(values)
            copies[side][str(trace)] = list(values + rng.normal(size=len(values)))
    return sides, copies


def resampled(traces, statistic, seed=0, draws=600):
    """Standard deviation of a statistic over resampled traces."""
    names = list(traces)
    samples = np.random.default_rng(seed).integers(len(names), size=(draws, len(names)))
    found = [statistic([names[place] for place in sample]) for sample in samples]
    return float(np.std(found, ddof=1))


def area(sides, names):
    return auroc(*(flat(side[name] for name in names) for side in sides)).value


def test_the_interval_is_as_wide_as_resampling_of_traces_says():
    sides, _ = grouped(3)
    found = clustered_auroc(*sides)
    error = (found.high - found.low) / (2 * 1.96)
    assert error == pytest.approx(resampled(sides[0], lambda names: area(sides, names)), rel=0.15)


def test_so_is_that_of_a_difference():
    sides, copies = grouped(4)
    found = clustered_auroc_difference((sides[0], copies[0]), (sides[1], copies[1]))
    error = (found.high - found.low) / (2 * 1.96)
    spread = resampled(sides[0], lambda names: area(sides, names) - area(copies, names))
    assert error == pytest.approx(spread, rel=0.15)
    assert found.value == pytest.approx(area(sides, list(sides[0])) - area(copies, list(sides[0])))


def test_scores_of_the_same_kind_in_one_trace_widen_the_interval():
    sides, _ = grouped(5)
    plain = auroc(*(flat(side.values()) for side in sides))
    found = clustered_auroc(*sides)
    assert found.high - found.low > 1.2 * (plain.high - plain.low)


def test_a_class_from_one_trace_has_no_interval():
    found = clustered_auroc({"a": [1, 2]}, {"b": [0], "c": [1.5]})
    assert (found.value, found.low) == (0.75, None)
    assert "one trace" in found.reason


def test_an_empty_class_is_undefined():
    assert clustered_auroc({"a": [1]}, {"a": []}).value is None


def test_differences_of_unequal_members_are_refused():
    with pytest.raises(ValueError, match="same members"):
        clustered_auroc_difference(({"a": [1]}, {"a": [1, 2]}), ({"a": [0]}, {"a": [0]}))
