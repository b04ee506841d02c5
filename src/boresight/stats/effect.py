"""Effect sizes: how large a difference is, in a unit that does not depend on the scale of the measure.

The variances are the published large-sample ones. For normal data they cover 0.94 to 0.96 at the 95
percent level from ten values on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from boresight.stats.interval import LEVEL, Interval, check_level, finite_values, undefined
from boresight.stats.placement import count_ties, placements
from boresight.stats.quantiles import normal_reach
from boresight.stats.wilson import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

MIN_VALUES = 2  # below, there is no spread
_ROUNDING = 1e-12  # a spread below this part of the values is what float64 leaves of none


def cohens_dz(
    first: Mapping[str, float], second: Mapping[str, float], level: float = LEVEL
) -> Interval[float | None]:
    """Mean of first minus second over the common traces, in standard deviations of the differences.

    Args:
        first: One finite number by trace id.
        second: Likewise.
        level: Coverage that the interval aims at, between 0 and 1.

    Returns:
        d_z and its interval, with variance 1 / n + d_z^2 / (2 n) for n common traces; undefined for
        fewer than two of them, or when the differences are all equal.

    Raises:
        ValueError: A number is not finite, or the level is out of range.

    Sources: J. Cohen, *Statistical Power Analysis for the Behavioral Sciences* (1988), section 2.3.5;
    L. Hedges and I. Olkin, *Statistical Methods for Meta-Analysis* (1985), section 5.B, for the variance of a
    standardised mean.
    """
    common = [trace for trace in first if trace in second]
    ours = finite_values([first[trace] for trace in common], "an effect size", least=0)
    others = finite_values([second[trace] for trace in common], "an effect size", least=0)
    check_level(level)
    n = len(common)
    if n < MIN_VALUES:
        return undefined(f"an effect size needs two traces in common, there are {n}")
    differences = ours - others
    spread = float(differences.std(ddof=1))
    if _is_rounding(spread, ours, others):
        return undefined("the differences are all equal")
    effect = float(differences.mean()) / spread
    return _around(effect, 1 / n + effect**2 / (2 * n), level)


def hedges_g(first: ArrayLike, second: ArrayLike, level: float = LEVEL) -> Interval[float | None]:
    """Mean of the first group minus that of the second, in pooled standard deviations, less its bias.

    The correction for small groups is the exact one, by gamma functions; it removes the bias for normal
    groups of equal variance.

    Args:
        first: Finite numbers, shape (m,).
        second: Finite numbers of other units, shape (n,).
        level: Coverage that the interval aims at, between 0 and 1.

    Returns:
        g and its interval, with variance (m + n) / (m n) + g^2 / (2 (m + n)); undefined when a group has
        fewer than two values or neither varies.

    Raises:
        ValueError: A number is not finite, or the level is out of range.

    Sources: L. Hedges, Distribution theory for Glass's estimator of effect size and related estimators,
    *Journal of Educational Statistics* 6 (1981); L. Hedges and I. Olkin (1985), section 5.B.
    """
    ours, others, missing = _groups(first, second, level)
    if missing:
        return undefined(missing)
    m, n = ours.size, others.size
    freedom = m + n - 2
    spread = math.sqrt(((m - 1) * ours.var(ddof=1) + (n - 1) * others.var(ddof=1)) / freedom)
    if _is_rounding(spread, ours, others):
        return undefined("neither group varies")
    effect = _unbiased(freedom) * float(ours.mean() - others.mean()) / spread
    return _around(effect, (m + n) / (m * n) + effect**2 / (2 * (m + n)), level)


def cliffs_delta(first: ArrayLike, second: ArrayLike, level: float = LEVEL) -> Interval[float | None]:
    """Probability that a value of the first group is above one of the second, minus that of below.

    Needs no normal data and no scale, only an order. Where the groups separate, the far end is the one that
    Feng and Cliff give, which is Wilson's for the smaller group all on one side.

    Args:
        first: Finite numbers, shape (m,).
        second: Finite numbers of other units, shape (n,).
        level: Coverage that the interval aims at, between 0 and 1.

    Returns:
        Delta, -1 to 1, and its asymmetric interval; undefined when a group has fewer than two values.

    Raises:
        ValueError: A number is not finite, or the level is out of range.

    Sources: N. Cliff, Dominance statistics: ordinal analyses to answer ordinal questions, *Psychological
    Bulletin* 114 (1993), for the variance; D. Feng and N. Cliff, Monte Carlo evaluation of ordinal d with
    improved confidence interval, *Journal of Modern Applied Statistical Methods* 3 (2004).
    """
    ours, others, missing = _groups(first, second, level)
    if missing:
        return undefined(missing)
    delta = float(2 * placements(ours, others).mean() - 1)
    if abs(delta) == 1:
        return _separated(delta, min(ours.size, others.size), level)
    reach = normal_reach(level) * math.sqrt(_dominance_variance(ours, others, delta))
    rest = 1 - delta**2
    wide = reach * math.sqrt(rest**2 + reach**2)
    scale = rest + reach**2
    return Interval(delta, (delta * rest - wide) / scale, (delta * rest + wide) / scale)


def _dominance_variance(ours: NDArray[np.float64], others: NDArray[np.float64], delta: float) -> float:
    """Cliff's unbiased variance of delta, held above the least that he allows."""
    m, n = ours.size, others.size
    # Row and column means of the m by n matrix of signs; its squares are 1 but for ties.
    rows = float(((2 * placements(ours, others) - 1 - delta) ** 2).sum())
    columns = float(((1 - 2 * placements(others, ours) - delta) ** 2).sum())
    cells = m * n * (1 - delta**2) - count_ties(ours, others)
    unbiased = (n**2 * rows + m**2 * columns - cells) / (m * n * (m - 1) * (n - 1))
    return max(unbiased, (1 - delta**2) / (m * n - 1))


def _separated(delta: float, smaller: int, level: float) -> Interval[float | None]:
    rate = wilson_interval(smaller if delta > 0 else 0, smaller, level)
    low, high = (2 * end - 1 for end in (rate.low, rate.high) if end is not None)
    return Interval(delta, low, high)


def _groups(
    first: ArrayLike, second: ArrayLike, level: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], str | None]:
    """Both groups as vectors, and why they have no effect size, if so."""
    ours = finite_values(first, "an effect size", least=0)
    others = finite_values(second, "an effect size", least=0)
    check_level(level)
    few = min(ours.size, others.size) < MIN_VALUES
    reason = f"an effect size needs two values in each group, there are {ours.size} and {others.size}"
    return ours, others, reason if few else None


def _is_rounding(spread: float, ours: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    return bool(spread <= _ROUNDING * max(np.abs(ours).max(), np.abs(others).max()))


def _unbiased(freedom: int) -> float:
    """Hedges' factor, about 1 - 3 / (4 freedom - 1)."""
    return math.exp(math.lgamma(freedom / 2) - math.lgamma((freedom - 1) / 2)) / math.sqrt(freedom / 2)


def _around(effect: float, variance: float, level: float) -> Interval[float | None]:
    reach = normal_reach(level) * math.sqrt(variance)
    return Interval(effect, effect - reach, effect + reach)
