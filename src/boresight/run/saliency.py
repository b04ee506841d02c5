"""Saliency rows: what the words of a query did to the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.explain.shapley import sampling_method
from boresight.game.query_game import QUERY, words_of
from boresight.game.table import ValueTable
from boresight.measure.evidence import above_noise
from boresight.run.design import AUTO, EXACT, budget_of
from boresight.run.evidence import attribute_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boresight.models.seam import Target
    from boresight.run.spec import RunSpec
    from boresight.store.values import ValueRow
    from boresight.trace import Trace

GENERATOR_STAGE = "generator"  # the stage that the saliency of the query game belongs to


def query_rows(
    trace: Trace, target: Target, rows: Sequence[ValueRow], spec: RunSpec, floor: float | None
) -> Iterator[dict[str, Any]]:
    """One saliency row a word of the query.

    Args:
        trace: The trace.
        target: The answer.
        rows: All stored rows of the trace.
        spec: The run's settings; the values are on its scale.
        floor: Numeric floor of the trace on that scale, or None.
    """
    stored = {row.coalition: row.logprobs for row in rows if row.game == QUERY and row.target == target.id}
    words = words_of(trace.query)
    if not stored:
        return
    names = tuple(str(place) for place in range(len(words)))
    table = ValueTable(names, target.id, stored, None)
    method = EXACT if len(stored) == 1 << len(words) else sampling_method(budget_of(spec, AUTO, len(words)))
    found = attribute_table(table, method, spec, trace.id, spec.scale, purpose=QUERY)
    for place, (name, word) in enumerate(zip(names, words, strict=True)):
        value = found.total[name]
        yield {
            "trace": trace.id,
            "target": target.id,
            "stage": GENERATOR_STAGE,
            "method": found.method,
            "side": "query",
            "token": place,
            "text": word.text,
            "start": word.start,
            "end": word.end,
            "value": value,
            "low": None if found.low is None else found.low[name],
            "high": None if found.high is None else found.high[name],
            "above_numeric": above_noise(value, floor),
        }
