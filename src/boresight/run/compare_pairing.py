"""Which traces of two runs can be paired: the same id must be the same question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boresight.run.result import RunResult
    from boresight.trace import Trace


@dataclass(frozen=True, slots=True)
class Pairing:
    """Traces of two runs, by id.

    Attributes:
        common: Traces with the same question in both runs, in the order of the first; these are compared.
        only_first: Traces that the second run lacks.
        only_second: Traces that the first run lacks.
        other_question: Ids that stand for another question or history in the second run; not compared.
        other_context: Of the common ones, those whose passages or their order differ.
        other_answer: Of the common ones, those whose scored answer differs.
    """

    common: tuple[str, ...]
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]
    other_question: tuple[str, ...]
    other_context: tuple[str, ...]
    other_answer: tuple[str, ...]


def pair_traces(first: RunResult, second: RunResult) -> Pairing:
    """Pair the traces of two runs by id."""
    shared = [(trace, second.traces[key]) for key, trace in first.traces.items() if key in second.traces]
    common = [(a, b) for a, b in shared if _question(a) == _question(b)]
    return Pairing(
        common=tuple(a.id for a, _ in common),
        only_first=tuple(key for key in first.traces if key not in second.traces),
        only_second=tuple(key for key in second.traces if key not in first.traces),
        other_question=tuple(a.id for a, b in shared if _question(a) != _question(b)),
        other_context=tuple(a.id for a, b in common if _context(a) != _context(b)),
        other_answer=tuple(a.id for a, _ in common if first.answers.get(a.id) != second.answers.get(a.id)),
    )


def same_passages(first: Trace, second: Trace) -> tuple[str, ...]:
    """Ids that stand for the same text in both contexts, in the order of the first."""
    there = dict(_context(second))
    return tuple(key for key, content in _context(first) if there.get(key) == content)


def _question(trace: Trace) -> object:
    return trace.query, trace.history


def _context(trace: Trace) -> list[tuple[str, tuple[str | None, str]]]:
    passages = [trace.passage(key) for key in trace.context]
    return [(passage.id, (passage.title, passage.text)) for passage in passages]
