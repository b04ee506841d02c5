"""Absent, zero, undefined and failed are four things.

A :class:`Measure` is defined (it has a value), undefined (the definition gives none, with the reason) or
failed (a call went wrong, with the reason). What was never asked for is absent: there is no row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

State = Literal["defined", "undefined", "failed"]


@dataclass(frozen=True, slots=True)
class Measure:
    """One number about one trace, or the reason why there is none.

    Attributes:
        state: ``defined``, ``undefined`` or ``failed``.
        value: The number; None unless defined.
        low: Lower end of the 95 percent interval; None where nothing was sampled.
        high: Upper end of the interval.
        reason: Why there is no value; None when defined.
        chance: The value that unrelated rankings would give, where that is known.
        minimum: The lowest value that the inputs allow, where it depends on them (WARG).
    """

    state: State
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    chance: float | None = None
    minimum: float | None = None

    def __post_init__(self) -> None:
        numbers = (self.value, self.low, self.high, self.chance, self.minimum)
        if any(number is not None and not math.isfinite(number) for number in numbers):
            raise ValueError(f"a measure holds finite numbers only, got {numbers}")
        if (self.state == "defined") != (self.value is not None):
            raise ValueError(f"state {self.state!r} does not go with value {self.value!r}")
        if (self.state == "defined") == bool(self.reason):
            raise ValueError(f"state {self.state!r} does not go with reason {self.reason!r}")

    @classmethod
    def defined(
        cls,
        value: float,
        *,
        low: float | None = None,
        high: float | None = None,
        chance: float | None = None,
        minimum: float | None = None,
    ) -> Measure:
        """A measure with a value."""
        return cls("defined", float(value), low, high, None, chance, minimum)

    @classmethod
    def undefined(cls, reason: str) -> Measure:
        """A measure whose definition gives no value here."""
        return cls("undefined", reason=reason)

    @classmethod
    def failed(cls, reason: str) -> Measure:
        """A measure that could not be taken."""
        return cls("failed", reason=reason)

    @property
    def is_defined(self) -> bool:
        """Whether there is a value."""
        return self.state == "defined"
