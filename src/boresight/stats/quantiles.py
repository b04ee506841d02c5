"""How many standard errors an interval of a given level reaches to each side."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from boresight.stats.interval import LEVEL, check_level

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def normal_reach(level: float) -> float:
    """Two-sided quantile of the normal distribution: 1.96 for 0.95.

    Raises:
        ValueError: The level is not between 0 and 1.
    """
    check_level(level)
    return NormalDist().inv_cdf((1 + level) / 2)


def t_reach(freedom: int, level: float) -> float:
    """Two-sided quantile of Student's t distribution.

    Args:
        freedom: Degrees of freedom, at least 1.
        level: Coverage of the interval.

    Raises:
        ValueError: The level is not between 0 and 1.
    """
    from scipy.special import stdtrit

    check_level(level)
    return float(stdtrit(freedom, (1 + level) / 2))


def t_reaches(freedom: ArrayLike, level: float = LEVEL) -> NDArray[np.float64]:
    """Two-sided quantiles of Student's t distribution, element by element.

    Args:
        freedom: Degrees of freedom, whole or not, at least 1; fewer count as 1.
        level: Coverage of the interval.

    Raises:
        ValueError: The level is not between 0 and 1.
    """
    from scipy.special import stdtrit

    check_level(level)
    return np.asarray(stdtrit(np.maximum(freedom, 1.0), (1 + level) / 2), dtype=np.float64)
