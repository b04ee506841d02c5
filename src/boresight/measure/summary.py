"""Measures of many traces, summed up: means over the defined ones, with intervals and all counts."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, TypedDict

from boresight.measure.registry import parse
from boresight.stats.bootstrap import mean_interval
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boresight.outcome import Measure


class Summary(TypedDict):
    """One measure over a run.

    ``value`` is the mean over the defined traces (None when there is none), ``low`` and ``high`` its 95
    percent bootstrap interval over traces (None below two), ``chance`` the mean chance level of the same
    traces (None unless each of them has one), ``unit`` the measure's, ``reasons`` why it has no value, with
    the number of traces, the commonest first.
    """

    value: float | None
    low: float | None
    high: float | None
    defined: int
    undefined: int
    failed: int
    chance: float | None
    unit: str
    reasons: dict[str, int]


def summarise(rows: Iterable[tuple[str, Measure]], seed: int) -> dict[str, Summary]:
    """Sum up measures by name.

    Args:
        rows: Name of a measure and its outcome for one trace, in any order.
        seed: Seed of the run; the draws of a measure depend on it, its name and its values alone.

    Returns:
        One summary a name, in order of first appearance; no NaN, no infinity.

    Raises:
        SpecError: A name is not that of a measure.
    """
    outcomes: dict[str, list[Measure]] = {}
    for name, outcome in rows:
        outcomes.setdefault(name, []).append(outcome)
    return {name: _summary(name, found, seed) for name, found in outcomes.items()}


def _summary(name: str, outcomes: Sequence[Measure], seed: int) -> Summary:
    states = Counter(outcome.state for outcome in outcomes)
    values = [outcome.value for outcome in outcomes if outcome.value is not None]
    chances = [outcome.chance for outcome in outcomes if outcome.is_defined and outcome.chance is not None]
    interval = mean_interval(values, rng_for(seed, "summary", name)) if values else None
    return Summary(
        value=interval.value if interval else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        defined=states["defined"],
        undefined=states["undefined"],
        failed=states["failed"],
        chance=math.fsum(chances) / len(chances) if values and len(chances) == len(values) else None,
        unit=parse(name).family.unit,
        reasons=dict(Counter(outcome.reason for outcome in outcomes if outcome.reason).most_common()),
    )
