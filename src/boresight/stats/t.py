"""The t interval of a mean of independent, roughly normal samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True)
class TInterval:
    """Means along the first axis and their intervals; each array has the shape of one sample.

    Attributes:
        mean: The means.
        low: Lower ends; None when there are fewer than two samples.
        high: Upper ends; None when there are fewer than two samples.
    """

    mean: NDArray[np.float64]
    low: NDArray[np.float64] | None
    high: NDArray[np.float64] | None


def t_interval(samples: ArrayLike, level: float = 0.95) -> TInterval:
    """Mean of k samples with Student's t interval, element by element.

    Args:
        samples: Independent samples, shape (k, ...), k at least 1.
        level: Coverage of the interval, between 0 and 1.

    Returns:
        Mean, low and high of shape (...), in the unit of the samples.

    Raises:
        ValueError: There is no sample, one is not finite, or the level is out of range.

    Source: Student, The probable error of a mean, *Biometrika* 6 (1908).
    """
    array = np.asarray(samples, dtype=np.float64)
    if array.ndim == 0 or len(array) == 0:
        raise ValueError(f"an interval needs at least one sample, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("an interval needs finite samples, got NaN or infinity")
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")
    mean = np.asarray(array.mean(axis=0))
    if len(array) == 1:
        return TInterval(mean, None, None)
    reach = _quantile(len(array) - 1, level) * array.std(axis=0, ddof=1) / np.sqrt(len(array))
    return TInterval(mean, np.asarray(mean - reach), np.asarray(mean + reach))


def _quantile(freedom: int, level: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))
