"""Learned sparse rankers explained: one part a vocabulary entry, the product of its two weights.

An entry that a text does not say is an expansion: what the model takes it to be about, marked as such.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.explain.parts import (
    BOTH_EXPAND,
    PASSAGE_EXPANSION,
    QUERY_EXPANSION,
    Explanation,
    Part,
    structural,
)
from boresight.models.rankers.sparse import product

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.models.rankers.seam import Kind
    from boresight.models.rankers.sparse import SparseRanker, SparseVector
    from boresight.models.spans import Span


class SparseExplainer:
    """Explains the scores of a learned sparse ranker.

    Args:
        ranker: The ranker.
    """

    kind: Kind = "structural"

    def __init__(self, ranker: SparseRanker) -> None:
        self._ranker = ranker

    def explain(self, query: str, passages: Mapping[str, str]) -> dict[str, Explanation]:
        """One part a vocabulary entry that both have; its factors are the weights ``query`` and ``passage``.

        Its spans are the tokens that say it or, for an expansion, the token that it comes from.

        Args:
            query: The question.
            passages: Text by passage id.
        """
        asked = self._ranker.vector(query)
        return {key: self._explained(key, asked, self._ranker.vector(text)) for key, text in passages.items()}

    def _explained(self, passage: str, asked: SparseVector, found: SparseVector) -> Explanation:
        shared = sorted(asked.weights.keys() & found.weights.keys())
        parts = [self._part(entry, asked, found) for entry in shared]
        return structural(self._ranker.name, passage, product(asked, found), parts)

    def _part(self, entry: int, asked: SparseVector, found: SparseVector) -> Part:
        weights = {"query": asked.weights[entry], "passage": found.weights[entry]}
        return Part(
            self._ranker.entry(entry),
            weights["query"] * weights["passage"],
            _spans(entry, asked),
            _spans(entry, found),
            weights,
            _note(said_by_query=_said(entry, asked), said_by_passage=_said(entry, found)),
        )


def _said(entry: int, vector: SparseVector) -> bool:
    """Whether the text itself, and not a control token, says an entry."""
    tokens = vector.tokens
    return any(mine and token == entry for token, mine in zip(tokens.ids, tokens.content, strict=True))


def _spans(entry: int, vector: SparseVector) -> tuple[Span, ...]:
    tokens = vector.tokens
    said = [span for token, span in zip(tokens.ids, tokens.spans, strict=True) if token == entry]
    spans = said or [tokens.spans[vector.places[entry]]]
    return tuple(span for span in spans if span is not None)


def _note(*, said_by_query: bool, said_by_passage: bool) -> str | None:
    notes = {(True, True): None, (False, True): QUERY_EXPANSION, (True, False): PASSAGE_EXPANSION}
    return notes.get((said_by_query, said_by_passage), BOTH_EXPAND)
