"""The funnel's numbers as measures: per trace a share of its good passages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.game.needs import Needs
from boresight.measure.family import Family
from boresight.measure.funnel.run_level import was_retrieved
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boresight.measure.evidence import Evidence
    from boresight.measure.funnel.types import FunnelRow

    Known = Callable[[FunnelRow], bool | None]

NO_GOOD = "no good passage is known"

_WAY: tuple[tuple[str, str, Needs, Known, str], ...] = (
    ("good_retrieved", "that a retriever kept", Needs(), was_retrieved, "no retriever is recorded"),
    ("good_in_context", "that are in the context", Needs(), lambda row: row.in_context,
     "no context is recorded"),
    ("good_used", "of the context whose attribution exceeds the floor", Needs(table=True),
     lambda row: row.above_floor, "no good passage of the context has an attribution"),
    ("good_cited", "of the context that the answer cites", Needs(), lambda row: row.cited,
     "no citation of a good passage was read"),
)  # fmt: skip


def share_of_good(rows: Sequence[FunnelRow], known: Known, absent: str) -> Measure:
    """Share of the good passages of one trace that something holds for, over those of which it is known.

    Args:
        rows: The good passages of the trace.
        known: Whether it holds for a passage; None where that is not recorded.
        absent: The reason where it is known of none.

    Returns:
        A share; undefined without a good passage or where nothing is recorded.
    """
    if not rows:
        return Measure.undefined(NO_GOOD)
    values = [value for value in map(known, rows) if value is not None]
    return Measure.defined(sum(values) / len(values)) if values else Measure.undefined(absent)


def funnel_families(rows_of: Callable[[Evidence], Sequence[FunnelRow]]) -> tuple[Family, ...]:
    """The declared measures of the funnel.

    Args:
        rows_of: Gives the funnel's rows of the trace that an evidence is about.
    """
    return tuple(
        Family(
            name=name,
            formula=f"share of the good passages {words}",
            unit="share",
            range=(0.0, 1.0),
            needs=needs,
            source="Boresight",
            trace=_of_rows(rows_of, known, absent),
            default=False,
        )
        for name, words, needs, known, absent in _WAY
    )


def _of_rows(
    rows_of: Callable[[Evidence], Sequence[FunnelRow]], known: Known, absent: str
) -> Callable[[Evidence], Measure]:
    return lambda seen: share_of_good(rows_of(seen), known, absent)
