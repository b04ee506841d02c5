"""Over a run: where its answers come from, beside whether they are right, with examples."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boresight.findings.case import larger_floor
from boresight.measure.evidence import RESOLUTION
from boresight.measure.knowledge import SOURCES, Source, says_the_same, source_of
from boresight.measure.quality import containment
from boresight.stats.wilson import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.measure.evidence import Evidence

EXAMPLES = 3
RIGHT, WRONG, OPEN = "right", "wrong", "no_reference"


@dataclass(slots=True)
class KnowledgeTotals:
    """Collects the source of each answer.

    Attributes:
        placebo: The run's placebo floor, nats; None when there is none.
        closed_book: What the model answers to the plain question, by trace id.
        found: By source and correctness, ids of the traces.
        unknown: Number of traces of which it cannot be said.
    """

    placebo: float | None
    closed_book: Mapping[str, str]
    found: dict[tuple[Source, str], list[str]] = field(default_factory=dict)
    unknown: int = 0

    def add(self, evidence: Evidence) -> None:
        """Sort one trace in."""
        memory = self.closed_book.get(evidence.trace)
        answer, grand, closed = evidence.extra.answer, evidence.grand, evidence.closed_book
        if memory is None or answer is None or grand is None or closed is None or not evidence.players:
            self.unknown += 1
            return
        floor = max(larger_floor(evidence.floor, self.placebo), RESOLUTION)
        source = source_of(grand - closed, floor, memory_agrees=says_the_same(answer, memory))
        key = source, _correctness(answer, evidence.extra.references)
        self.found.setdefault(key, []).append(evidence.trace)

    def summary(self) -> dict[str, Any]:
        """The entry ``knowledge`` of the summary.

        Returns:
            ``known`` and ``unknown`` traces; by source its number of ``traces``, their ``share`` of the known
            ones with a Wilson interval, how many are ``right``, ``wrong`` and without reference, and
            ``examples``, up to three trace ids for each of these.
        """
        known = sum(map(len, self.found.values()))
        sources = {source: self._line(source, known) for source in SOURCES}
        return {"known": known, "unknown": self.unknown, "sources": sources if known else {}}

    def _line(self, source: Source, known: int) -> dict[str, Any]:
        traces = {state: self.found.get((source, state), []) for state in (RIGHT, WRONG, OPEN)}
        counts = {state: len(ids) for state, ids in traces.items()}
        count = sum(counts.values())
        share = wilson_interval(count, known)
        examples = {state: ids[:EXAMPLES] for state, ids in traces.items() if ids}
        ends = {"share": share.value, "low": share.low, "high": share.high}
        return {"traces": count, **ends, **counts, "examples": examples}


def _correctness(answer: str, references: tuple[str, ...]) -> str:
    """Right where a reference stands in the answer."""
    if not references:
        return OPEN
    return RIGHT if containment(answer, references) else WRONG
