"""The jackknife: the error of a statistic from its values with one unit, or one group, left out.

For statistics that are smooth in the data, such as means, ratios and regression weights; a median is not.

Sources: M. Quenouille, Notes on bias in estimation, *Biometrika* 43 (1956); J. Tukey, Bias and confidence in
not-quite large samples, *Annals of Mathematical Statistics* 29 (1958); B. Efron and C. Stein, The jackknife
estimate of variance, *Annals of Statistics* 9 (1981).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from boresight.stats.interval import LEVEL, Interval, check_level
from boresight.stats.quantiles import t_reach

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats = NDArray[np.float64]

MIN_REPLICATES = 2


def jackknife_interval(
    statistic: Callable[[Floats], ArrayLike],
    sample: ArrayLike,
    *,
    groups: Sequence[Hashable] | None = None,
    population: int | None = None,
    level: float = LEVEL,
) -> Interval[Floats]:
    """A statistic with its jackknife t interval, element by element.

    Args:
        statistic: From units, shape (any number, ...), to one array of any fixed shape.
        sample: The units, shape (m, ...), m at least 1.
        groups: Group of each unit; whole groups are left out. Without it each unit is its own group.
        population: Number of units that the sample was drawn from without replacement; None for no end.
        level: Coverage that the interval aims at, between 0 and 1.

    Returns:
        The statistic of the whole sample and its interval with k - 1 degrees of freedom for k groups; no
        interval for one group.

    Raises:
        ValueError: There is no unit, a result is not finite, the groups do not fit, or an option is out of
            range.

    Source: Tukey (1958); finite populations as in :func:`jackknife_error`.
    """
    units = np.asarray(sample, dtype=np.float64)
    if units.ndim == 0 or len(units) == 0:
        raise ValueError(f"a jackknife needs at least one unit, got shape {units.shape}")
    check_level(level)
    value = np.asarray(statistic(units), dtype=np.float64)
    left_out = _members(len(units), groups)
    if len(left_out) < MIN_REPLICATES:
        return Interval(value, None, None, "one group of units says nothing about spread")
    replicates = np.array([statistic(np.delete(units, rows, axis=0)) for rows in left_out], dtype=np.float64)
    error = jackknife_error(replicates, drawn=len(units), population=population)
    reach = t_reach(len(replicates) - 1, level) * error
    return Interval(value, np.asarray(value - reach), np.asarray(value + reach))


def jackknife_error(
    replicates: ArrayLike, *, drawn: int | None = None, population: int | None = None
) -> Floats:
    """Standard error from the values with one unit or group left out, element by element.

    It is sqrt((k - 1) / k * sum of squared distances from their mean), times sqrt(1 - m / M) where m units
    were drawn without replacement out of M: with all of them drawn there is no error.

    Args:
        replicates: Values with each of the k groups left out, shape (k, ...), k at least 2.
        drawn: Number of units drawn, m; by default k, one a replicate.
        population: Number of units there were to draw, M; None for no end.

    Returns:
        Standard errors, shape (...), in the unit of the replicates.

    Raises:
        ValueError: There are fewer than two replicates, one is not finite, or more units were drawn than
            there are.

    Source: Efron and Stein (1981); W. Cochran, *Sampling Techniques* (1977), section 2.6, for the factor.
    """
    array = np.asarray(replicates, dtype=np.float64)
    if array.ndim == 0 or len(array) < MIN_REPLICATES:
        raise ValueError(f"a jackknife needs at least two replicates, got shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("a jackknife needs finite values, got NaN or infinity")
    k = len(array)
    factor = (k - 1) * _left_to_draw(k if drawn is None else drawn, population)
    return np.asarray(math.sqrt(factor) * array.std(axis=0))


def _left_to_draw(drawn: int, population: int | None) -> float:
    """The share of the population that was not drawn, 1 - m / M."""
    if population is None:
        return 1.0
    if not 0 < drawn <= population:
        raise ValueError(f"{drawn} units cannot be drawn from a population of {population}")
    return 1 - drawn / population


def _members(size: int, groups: Sequence[Hashable] | None) -> list[list[int]]:
    """The rows of each group, in order of first appearance."""
    if groups is None:
        return [[row] for row in range(size)]
    if len(groups) != size:
        raise ValueError(f"each of the {size} units needs a group, got {len(groups)}")
    rows: dict[Hashable, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    return list(rows.values())
