"""The percentile bootstrap of a mean over traces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

DRAWS = 2000
LEVEL = 0.95
_BLOCK = 1 << 20  # resampled values held at once: 8 MiB of float64


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A mean and its interval.

    Attributes:
        mean: The mean of the values.
        low: Lower end; None when there is one value, which says nothing about spread.
        high: Upper end; None when there is one value.
    """

    mean: float
    low: float | None
    high: float | None


def mean_interval(
    values: ArrayLike, rng: np.random.Generator, *, draws: int = DRAWS, level: float = LEVEL
) -> MeanInterval:
    """Mean of the values with its percentile bootstrap interval.

    Values are sorted before they are resampled, so the interval depends on the values and the generator, not
    on the order of the traces. Memory is bounded whatever the number of values.

    Args:
        values: One finite number a trace, shape (n,), n at least 1.
        rng: Source of the draws.
        draws: Number of resamples.
        level: Coverage that the interval aims at, between 0 and 1.

    Returns:
        Mean, low and high, in the unit of the values.

    Raises:
        ValueError: There is no value, one is not finite, or an option is out of range.

    Source: Efron and Tibshirani, *An Introduction to the Bootstrap* (1993), section 13.3.
    """
    sample = np.sort(np.asarray(values, dtype=np.float64))
    _check(sample, draws, level)
    mean = float(sample.mean())
    if sample.size == 1:
        return MeanInterval(mean, None, None)
    tail = (1 - level) / 2
    low, high = np.quantile(_resampled_means(sample, rng, draws), [tail, 1 - tail])
    return MeanInterval(mean, float(low), float(high))


def _check(sample: NDArray[np.float64], draws: int, level: float) -> None:
    if sample.ndim != 1 or sample.size == 0:
        raise ValueError(f"a mean needs at least one value in one dimension, got shape {sample.shape}")
    if not np.isfinite(sample).all():
        raise ValueError("a mean needs finite values, got NaN or infinity")
    if draws < 1 or not 0 < level < 1:
        raise ValueError(f"draws must be at least 1 and level between 0 and 1, got {draws} and {level}")


def _resampled_means(
    sample: NDArray[np.float64], rng: np.random.Generator, draws: int
) -> NDArray[np.float64]:
    means = np.empty(draws)
    rows = max(1, _BLOCK // sample.size)
    for start in range(0, draws, rows):
        stop = min(start + rows, draws)
        means[start:stop] = sample[rng.integers(sample.size, size=(stop - start, sample.size))].mean(axis=1)
    return means
