"""What the page knows about the funnel: losses of the run, and the way of each good passage of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.measure.funnel.types import LOSS_WORDS
from boresight.report.html.numbers import compact, compact_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.report.html.files import RunFiles

    Row = dict[str, Any]

MOST_CARRIED = 60  # good passages of a trace that travel in the page
CELLS = {
    "grade": "grade",
    "attr": "attribution",
    "above": "above_floor",
    "cited": "cited",
    "right": "answer_right",
}
STEP = ("rank_low", "rank_high", "survived", "cut", "tied_at_cut")


def run_funnel(files: RunFiles, names: Sequence[str]) -> Row | None:
    """Losses by stage and kind, alignment by stage; None for a run that is too old to have a funnel.

    Args:
        files: The run.
        names: The measures of the run, in the order in which the page knows them.
    """
    summary = files.summary.get("funnel")
    if summary is None:
        return None
    place = {name: number for number, name in enumerate(names)}
    return {
        "summary": compact_all(summary),
        "words": dict(LOSS_WORDS),
        "alignment": [
            {**compact_all(one), "measure": place[one["measure"]]}
            for one in files.summary.get("stages", ())
            if one["measure"] in place
        ],
    }


def trace_funnel(files: RunFiles, trace: str, place: Mapping[str, int]) -> Row:
    """The way of each good passage of a trace.

    Args:
        files: The run.
        trace: Id of the trace.
        place: Place in the context of each of its passages.

    Returns:
        ``good``: the passages, of which only so many travel; ``good_more``: how many do not; ``gates``: the
        steps that they all pass, each with name and kind. A passage's ``steps`` stand in the same order, each
        ``[best rank, worst rank, whether it came through, cut, whether a tie decided]``.
    """
    rows, steps = files.funnel.get(trace, []), files.funnel_steps.get(trace, [])
    ways: dict[str, list[Row]] = {}
    for step in sorted(steps, key=lambda one: one["step"]):
        ways.setdefault(step["passage"], []).append(step)
    longest = max(ways.values(), key=len, default=[])
    return {
        "gates": [[step["stage"], step["stage_kind"]] for step in longest],
        "good": [_passage(row, ways.get(row["passage"], ()), place) for row in rows[:MOST_CARRIED]],
        "good_more": max(len(rows) - MOST_CARRIED, 0),
    }


def _passage(row: Row, steps: Sequence[Row], place: Mapping[str, int]) -> Row:
    cells = {name: compact(row[column]) for name, column in CELLS.items()}
    lost = row["lost_kind"] is not None
    found = {
        "id": row["passage"],
        "place": place.get(row["passage"]),
        "by": row["good_by"].split(","),
        "lost": [row["stage"], row["lost_kind"], row["detail"], bool(row["inferred"])] if lost else None,
        "steps": [[step[column] for column in STEP] for step in steps],
        **cells,
    }
    return {name: value for name, value in found.items() if value is not None}
