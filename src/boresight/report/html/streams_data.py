"""Closed book against the context, token by token of the answer, with the label of Tok-RAG's criterion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boresight.game.coalitions import coalition_of
from boresight.measure.evidence import AbsentError
from boresight.measure.registry import parse
from boresight.measure.tokens import labels
from boresight.report.html.numbers import milli
from boresight.run.extra_evidence import streams_of
from boresight.store.values import ValueStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from boresight.report.html.files import RunFiles
    from boresight.run.evidence import StoredRows
    from boresight.store.values import ValueRow

Row = dict[str, Any]


def trace_streams(files: RunFiles, index: int, stored: StoredRows | None) -> Row | None:
    """What the answer's tokens show of the two streams; None where the run did not compare them.

    Args:
        files: The run.
        index: Place of the trace in the run.
        stored: The stored values of its answer.
    """
    names = files.run["spec"].get("measures") or ()
    if stored is None or not any(parse(name).needs.streams for name in names):
        return None
    return token_cells(ValueStore(files.root / "values").read(index), stored)


def token_cells(rows: Sequence[ValueRow], stored: StoredRows) -> Row | None:
    """Per token its probability with all passages and closed book, in thousandths, and its label.

    Args:
        rows: All stored rows of the trace.
        stored: Those of the answer, sorted.

    Returns:
        Lists over tokens; a probability that was not scored is None for all, so are labels without the
        criterion. None where no streams were stored.
    """
    streams = streams_of(rows)
    if streams is None:
        return None
    n = len(stored.table.players)
    try:
        found: list[str] | None = list(labels(streams))
    except AbsentError:
        found = None
    return {
        "with": _probabilities(stored.table.rows.get(coalition_of(range(n), n))),
        "without": _probabilities(stored.table.closed_book),
        "labels": found,
        "layer": streams.layer,
    }


def _probabilities(row: NDArray[np.float32] | None) -> list[int] | None:
    return None if row is None else milli(np.exp(row.astype(np.float64)).tolist())
