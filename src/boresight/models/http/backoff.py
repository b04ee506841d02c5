"""How long to wait before a call is tried again."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from boresight.models.http.limits import Limits

_uniform = random.SystemRandom().uniform  # waiting times change no number, and many clients must not agree


def pause(
    attempt: int, asked: float | None, limits: Limits, uniform: Callable[[float, float], float] = _uniform
) -> float:
    """Seconds to wait after a failed attempt: full jitter, and never less than the endpoint asks for.

    Args:
        attempt: Number of the attempt that failed, from 1.
        asked: Seconds of its ``Retry-After``, or None.
        limits: First and longest pause.
        uniform: Draws between two bounds.

    Source: Brooker, Exponential Backoff And Jitter (AWS Architecture Blog, 2015), "full jitter".
    """
    longest = min(limits.longest_pause, limits.backoff * 2.0 ** (attempt - 1))
    return (asked or 0.0) + uniform(0.0, longest)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that an answer asks to wait (RFC 9110, section 10.2.3); None if it says nothing usable.

    Args:
        headers: Headers of the answer; names in lower case, or a mapping that ignores case.
        now: The present moment, for dates.
    """
    if (milliseconds := _seconds(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000.0
    text = headers.get("retry-after", "").strip()
    seconds = _seconds(text)
    return _until(text, now or datetime.now(UTC)) if seconds is None else seconds


def _seconds(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value < float("inf") else None


def _until(text: str, now: datetime) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return max(0.0, ((moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - now).total_seconds())
