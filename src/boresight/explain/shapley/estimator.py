"""What every estimator is: a design of coalitions, and an estimate from their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Bools = NDArray[np.bool_]
Ints = NDArray[np.intp]
Floats = NDArray[np.float64]


class Attributions(NamedTuple):
    """Attributions of all players, with their interval or the reason why there is none.

    Attributes:
        attribution: Float64, shape (n, T), or (n,) for a game with a single number per coalition.
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
        """What a person should know about the design, by name."""


class Estimator[D: Design](Protocol):
    """A way to attributions from few coalitions."""
