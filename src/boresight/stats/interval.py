"""The one shape of an estimate with its interval, and the checks that all estimates share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

LEVEL = 0.95

V_co = TypeVar("V_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Interval(Generic[V_co]):
    """A value, or an array of values, with its interval.

    Attributes:
        value: The estimate; None where the data give none.
        low: Lower end, of the value's shape; None where the data say nothing about the error.
        high: Upper end; None exactly where ``low`` is.
        reason: Why there is no value or no interval; None when both are there.
    """

    value: V_co
    low: V_co | None
    high: V_co | None
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval has two ends or none")
        if self.value is None and self.low is not None:
            raise ValueError("an interval without a value has no ends")
        if (self.low is None) != bool(self.reason):
            raise ValueError(f"a reason is given exactly where an interval is missing, got {self.reason!r}")


def undefined(reason: str) -> Interval[None]:
    """No value and no interval, and why."""
    return Interval(None, None, None, reason)


def check_level(level: float) -> None:
    """Refuse a coverage that is not between 0 and 1.

    Raises:
        ValueError: The level is out of range, such as 95 for 0.95.
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1, got {level}")


def finite_values(values: ArrayLike, what: str, *, least: int = 1) -> NDArray[np.float64]:
    """Values as a vector of float64.

    Args:
        values: Numbers, shape (n,).
        what: What they are for, the subject of the error.
        least: Fewest numbers that make sense.

    Raises:
        ValueError: There are too few, they are not a vector, or one is NaN or infinite.
    """
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size < least:
        raise ValueError(f"{what} needs at least {least} value in one dimension, got shape {sample.shape}")
    if not np.isfinite(sample).all():
        raise ValueError(f"{what} needs finite values, got NaN or infinity")
    return sample
