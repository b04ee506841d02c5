"""The area under the receiver operating characteristic, with DeLong's interval."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boresight.stats.interval import LEVEL, Interval, check_level, finite_values, undefined
from boresight.stats.placement import placements
from boresight.stats.quantiles import normal_reach
from boresight.stats.wilson import wilson_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def auroc(positives: ArrayLike, negatives: ArrayLike, level: float = LEVEL) -> Interval[float | None]:
    """Probability that a positive scores above a negative, ties counted half, with its interval.

    The interval is symmetric on the logit scale, which keeps it within 0 to 1 and covers better near the ends
    than one on the plain scale (for two classes of ten it errs on the wide side, about 0.97). Where the
    classes separate, DeLong's variance is 0 and the far end is Wilson's, for the smaller class all on one
    side.

    Args:
        positives: Finite scores of the positives, shape (m,).
        negatives: Finite scores of the negatives, shape (n,).
        level: Coverage that the interval aims at, between 0 and 1.

    Returns:
        The area and its interval; undefined when a class is empty, without interval when a class has one
        member or all scores are equal.

    Raises:
        ValueError: A score is not finite, or the level is out of range.

    Sources: E. DeLong, D. DeLong and D. Clarke-Pearson, Comparing the areas under two or more correlated
    receiver operating characteristic curves, *Biometrics* 44 (1988); M. Pepe, *The Statistical Evaluation of
    Medical Tests* (2003), section 5.2, for the logit.
    """
    ours = finite_values(positives, "an AUROC", least=0)
    others = finite_values(negatives, "an AUROC", least=0)
    check_level(level)
    if not (ours.size and others.size):
        return undefined(f"there are {ours.size} positives and {others.size} negatives, and both are needed")
    above, below = placements(ours, others), placements(others, ours)
    area, smaller = float(above.mean()), min(ours.size, others.size)
    if smaller == 1:
        return Interval(area, None, None, "one member of a class says nothing about spread")
    variance = above.var(ddof=1) / ours.size + below.var(ddof=1) / others.size
    if area in {0.0, 1.0}:
        return wilson_interval(smaller * int(area), smaller, level)
    if variance == 0:
        return Interval(area, None, None, "all scores are equal")
    return Interval(area, *_logit_ends(area, math.sqrt(variance), level))


def _logit_ends(area: float, error: float, level: float) -> tuple[float, float]:
    middle = math.log(area / (1 - area))
    reach = normal_reach(level) * error / (area * (1 - area))
    return _expit(middle - reach), _expit(middle + reach)


def _expit(x: float) -> float:
    return (1 + math.tanh(x / 2)) / 2  # never overflows
