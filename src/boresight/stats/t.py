"""The t interval of a mean of independent, roughly normal samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.stats.interval import LEVEL, Interval, check_level
from boresight.stats.quantiles import t_reach

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def t_interval(samples: ArrayLike, level: float = LEVEL) -> Interval[NDArray[np.float64]]:
    """Mean of k samples with Student's t interval, element by element.

    Args:
        samples: Independent samples, shape (k, ...), k at least 1.
        level: Coverage of the interval, between 0 and 1.

    Returns:
        Value, low and high of shape (...), in the unit of the samples; no interval for one sample.

    Raises:
        ValueError: There is no sample, one is not finite, or the level is out of range.

    Source: Student, The probable error of a mean, *Biometrika* 6 (1908).
    """
    array = np.asarray(samples, dtype=np.float64)
    if array.ndim == 0 or len(array) == 0:
        raise ValueError(f"an interval needs at least one sample, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("an interval needs finite samples, got NaN or infinity")
    check_level(level)
    mean = np.asarray(array.mean(axis=0))
    if len(array) == 1:
        return Interval(mean, None, None, "one sample says nothing about spread")
    reach = t_reach(len(array) - 1, level) * array.std(axis=0, ddof=1) / np.sqrt(len(array))
    return Interval(mean, np.asarray(mean - reach), np.asarray(mean + reach))
