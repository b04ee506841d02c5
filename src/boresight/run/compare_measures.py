"""Paired differences of every measure: second run minus first, over the traces that have a value in both."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from boresight.run.progress import Silent
from boresight.stats.bootstrap import paired_interval
from boresight.stats.multiple import adjusted
from boresight.stats.random import rng_for
from boresight.stats.sign_flip import sign_flip_p

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from boresight.run.progress import Progress
    from boresight.run.result import RunResult

    Values = Mapping[str, float]  # by trace id

FALSE_DISCOVERIES = 0.05
MOVED = 10
RESOLUTION = 1e-6  # stored rows are float32: a smaller difference is none


@dataclass(frozen=True, slots=True)
class Move:
    """One trace of a measure.

    Attributes:
        trace: Its id.
        first: Value in the first run.
        second: Value in the second.
        difference: Second minus first.
    """

    trace: str
    first: float
    second: float
    difference: float


@dataclass(frozen=True, slots=True)
class MeasureChange:
    """What became of one measure.

    Attributes:
        measure: Its name.
        unit: Its unit.
        first: Mean of the first run over the pairs; None without pairs.
        second: Mean of the second run over the same traces.
        difference: Mean of second minus first; None without pairs.
        low: Lower end of its 95 percent interval; None below two pairs.
        high: Upper end.
        reason: Why the difference or its interval is missing.
        p: P value of a mean difference of 0; None below two pairs.
        adjusted: The same, adjusted for the number of measures.
        changed: Whether the adjusted p value is at most 0.05 and the difference beyond rounding.
        pairs: Traces that have a value in both runs.
        only_first: Common traces that have a value in the first run alone.
        only_second: Common traces that have a value in the second run alone.
        neither: Common traces without a value in either.
        moved: The traces that moved most, the largest difference first.
    """

    measure: str
    unit: str
    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None
    reason: str | None
    p: float | None
    adjusted: float | None
    changed: bool
    pairs: int
    only_first: int
    only_second: int
    neither: int
    moved: tuple[Move, ...]


def measure_changes(
    first: RunResult,
    second: RunResult,
    common: Sequence[str],
    names: Iterable[str],
    *,
    seed: int,
    floor: float,
    progress: Progress | None = None,
) -> dict[str, MeasureChange]:
    """Compare measures that both runs hold.

    Args:
        first: The first run.
        second: The second.
        common: Ids of the traces to pair.
        names: Measures that both runs hold.
        seed: Seed of the bootstrap and of the test.
        floor: What rounding can do to a number in nats; smaller differences are no change.
        progress: Told of each measure.

    Returns:
        By name, in the order of ``names``; p values adjusted over all of them (Benjamini and Hochberg).
    """
    ours, theirs, held = _by_measure(first), _by_measure(second), first.summary["measures"]
    chosen, told, found = list(names), progress or Silent(), {}
    told.phase("comparing", len(chosen))
    for name in chosen:
        a, b = _of(ours.get(name, {}), common), _of(theirs.get(name, {}), common)
        unpaired = len(common) - len(a.keys() | b.keys())
        found[name] = _change(name, held[name]["unit"], a, b, seed=seed, neither=unpaired)
        told.advance()
    positive = adjusted({name: one.p for name, one in found.items() if one.p is not None})
    return {name: _judged(one, positive.get(name), floor) for name, one in found.items()}


def _by_measure(run: RunResult) -> dict[str, dict[str, float]]:
    """Defined values by measure and trace; the row of the answer wins over those of other targets."""
    table = run.measures.reset_index()
    table = table[table["state"] == "defined"]
    found: dict[str, dict[str, float]] = {}
    for row in table[["measure", "trace", "target", "value"]].itertuples(index=False):
        values = found.setdefault(str(row.measure), {})
        if row.target == "answer" or row.trace not in values:
            values[str(row.trace)] = float(row.value)  # type: ignore[arg-type]
    return found


def _of(values: Values, traces: Sequence[str]) -> Values:
    return {trace: values[trace] for trace in traces if trace in values}


def _change(name: str, unit: str, first: Values, second: Values, *, seed: int, neither: int) -> MeasureChange:
    found = paired_interval(second, first, rng_for(seed, "compare", name))
    interval, paired = found.difference, sorted(first.keys() & second.keys())
    differences = [second[trace] - first[trace] for trace in paired]
    p = sign_flip_p(differences, rng_for(seed, "sign flip", name)) if len(paired) > 1 else None
    return MeasureChange(
        measure=name, unit=unit, first=_mean(first, paired), second=_mean(second, paired),
        difference=interval.value, low=interval.low, high=interval.high,
        reason=_reason(interval.reason, found.pairs),
        p=p, adjusted=None, changed=False, pairs=found.pairs,
        only_first=found.only_second, only_second=found.only_first, neither=neither,
        moved=_moved(first, second, paired),
    )  # fmt: skip


def _reason(reason: str | None, pairs: int) -> str | None:
    if not pairs:
        return "no trace has a value in both runs"
    return reason and "one trace says nothing about spread"


def _mean(values: Values, traces: Sequence[str]) -> float | None:
    return sum(values[trace] for trace in traces) / len(traces) if traces else None


def _moved(first: Values, second: Values, traces: Sequence[str]) -> tuple[Move, ...]:
    moves = [Move(trace, first[trace], second[trace], second[trace] - first[trace]) for trace in traces]
    moves.sort(key=lambda move: (-abs(move.difference), move.trace))
    return tuple(move for move in moves[:MOVED] if abs(move.difference) > RESOLUTION)


def _judged(change: MeasureChange, positive: float | None, floor: float) -> MeasureChange:
    least = max(floor, RESOLUTION) if change.unit == "nats" else RESOLUTION
    beyond = abs(change.difference or 0.0) > least
    return replace(
        change, adjusted=positive, changed=positive is not None and positive <= FALSE_DISCOVERIES and beyond
    )
