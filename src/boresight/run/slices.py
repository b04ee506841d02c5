"""Run-level numbers by a field of the traces' ``meta``, and shares of the answer by rank and position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.measure.evidence import AbsentError
from boresight.measure.summary import summarise
from boresight.measure.utility import positive_shares
from boresight.stats.bootstrap import mean_interval
from boresight.stats.random import rng_for
from boresight.store.files import to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from boresight.measure.evidence import Evidence
    from boresight.outcome import Measure
    from boresight.trace import Trace

    Rows = Sequence[tuple[str, str, Measure]]  # trace id, measure, outcome

SMALLEST = 5  # a bootstrap over fewer traces says more about them than about the slice
ABSENT = "(none)"
PREFIX = "meta."


def check_fields(fields: Iterable[str], traces: Sequence[Trace]) -> None:
    """Refuse a field that is not in ``meta``, or that no trace has.

    Raises:
        SpecError: Names the fields that there are.
    """
    for name in fields:
        if not name.startswith(PREFIX):
            raise SpecError(f"--by takes a field of meta, such as meta.topic, not {name!r}")
        if traces and all(slice_of(trace, name) == ABSENT for trace in traces):
            known = sorted({PREFIX + key for trace in traces for key in trace.meta})
            raise SpecError(f"no trace has {name!r}; there is {', '.join(known[:10]) or 'no meta at all'}")


def slice_of(trace: Trace, name: str) -> str:
    """The slice that a trace belongs to; nested fields by dots, other JSON values by their text."""
    value: Any = trace.meta
    for key in name.removeprefix(PREFIX).split("."):
        value = value.get(key) if hasattr(value, "get") else None
    if value is None:
        return ABSENT
    return value if isinstance(value, str) else to_json(value)


def slices(fields: Iterable[str], traces: Sequence[Trace], rows: Rows, seed: int) -> dict[str, Any]:
    """Every measure of every slice, with intervals and counts; too small slices are undefined, not hidden."""
    return {name: _by_field(name, traces, rows, seed) for name in fields}


def _by_field(name: str, traces: Sequence[Trace], rows: Rows, seed: int) -> dict[str, Any]:
    home = {trace.id: slice_of(trace, name) for trace in traces}
    groups: dict[str, list[tuple[str, Measure]]] = {key: [] for key in sorted(set(home.values()))}
    for trace, measure, outcome in rows:
        groups[home[trace]].append((measure, outcome))
    sizes = list(home.values())
    return {
        key: {"traces": sizes.count(key), "measures": _measures(group, sizes.count(key), seed)}
        for key, group in groups.items()
    }


def _measures(group: Sequence[tuple[str, Measure]], size: int, seed: int) -> dict[str, Any]:
    found: dict[str, Any] = {name: {**one, "reason": None} for name, one in summarise(group, seed).items()}
    if size >= SMALLEST:
        return found
    reason = f"only {size} of the {SMALLEST} traces that a slice needs"
    nothing = {"value": None, "low": None, "high": None, "chance": None, "reason": reason}
    return {name: {**one, **nothing} for name, one in found.items()}


class Shares:
    """Collects which share of the answer each retriever rank and each prompt position has, over traces."""

    def __init__(self) -> None:
        self._by: dict[str, dict[int, list[float]]] = {"rank": {}, "position": {}}

    def add(self, evidence: Evidence) -> None:
        """Add one trace; tied ranks share the mean of their passages."""
        shares = positive_shares(evidence.attribution or {})
        if shares is None:
            return
        self._collect("position", {passage: place for place, passage in enumerate(evidence.players)}, shares)
        try:
            ranks = {passage: int(rank) for passage, rank in evidence.retriever.known_ranks().items()}
        except AbsentError:
            return
        self._collect("rank", ranks, shares)

    def _collect(self, kind: str, places: Mapping[str, int], shares: Mapping[str, float]) -> None:
        together: dict[int, list[float]] = {}
        for passage, place in places.items():
            together.setdefault(place, []).append(shares[passage])
        for place, found in together.items():
            self._by[kind].setdefault(place, []).append(sum(found) / len(found))

    def to_json(self, kind: str, seed: int) -> list[dict[str, Any]]:
        """Mean share with interval by ``rank`` or ``position``, the first place first."""
        rows = []
        for place, found in sorted(self._by[kind].items()):
            interval = mean_interval(found, rng_for(seed, "shares", kind, str(place)))
            rows.append(
                {
                    kind: place,
                    "value": interval.value,
                    "low": interval.low,
                    "high": interval.high,
                    "traces": len(found),
                }
            )
        return rows
