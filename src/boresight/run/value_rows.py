"""From what a generator scored to a row of the values table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.errors import ScoringError
from boresight.store.values import ValueRow

if TYPE_CHECKING:
    from boresight.models.seam import Scored


def value_row(row: tuple[str, str], scored: Scored, target_id: str, batch: int, *, repeat: int) -> ValueRow:
    """The stored row of one prompt and target.

    Args:
        row: Game and coalition as stored.
        scored: What the generator gave.
        target_id: One of its targets.
        batch: Number of the batch in the trace's plan.
        repeat: 0 for the value itself, 1 and on for repeats.

    Raises:
        ScoringError: A value is not finite.
    """
    game, coalition = row
    request, logprobs = scored.request, scored.logprobs[target_id]
    if not np.isfinite(logprobs).all():
        raise ScoringError(f"trace {request.trace!r}, {game} {coalition}: a value is not finite")
    return ValueRow(
        request.trace, game, target_id, coalition, request.order, logprobs, batch, repeat,
        value_kind=scored.value_kind,
        lower=scored.lower.get(target_id),
        upper=scored.upper.get(target_id),
    )  # fmt: skip
