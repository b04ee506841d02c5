"""Measures of passages that were asked for by name, in a table of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.measure.registry import parse
from boresight.run.schemas import PASSAGE_ROWS
from boresight.store.tables import TableWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boresight.measure.evidence import Evidence
    from boresight.measure.family import BoundMeasure
    from boresight.run.directory import RunDirectory

TABLE = "passage_measures"
IN_PASSAGES = ("share", "leave_one_out", "gain", "harm")
"""Measures that are columns of ``passages.parquet`` in every run."""


def named_passage_measures(names: Sequence[str]) -> tuple[BoundMeasure, ...]:
    """Those of the chosen measures that have one value a passage and no column of their own."""
    chosen = (parse(name) for name in names if name not in IN_PASSAGES)
    return tuple(measure for measure in chosen if measure.family.scope == "passage")


def passage_table(directory: RunDirectory, measures: Sequence[BoundMeasure]) -> TableWriter | None:
    """The table of these measures; None where there is no such measure."""
    return TableWriter(directory.table(TABLE), PASSAGE_ROWS) if measures else None


def passage_rows(evidence: Evidence, measures: Sequence[BoundMeasure]) -> Iterator[dict[str, Any]]:
    """One row a measure and passage of the context, with its state and reason."""
    for measure in measures:
        for passage, found in measure.per_passage(evidence).items():
            yield {
                "trace": evidence.trace, "passage": passage, "measure": measure.name,
                "target": evidence.target, "value": found.value, "low": found.low, "high": found.high,
                "state": found.state, "reason": found.reason,
            }  # fmt: skip
