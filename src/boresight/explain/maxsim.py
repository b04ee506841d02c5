"""Late interaction explained: one part a query token, the pair that it makes with its best passage token."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from boresight.explain.parts import Explanation, Part, structural
from boresight.models.rankers.maxsim import matches

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from boresight.models.rankers.maxsim import Match, MaxSimRanker, TokenVectors
    from boresight.models.rankers.seam import Kind
    from boresight.models.spans import Span


class MaxSimExplainer:
    """Explains the scores of a late-interaction ranker.

    Args:
        ranker: The ranker.
    """

    kind: Kind = "structural"

    def __init__(self, ranker: MaxSimRanker) -> None:
        self._ranker = ranker

    def explain(self, query: str, passages: Mapping[str, str]) -> dict[str, Explanation]:
        """One part a query token; its note names the passage token that it met.

        Args:
            query: The question.
            passages: Text by passage id.
        """
        asked = self._ranker.vectors(query, "query")
        scores = self._ranker.score(query, passages)
        return {
            key: self._explained(key, scores[key], asked, self._ranker.vectors(text, "passage"))
            for key, text in passages.items()
        }

    def _explained(self, passage: str, score: float, asked: TokenVectors, found: TokenVectors) -> Explanation:
        keys = _keys(asked.texts)
        pairs = matches(asked, found)
        return structural(
            self._ranker.name, passage, score, [_part(keys[pair.query], pair, asked, found) for pair in pairs]
        )


def _part(key: str, pair: Match, asked: TokenVectors, found: TokenVectors) -> Part:
    expansion = "a mask token of the query, " if asked.expansion[pair.query] else ""
    return Part(
        key,
        pair.value,
        _spans(asked.spans[pair.query]),
        _spans(found.spans[pair.passage]),
        {"query_token": float(pair.query), "passage_token": float(pair.passage)},
        f"{expansion}matched with {found.texts[pair.passage]}",
    )


def _spans(span: Span | None) -> tuple[Span, ...]:
    return () if span is None else (span,)


def _keys(texts: Iterable[str]) -> list[str]:
    """A name for each token: itself, and with its number where it comes again."""
    seen: Counter[str] = Counter()
    keys = []
    for text in texts:
        seen[text] += 1
        keys.append(text if seen[text] == 1 else f"{text} #{seen[text]}")
    return keys
