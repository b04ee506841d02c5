"""The 95th percentile of absolute values, as the placebo floor reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.stats.interval import finite_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SHARE = 0.95


def absolute_percentile(values: ArrayLike, share: float = SHARE) -> float:
    """The size below which the given share of values of this kind lies.

    Interpolates linearly at the place share * (n + 1), counted from 1, in the order of size; where that lies
    beyond the largest, it is the largest. So a further value is larger as often as :func:`exceedance` says.
    The more common place 1 + share * (n - 1) is exceeded more often: of eight values, by about one in seven.

    Args:
        values: Finite numbers of either sign, shape (n,), n at least 1.
        share: The part of the values that lies below, between 0 and 1.

    Returns:
        The percentile, in the unit of the values, never negative.

    Raises:
        ValueError: There is no value, one is not finite, or the share is out of range.

    Source: R. Hyndman and Y. Fan, Sample quantiles in statistical packages, *American Statistician* 50
    (1996), definition 6 (Weibull 1939, Gumbel 1939).
    """
    sizes = np.abs(finite_values(values, "a percentile"))
    _check(share)
    return float(np.quantile(sizes, share, method="weibull"))


def exceedance(count: int, share: float = SHARE) -> float:
    """Probability that a further value of the same kind is larger than the percentile of ``count`` values.

    Few values cannot reach the share: the largest of eight is exceeded by one in nine, and only from 19 on is
    the 95th percentile exceeded by one in twenty.

    Args:
        count: Number of values, at least 1.
        share: The part of the values that was to lie below, between 0 and 1.

    Raises:
        ValueError: There is no value, or the share is out of range.

    Source: S. Wilks, Determination of sample sizes for setting tolerance limits, *Annals of Mathematical
    Statistics* 12 (1941).
    """
    _check(share)
    if count < 1:
        raise ValueError(f"a percentile needs at least 1 value, got {count}")
    return max(1 - share, 1 / (count + 1))


def _check(share: float) -> None:
    if not 0 < share < 1:
        raise ValueError(f"share must be between 0 and 1, got {share}")
