"""What every estimator is: a design of coalitions, and an estimate from their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]
Floats = NDArray[np.float64]
Values = ArrayLike | Mapping[tuple[bool, ...], ArrayLike]


class Attributions(NamedTuple):
    """Attributions of all players, with their interval or the reason why there is none.

    Attributes:
        attribution: Float64, shape (n, T), or (n,) for a game with one number a coalition.
        low: Lower ends of the 95 percent interval, same shape; None without an interval.
        high: Upper ends of the interval; None without an interval.
        reason: Why there is no interval; None when there is one.
    """

    attribution: Floats
    low: Floats | None
    high: Floats | None
    reason: str | None


class Design(Protocol):
    """The coalitions that an estimator needs; a pure function of players, budget and random generator."""

    @property
    def coalitions(self) -> Bools:
        """Distinct coalitions, empty and grand included; shape (m, n), True where a player is in."""

    @property
    def diagnostics(self) -> Mapping[str, int]:
        """Counts that a person may want to see, by name."""


D = TypeVar("D", bound=Design)


class Estimator(Protocol[D]):
    """A way from a budget to attributions, in two halves."""

    @property
    def estimand(self) -> str:
        """The quantity that is estimated, such as ``shapley``."""

    @property
    def default_budget(self) -> int:
        """Most coalitions to ask for when nobody says how many."""

    def design(self, n_players: int, budget: int, rng: np.random.Generator) -> D:
        """Choose at most ``budget`` distinct coalitions; ValueError when the budget is too small."""

    def estimate(self, design: D, values: Values) -> Attributions:
        """Attributions from the values of ``design.coalitions``, in any form that :func:`aligned` takes."""


def finite_values(values: ArrayLike) -> Floats:
    """Values as a float64 array of shape (m,) or (m, T).

    Args:
        values: One row a coalition.

    Raises:
        ValueError: The values are no such array of real numbers, or one of them is NaN or infinite.
    """
    try:
        array = np.asarray(values)
    except ValueError:
        raise ValueError("values must have as many numbers for each coalition") from None
    if array.dtype.kind not in "biuf":
        raise ValueError(f"values must be real numbers, got {array.dtype}")
    array = array.astype(np.float64, copy=False)
    if array.ndim not in (1, 2):
        raise ValueError(f"values must have the shape (m,) or (m, T), got {array.shape}")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        place = tuple(int(index) for index in bad[0])
        raise ValueError(f"values must be finite, got {array[place]} in row {place[0]}")
    return array


def aligned(design: Design, values: Values) -> Floats:
    """Values as an array with one row for each of the design's coalitions.

    Args:
        design: The design.
        values: Aligned with ``design.coalitions``, shape (m, T) or (m,); or a mapping from each coalition, as
            a tuple of n truth values, to its number or its T numbers.

    Raises:
        ValueError: A coalition has no value, or a value is NaN or infinite.
    """
    table = _looked_up(design, values) if isinstance(values, Mapping) else finite_values(values)
    if len(table) != len(design.coalitions):
        raise ValueError(f"the design has {len(design.coalitions)} coalitions, got {len(table)} values")
    return table


def _looked_up(design: Design, values: Mapping[tuple[bool, ...], ArrayLike]) -> Floats:
    keys = [tuple(row) for row in design.coalitions.tolist()]
    missing = [key for key in keys if key not in values]
    if missing:
        raise ValueError(f"{len(missing)} coalitions have no value, the first is {missing[0]}")
    return finite_values([np.asarray(values[key]) for key in keys])


def require_budget(method: str, n_players: int, budget: int, least: int, because: str) -> None:
    """Refuse a budget below what a method needs.

    Args:
        method: Name of the method, as it begins the reason.
        n_players: Number of players.
        budget: Coalitions allowed.
        least: Coalitions needed.
        because: What they are needed for.

    Raises:
        ValueError: The budget is too small.
    """
    if budget < least:
        raise ValueError(
            f"a budget of {budget:,} is too small for {n_players} players: {method} needs at least "
            f"{least:,} coalitions, {because}"
        )
