"""The logit of a cross-encoder as a function of one side's tokens, the other side's held fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.explain.saliency.scored_text import ScoredText

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.explain.saliency.result import Side
    from boresight.models.rankers.cross_encoder import CrossEncoderRanker


def pair_side(
    ranker: CrossEncoderRanker, query: str, passages: Mapping[str, str], side: Side
) -> dict[str, ScoredText]:
    """The score of each passage as a function of the query's or the passage's tokens; by passage id.

    Tokens of the other side are kept in place, like control tokens, and get 0.

    Args:
        ranker: The cross-encoder.
        query: The question.
        passages: Text by passage id.
        side: The side to explain.
    """
    scores = ranker.score(query, passages)
    return {
        passage: _scored(ranker, query, text, side, scores[passage]) for passage, text in passages.items()
    }


def _scored(ranker: CrossEncoderRanker, query: str, text: str, side: Side, score: float) -> ScoredText:
    path = ranker.embedding_path(query, text, side)
    content = path.tokens.content
    return ScoredText(
        path=path,
        objective=lambda rows: rows[:, 0],
        score=score,
        score_name="logit",
        side=side,
        changeable=content,
        spans=path.tokens.spans,
        parts=tuple(
            "control" if added else "text" if mine else "other"
            for added, mine in zip(path.tokens.control, content, strict=True)
        ),
        total_tokens=path.tokens.total,
    )
