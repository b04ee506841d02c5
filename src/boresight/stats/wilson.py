"""Wilson's interval of a rate."""

from __future__ import annotations

import math

from boresight.stats.interval import LEVEL, Interval, check_level, undefined
from boresight.stats.quantiles import normal_reach


def wilson_interval(successes: int, n: int, level: float = LEVEL) -> Interval[float | None]:
    """Rate of successes with Wilson's score interval, without continuity correction.

    Holds up at few trials and at rates of 0 and 1, where the interval keeps its width.

    Args:
        successes: Number of successes, 0 to n.
        n: Number of independent trials.
        level: Coverage that the interval aims at, between 0 and 1.

    Returns:
        Rate and ends within 0 to 1; undefined when there is no trial.

    Raises:
        ValueError: The counts contradict each other, or the level is out of range.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, *JASA* 22
    (1927).
    """
    if not 0 <= successes <= n:
        raise ValueError(f"successes must be between 0 and n, got {successes} of {n}")
    check_level(level)
    if n == 0:
        return undefined("there is no trial to take a rate of")
    return Interval(successes / n, _low(successes, n, level), 1 - _low(n - successes, n, level))


def _low(successes: int, n: int, level: float) -> float:
    """The lower end; the upper one is that of the failures, seen from 1."""
    rate, z = successes / n, normal_reach(level)
    centre = rate + z * z / (2 * n)
    # (centre - reach) / (1 + z^2 / n) in a form that is exactly 0 at no success.
    reach = z * math.sqrt(rate * (1 - rate) / n + (z / (2 * n)) ** 2)
    return rate**2 / (centre + reach)
