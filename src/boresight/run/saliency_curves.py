"""Scores of the passages with tokens taken out by their saliency: what measures of its faithfulness read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from boresight.measure.faithfulness import FAITHFULNESS, Curves, counts, needs_of, removals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.explain.both_sides import Token
    from boresight.explain.saliency import ScoredText
    from boresight.explain.saliency.removal import Fill

    Line = dict[str, Any]

FILL: Fill = "mask"


def curves_of(text: ScoredText, tokens: Sequence[Token], seed: int, purpose: str) -> Line:
    """Remove the tokens of a text in the orders that the measures read, and score what is left.

    Args:
        text: The passage's side of a score.
        tokens: Its explanation; what has no place in the text counts as 0.
        seed: Seed of the random orders.
        purpose: What they are for, such as trace and passage id.

    Returns:
        JSON values: number of ``tokens``, how many are ``removed`` at each point, ``scores`` by order.
    """
    needs = needs_of(FAITHFULNESS)
    values = {token.place: token.value for token in tokens}
    own = np.array([values.get(place, 0.0) for place in text.text_places], dtype=np.float64)
    kept = removals(own, needs, seed, purpose)
    from boresight.explain.saliency import removal_scores

    scores = removal_scores(text, np.concatenate(list(kept.values())), FILL)
    parts = np.split(scores, len(kept))
    return {
        "tokens": len(own),
        "removed": counts(len(own), needs.steps).tolist(),
        "scores": {name: part.tolist() for name, part in zip(kept, parts, strict=True)},
    }


def read_curves(line: Line) -> dict[str, Curves]:
    """The curves of a stored explanation, by passage id; none where none were asked for."""
    return {
        passage["passage"]: Curves(
            stored["tokens"],
            np.array(stored["removed"], dtype=np.int64),
            {name: np.array(scores, dtype=np.float64) for name, scores in stored["scores"].items()},
        )
        for passage in line["passages"]
        if (stored := passage.get("curves")) is not None
    }
