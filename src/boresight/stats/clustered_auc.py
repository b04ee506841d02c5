"""The area under the receiver operating characteristic where scores of one trace hang together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boresight.stats.interval import LEVEL, Interval, check_level, finite_values, undefined
from boresight.stats.placement import placements
from boresight.stats.quantiles import normal_reach

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Scores:
    """Positives and negatives of all traces.

    Attributes:
        positives: Finite scores, shape (m,).
        negatives: Finite scores, shape (n,).
        owners: For each positive, then each negative, the number of its trace, from 0; shape (m + n,).
    """

    positives: Floats
    negatives: Floats
    owners: NDArray[np.int64]

    @classmethod
    def of(cls, positives: Mapping[str, Sequence[float]], negatives: Mapping[str, Sequence[float]]) -> Scores:
        """From scores by trace id; a trace may have some of both, of one or of none."""
        traces = sorted({*positives, *negatives})
        counts = [[len(side.get(trace, ())) for trace in traces] for side in (positives, negatives)]
        values = [
            finite_values([score for trace in traces for score in side.get(trace, ())], "an AUROC", least=0)
            for side in (positives, negatives)
        ]
        places = np.arange(len(traces))
        owners = np.concatenate([np.repeat(places, count) for count in counts])
        return cls(values[0], values[1], owners)


def clustered_auroc(
    positives: Mapping[str, Sequence[float]],
    negatives: Mapping[str, Sequence[float]],
    level: float = LEVEL,
) -> Interval[float | None]:
    """Probability that a positive scores above a negative, over all pairs, with an interval over traces.

    The interval is symmetric on the logit scale. With one score a trace it is that of DeLong.

    Args:
        positives: Finite scores of the positives by trace id.
        negatives: Finite scores of the negatives by trace id.
        level: Coverage that the interval aims at, between 0 and 1.

    Returns:
        The area and its interval; undefined when a class is empty, without interval when a class comes from
        a single trace, or when the scores show no spread.

    Raises:
        ValueError: A score is not finite, or the level is out of range.

    Source: N. Obuchowski, Nonparametric analysis of clustered ROC curve data, *Biometrics* 53 (1997).
    """
    check_level(level)
    scores = Scores.of(positives, negatives)
    reason = _empty(scores)
    if reason:
        return undefined(reason)
    above, below = _components(scores)
    area, variance = float(above.mean()), _variance(scores, above, below)
    if variance is None:
        return Interval(area, None, None, _ONE_TRACE)
    if variance <= 0 or area in {0.0, 1.0}:
        return Interval(area, None, None, _NO_SPREAD)
    middle = math.log(area / (1 - area))
    reach = normal_reach(level) * math.sqrt(variance) / (area * (1 - area))
    low, high = ((1 + math.tanh(end / 2)) / 2 for end in (middle - reach, middle + reach))
    return Interval(area, low, high)


def clustered_auroc_difference(
    positives: tuple[Mapping[str, Sequence[float]], Mapping[str, Sequence[float]]],
    negatives: tuple[Mapping[str, Sequence[float]], Mapping[str, Sequence[float]]],
    level: float = LEVEL,
) -> Interval[float | None]:
    """Area of a first score minus that of a second one, on the same members of the same traces.

    Args:
        positives: Both scores of the positives by trace id, in the same order within a trace.
        negatives: The same of the negatives.
        level: As in :func:`clustered_auroc`.

    Returns:
        The difference with an interval that is symmetric around it; undefined when a class is empty.

    Raises:
        ValueError: The two do not score the same members, a score is not finite, or the level is out of
            range.

    Source: Obuchowski (1997), with the difference of the components in the place of each.
    """
    check_level(level)
    first, second = (Scores.of(ours, others) for ours, others in zip(positives, negatives, strict=True))
    if not np.array_equal(first.owners, second.owners) or len(first.positives) != len(second.positives):
        raise ValueError("two areas are compared over the same members of the same traces")
    reason = _empty(first)
    if reason:
        return undefined(reason)
    above, below = (one - other for one, other in zip(_components(first), _components(second), strict=True))
    difference, variance = float(above.mean()), _variance(first, above, below)
    if variance is None:
        return Interval(difference, None, None, _ONE_TRACE)
    reach = normal_reach(level) * math.sqrt(max(variance, 0.0))
    return Interval(difference, difference - reach, difference + reach)


_ONE_TRACE = "all members of a class come from one trace, which says nothing about spread"
_NO_SPREAD = "the scores show no spread"


def _empty(scores: Scores) -> str | None:
    m, n = scores.positives.size, scores.negatives.size
    return None if m and n else f"there are {m} positives and {n} negatives, and both are needed"


def _components(scores: Scores) -> tuple[Floats, Floats]:
    """For each positive the share of negatives below it, for each negative that of positives above it."""
    ours, others = scores.positives, scores.negatives
    return placements(ours, others), 1 - placements(others, ours)


def _variance(scores: Scores, above: Floats, below: Floats) -> float | None:
    """Variance of the mean component from sums by trace; None where a class has one trace."""
    sums = [
        _centred_sums(scores.owners[: len(above)], above, int(scores.owners.max()) + 1),
        _centred_sums(scores.owners[len(above) :], below, int(scores.owners.max()) + 1),
    ]
    (ours, traces), (others, other_traces) = sums
    if min(traces, other_traces) == 1:
        return None
    both = np.unique(scores.owners).size
    m, n = len(above), len(below)
    own = traces / (traces - 1) * float(ours @ ours) / m**2
    other = other_traces / (other_traces - 1) * float(others @ others) / n**2
    return own + other + 2 * both / (both - 1) * float(ours @ others) / (m * n)


def _centred_sums(owners: NDArray[np.int64], values: Floats, size: int) -> tuple[Floats, int]:
    """Sum of the values of each trace less their mean, and how many traces have any."""
    sums = np.bincount(owners, values - values.mean(), minlength=size).astype(np.float64)
    return sums, int(np.unique(owners).size)
