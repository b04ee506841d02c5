"""What the sentences of a split passage did to the answer: rows of the saliency table, a line of the summary.

For sentences T of passage i, u(T) is the weighted mean of v(S + i with only T) over the outer coalitions S.
The Shapley values of u add up to what i adds to the same S, weighted alike: the value of the passage in that
sample.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boresight.explain.shapley import exact_shapley
from boresight.game.coalitions import all_coalitions
from boresight.game.scales import on_scale
from boresight.game.sentence_game import sentence_coalition
from boresight.measure.evidence import above_noise
from boresight.run.saliency import GENERATOR_STAGE
from boresight.stats.interval import Interval
from boresight.stats.t import t_interval
from boresight.trace.sentences import sentences_of
from boresight.trace.text_parts import joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from boresight.game.scales import Scale
    from boresight.models.seam import Target
    from boresight.run.evidence import Attribution
    from boresight.run.plan import TracePlan
    from boresight.run.split import Split
    from boresight.store.values import ValueRow
    from boresight.trace import Trace

    Floats = NDArray[np.float64]

LEAST_DRAWS = 24
"""Fewer draws of outer coalitions give no interval: on real games it would hold in 89 to 93 percent."""


def split_results(
    plan: TracePlan,
    trace: Trace,
    target: Target,
    rows: Sequence[ValueRow],
    scale: Scale,
    *,
    attribution: Attribution | None,
    floor: float | None,
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Saliency rows and summary lines of all split passages of a trace.

    Args:
        plan: The trace's plan.
        trace: The trace.
        target: The answer.
        rows: All stored rows of the trace.
        scale: Scale of the values, of ``attribution`` and of ``floor``.
        attribution: Shapley values of the passages, or None.
        floor: Numeric floor of the trace, or None.
    """
    saliency: list[dict[str, Any]] = []
    lines = []
    for split in plan.splits:
        found = split_values(split, trace, target, rows, scale) if split.sentences else None
        saliency += sentence_rows(split, trace, target, found, floor) if found else ()
        lines.append(split_summary(split, trace, found, attribution))
    return saliency, lines


def split_values(
    split: Split, trace: Trace, target: Target, rows: Sequence[ValueRow], scale: Scale
) -> Interval[Floats]:
    """The Shapley values of the sentences of a passage.

    Args:
        split: How it was split; at least one player.
        trace: The trace.
        target: The answer.
        rows: All stored rows of the trace.
        scale: Value scale; values are summed over the target's tokens.

    Returns:
        Value, low and high of shape (k,). An interval, over the draws of outer coalitions, only where they
        were drawn, and often enough.
    """
    stored = {
        row.coalition: float(on_scale(row.logprobs, scale).sum())
        for row in rows
        if row.game == split.name and row.target == target.id
    }
    place, inner = trace.context.index(split.passage), all_coalitions(split.sentences)
    tables = [[stored[sentence_coalition(place, outer, one)] for one in inner] for outer in split.outer]
    each = np.stack([exact_shapley(table) for table in tables])
    weights = np.array(list(split.outer.values()))
    if split.draws < LEAST_DRAWS:
        return Interval(weights @ each, None, None, "too few draws" if split.draws else "exact")
    return t_interval(np.repeat(each, np.rint(weights * split.draws).astype(int), axis=0))


def sentence_rows(
    split: Split, trace: Trace, target: Target, found: Interval[Floats], floor: float | None
) -> Iterator[dict[str, Any]]:
    """One saliency row a sentence.

    Args:
        split: How the passage was split.
        trace: The trace.
        target: The answer.
        found: The values of the sentences.
        floor: Numeric floor of the trace on the scale of the values, or None.
    """
    text = trace.passage(split.passage).text
    players = joined(text, sentences_of(text), split.sentences)
    for place, sentence in enumerate(players):
        value = float(found.value[place])
        yield {
            "trace": trace.id,
            "passage": split.passage,
            "target": target.id,
            "stage": GENERATOR_STAGE,
            "method": "permutation" if split.draws else "exact",
            "side": "passage",
            "token": place,
            "text": sentence.text,
            "start": sentence.start,
            "end": sentence.end,
            "value": value,
            "low": None if found.low is None else float(found.low[place]),
            "high": None if found.high is None else float(found.high[place]),
            "above_numeric": above_noise(value, floor),
        }


def split_summary(
    split: Split, trace: Trace, found: Interval[Floats] | None, attribution: Attribution | None
) -> dict[str, Any]:
    """The sum of the sentences beside the attribution of their passage, on one scale.

    Args:
        split: How the passage was split.
        trace: The trace.
        found: The values of the sentences; None where nothing was scored.
        attribution: The attributions of the passages, or None.
    """
    total = None if found is None else float(found.value.sum())
    whole = None if attribution is None else attribution.total[split.passage]
    return {
        "trace": trace.id,
        "passage": split.passage,
        "sum": total,
        "attribution": whole,
        "difference": None if total is None or whole is None else total - whole,
        "outer": len(split.outer),
        "sentences": split.sentences,
        "reduced": split.reduced,
    }
