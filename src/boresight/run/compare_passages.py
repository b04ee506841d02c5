"""Which passages gained or lost weight between two runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boresight.run.compare_measures import MOVED, RESOLUTION
from boresight.run.compare_pairing import same_passages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boresight.run.result import RunResult

ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class PassageMove:
    """One passage that carries another part of the same answer than before.

    Attributes:
        trace: Id of its trace.
        passage: Its id.
        first: Attribution in the first run, on the scale of both.
        second: In the second.
        difference: Second minus first.
        clear: Whether the difference is beyond the floors of both runs, and sampled intervals are apart.
    """

    trace: str
    passage: str
    first: float
    second: float
    difference: float
    clear: bool


@dataclass(frozen=True, slots=True)
class PassageChanges:
    """The passages of two runs.

    Attributes:
        scale: Scale of the attributions; None where the runs differ in it.
        floor: Differences up to this are no more than what rounding or any other text does; None where the
            runs measured none on this scale.
        compared: Passages with an attribution in both runs, for the same answer.
        clear: How many of them moved beyond floors and intervals.
        other_answer: Traces left out because another answer was attributed.
        moved: The passages that moved most, the largest difference first.
    """

    scale: str | None
    floor: float | None
    compared: int
    clear: int
    other_answer: int
    moved: tuple[PassageMove, ...]


def difference_floor(first: RunResult, second: RunResult, scale: str) -> float | None:
    """Twice the largest numeric floor of either run, or the placebo floor if that is larger."""
    if any(scale not in run.run["floors"]["numeric"] for run in (first, second)):
        return None
    return max(
        rounding_floor(first, second, scale),
        *(run.run["floors"]["placebo"].get(scale) or 0.0 for run in (first, second)),
    )


def rounding_floor(first: RunResult, second: RunResult, scale: str = "nats") -> float:
    """Twice the largest numeric floor of either run, 0 where none was measured."""
    floors = (run.run["floors"]["numeric"].get(scale) or {} for run in (first, second))
    return 2 * max(floor.get("largest") or 0.0 for floor in floors)


def passage_changes(
    first: RunResult, second: RunResult, common: Sequence[str], other_answer: Sequence[str]
) -> PassageChanges:
    """Compare attributions, where both runs attribute the same answer on the same scale.

    Args:
        first: The first run.
        second: The second.
        common: Ids of the traces to pair.
        other_answer: Those of them whose answers differ.
    """
    scale = first.summary["scale"]
    if scale != second.summary["scale"]:
        return PassageChanges(None, None, 0, 0, len(other_answer), ())
    floor, left_out = difference_floor(first, second, scale), set(other_answer)
    moves = list(_moves(first, second, [trace for trace in common if trace not in left_out], floor))
    moves.sort(key=lambda move: (-abs(move.difference), move.trace, move.passage))
    return PassageChanges(
        scale, floor, len(moves), sum(move.clear for move in moves), len(other_answer),
        tuple(move for move in moves[:MOVED] if abs(move.difference) > RESOLUTION),
    )  # fmt: skip


def _moves(
    first: RunResult, second: RunResult, traces: Sequence[str], floor: float | None
) -> Iterator[PassageMove]:
    ours, theirs = _cells(first), _cells(second)
    for trace in traces:
        for passage in same_passages(first.traces[trace], second.traces[trace]):
            a, b = ours.get((trace, passage)), theirs.get((trace, passage))
            if a is not None and b is not None:
                change = b["attribution"] - a["attribution"]
                clear = floor is not None and abs(change) > max(floor, RESOLUTION) and _apart(a, b)
                yield PassageMove(trace, passage, a["attribution"], b["attribution"], change, clear)


def _cells(run: RunResult) -> dict[tuple[str, str], dict[str, Any]]:
    """Attribution of the answer by trace and passage; exact values are their own interval."""
    table = run.passages.reset_index()
    table = table[(table["target"] == ANSWER) & table["attribution"].notna()]
    table = table.assign(
        low=table["low"].fillna(table["attribution"]), high=table["high"].fillna(table["attribution"])
    )
    rows = table[["trace", "passage", "attribution", "low", "high"]].to_dict("records")
    return {(str(row["trace"]), str(row["passage"])): row for row in rows}  # type: ignore[misc]


def _apart(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return bool(a["high"] < b["low"] or b["high"] < a["low"])
