"""BM25 explained: one part a shared term, with its rarity, its frequency and the passage's length.

Source: the formula of :mod:`boresight.models.rankers.bm25`; a term's value is the product of its factors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.explain.parts import Explanation, Part, structural
from boresight.models.rankers.words import words_at

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.models.rankers.bm25 import Bm25Ranker, TermPart
    from boresight.models.rankers.seam import Kind
    from boresight.models.spans import Span


class Bm25Explainer:
    """Explains the scores of a BM25 ranker.

    Args:
        ranker: The ranker; its collection's statistics count.
    """

    kind: Kind = "structural"

    def __init__(self, ranker: Bm25Ranker) -> None:
        self._ranker = ranker

    def explain(self, query: str, passages: Mapping[str, str]) -> dict[str, Explanation]:
        """One part a term; its factors are ``repeats``, ``frequency``, ``idf``, ``tf`` and ``length``.

        Args:
            query: The question.
            passages: Text by passage id.
        """
        scores = self._ranker.score(query, passages)
        asked = self._places(query)
        return {
            key: structural(self._ranker.name, key, scores[key], self._parts(query, asked, text))
            for key, text in passages.items()
        }

    def _parts(self, query: str, asked: Mapping[str, tuple[Span, ...]], text: str) -> list[Part]:
        found = self._places(text)
        return [
            Part(term.term, term.value, asked[term.term], found[term.term], _factors(term))
            for term in self._ranker.parts(query, text)
        ]

    def _places(self, text: str) -> dict[str, tuple[Span, ...]]:
        places: dict[str, tuple[Span, ...]] = {}
        for word in words_at(text, self._ranker.settings.stop_words):
            places[word.term] = (*places.get(word.term, ()), (word.start, word.end))
        return places


def _factors(term: TermPart) -> dict[str, float]:
    return {
        "repeats": float(term.repeats),
        "frequency": float(term.frequency),
        "idf": term.idf,
        "tf": term.frequency_part,
        "length": term.length_part,
    }
