"""The score of a dense encoder as a function of one side's text.

Dot product or cosine is linear in the vector of the fixed side, so a weighted sum of scores over passages is
again one score: with weights 1 the sum over the passages, with 1 and -1 the contrast e_q . (e_A - e_B), each
explained on the query side in one pass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from boresight.explain.saliency.scored_text import ScoredText

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from boresight.explain.saliency.result import Part, Side
    from boresight.models.embedding_path import EmbeddingPath
    from boresight.models.encoder import DenseEncoder


def passage_side(encoder: DenseEncoder, query: str, passages: Mapping[str, str]) -> dict[str, ScoredText]:
    """The query's score of each passage as a function of the passage; results by passage id.

    Args:
        encoder: The encoder.
        query: The question, held fixed.
        passages: Text by passage id.
    """
    asked = _unit(encoder, encoder.encode([query], "query")[0])
    return {passage: _scored(encoder, text, "passage", asked) for passage, text in passages.items()}


def query_side(
    encoder: DenseEncoder, query: str, passages: Mapping[str, str], weights: Mapping[str, float] | None = None
) -> ScoredText:
    """The weighted sum of the query's scores of passages as a function of the query.

    Args:
        encoder: The encoder.
        query: The question.
        passages: Text by passage id, held fixed.
        weights: Factor of each passage's score; 1 where not named, or for all if None.

    Raises:
        ValueError: A weight names no passage.
    """
    known = dict.fromkeys(passages, 1.0) | dict(weights or {})
    if unknown := sorted(set(known) - set(passages)):
        raise ValueError(f"there is no passage {unknown[0]!r} to weigh")
    fixed = np.zeros(encoder.dimension)
    for passage, text in passages.items():
        fixed += known[passage] * _unit(encoder, encoder.encode([text], "passage")[0])
    return _scored(encoder, query, "query", fixed)


def contrast(encoder: DenseEncoder, query: str, above: str, below: str) -> ScoredText:
    """Why one passage scores above another: the difference of their scores as a function of the query.

    Args:
        encoder: The encoder.
        query: The question.
        above: Text of passage A.
        below: Text of passage B; swapping the two flips the sign of every value.
    """
    return query_side(encoder, query, {"above": above, "below": below}, {"below": -1.0})


def _scored(encoder: DenseEncoder, text: str, side: Side, fixed: NDArray[np.float64]) -> ScoredText:
    path = encoder.embedding_path(text, side)
    own = _unit(encoder, encoder.encode([text], side)[0])
    tokens = path.tokens
    return ScoredText(
        path=path,
        objective=_objective(encoder, path, fixed),
        score=float(own @ fixed),
        score_name=encoder.score_name,
        side=side,
        changeable=tuple(not control for control in tokens.control),
        spans=tokens.spans,
        parts=tuple(map(_part, tokens.control, tokens.content)),
        total_tokens=tokens.total,
    )


def _objective(
    encoder: DenseEncoder, path: EmbeddingPath, fixed: NDArray[np.float64]
) -> Callable[[torch.Tensor], torch.Tensor]:
    target = torch.tensor(fixed, dtype=torch.float32, device=path.model.device)
    if encoder.score_name == "dot":
        return lambda vectors: vectors @ target
    return lambda vectors: torch.nn.functional.normalize(vectors, dim=-1) @ target


def _unit(encoder: DenseEncoder, vector: NDArray[np.float32]) -> NDArray[np.float64]:
    """A vector as it enters the score: of length 1 for a cosine."""
    wide = vector.astype(np.float64)
    length = float(np.linalg.norm(wide))
    return wide if encoder.score_name == "dot" or not length else wide / length


def _part(control: bool, content: bool) -> Part:  # noqa: FBT001 - flags of one token, in the order of TextTokens
    return "control" if control else "text" if content else "prompt"
