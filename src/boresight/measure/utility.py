"""What each passage, and the context as a whole, does for the answer: the base definitions.

All values are log-probabilities of the target in nats. These read the attributions themselves, whose table
marks those below a floor; only the rounding of stored rows counts as 0.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NO_POSITIVE = "no passage has a positive attribution"


def positive_shares(attribution: Mapping[str, float]) -> dict[str, float] | None:
    """``max(g_i, 0) / sum of the positive g``, per passage; None when no g is positive."""
    top = max(attribution.values(), default=0.0)
    if top <= 0:
        return None
    # Divided by the largest first, so that neither huge nor tiny attributions leave the floats.
    parts = {passage: max(0.0, value) / top for passage, value in attribution.items()}
    total = math.fsum(parts.values())
    return {passage: part / total for passage, part in parts.items()}


def share(attribution: Mapping[str, float]) -> dict[str, Measure]:
    """``max(phi_i, 0) / sum of the positive phi``, per passage; undefined when no phi is positive."""
    shares = positive_shares(attribution)
    if shares is None:
        return dict.fromkeys(attribution, Measure.undefined(NO_POSITIVE))
    return {passage: Measure.defined(part) for passage, part in shares.items()}


def harm(attribution: Mapping[str, float]) -> dict[str, Measure]:
    """``max(-phi_i, 0)``, per passage: how many nats the passage costs the answer."""
    return {passage: Measure.defined(max(0.0, -value)) for passage, value in attribution.items()}


def total_harm(attribution: Mapping[str, float]) -> Measure:
    """Sum of :func:`harm` over the passages, nats."""
    return Measure.defined(math.fsum(max(0.0, -value) for value in attribution.values()))


def effective_passages(attribution: Mapping[str, float]) -> Measure:
    """``1 / sum of share^2``: how many passages an answer that rests on them evenly would have.

    Between 1 and the number of passages; undefined when no attribution is positive.

    Source: Hill, Diversity and evenness, *Ecology* 54 (1973), number of order 2.
    """
    shares = positive_shares(attribution)
    if shares is None:
        return Measure.undefined(NO_POSITIVE)
    return Measure.defined(1 / math.fsum(part * part for part in shares.values()))


def leave_one_out(grand: float, without: Mapping[str, float], players: Iterable[str]) -> dict[str, Measure]:
    """``v(N) - v(N minus i)``, per passage; undefined where the second row was not scored.

    Args:
        grand: v(N), nats.
        without: v(N minus i) of each passage i that was left out, nats.
        players: The passages.
    """
    return _differences(
        {passage: (grand, without.get(passage)) for passage in players},
        "the prompt without this passage was not scored",
    )


def gain(singletons: Mapping[str, float], closed_book: float, players: Iterable[str]) -> dict[str, Measure]:
    """``v({i}) - v(closed book)``, per passage; undefined where the first row was not scored.

    Args:
        singletons: v({i}) of each passage i that was scored alone, nats.
        closed_book: Value of the plain question, nats.
        players: The passages.
    """
    return _differences(
        {passage: (singletons.get(passage), closed_book) for passage in players},
        "the prompt with this passage alone was not scored",
    )


def context_gain(grand: float, closed_book: float) -> Measure:
    """``v(N) - v(closed book)``, nats: what the context adds to the plain question."""
    return Measure.defined(grand - closed_book)


def context_effect(grand: float, empty: float) -> Measure:
    """``v(N) - v(empty)``, nats: what the attributions of all passages sum to."""
    return Measure.defined(grand - empty)


def _differences(pairs: Mapping[str, tuple[float | None, float | None]], missing: str) -> dict[str, Measure]:
    return {
        passage: Measure.undefined(missing) if one is None or other is None else Measure.defined(one - other)
        for passage, (one, other) in pairs.items()
    }
