"""Numbers and names in plain words, the same everywhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST = 1000.0
_WHOLE = 10.0
_DOUBLE = 2.0
_SMALL = 0.1
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_TEENS = range(11, 14)


def number(value: float) -> str:
    """Two decimals, more digits where two would show nothing; never a negative zero."""
    digits = f"{value:.2g}" if 0 < abs(value) < _SMALL else f"{value:.2f}"
    return "0" if float(digits) == 0 else digits


def nats(value: float) -> str:
    """``2.31 nats``."""
    return f"{number(value)} nats"


def likelier(effect: float) -> str:
    """An effect of some nats in words: ``3.3 times less likely``, ``4 percent more likely``."""
    direction = "more likely" if effect > 0 else "less likely"
    if abs(effect) > math.log(_MOST):
        return f"more than 1,000 times {direction}"
    factor = math.exp(abs(effect))
    if factor < _DOUBLE:
        return f"{abs(100 * math.expm1(effect)):.2g} percent {direction}"
    return f"{factor:.0f} times {direction}" if factor >= _WHOLE else f"{factor:.2g} times {direction}"


def percent(rate: float) -> str:
    """``41 percent``."""
    return f"{100 * rate:.0f} percent"


def interval(low: float | None, high: float | None, *, scale: float = 1.0, digits: int = 2) -> str:
    """``95 percent interval 0.10 to 0.32``, or that there is none."""
    if low is None or high is None:
        return "no interval"
    return f"95 percent interval {scale * low:.{digits}f} to {scale * high:.{digits}f}"


def ordinal(place: int) -> str:
    """``1st``, ``2nd``, ``11th``."""
    return f"{place}{'th' if place % 100 in _TEENS else _ENDINGS.get(place % 10, 'th')}"


def joined(parts: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))


def passages(ids: Sequence[str]) -> str:
    """``passage a`` or ``passages a and b``."""
    return f"passage{'s' if len(ids) > 1 else ''} {joined(ids)}"


def counted(count: int, noun: str) -> str:
    """``1 trace``, ``2,000 traces``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
