"""Two towers: one encoder for queries and another for passages, each with its own tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.models.encoder import similarity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from boresight.models.embedding_path import EmbeddingPath
    from boresight.models.encoder import DenseEncoder
    from boresight.models.sentence_config import Side, Similarity


class TwoTowers:
    """A dense ranker of two encoders; it meets :class:`boresight.models.encoder.Encoder`.

    Args:
        query: Encodes queries.
        passage: Encodes passages.

    Raises:
        SpecError: If their vectors differ in length, or they compare them in different ways.
    """

    def __init__(self, query: DenseEncoder, passage: DenseEncoder) -> None:
        if query.dimension != passage.dimension or query.score_name != passage.score_name:
            raise SpecError(
                f"{query.name} ({query.dimension} numbers, {query.score_name}) and {passage.name} "
                f"({passage.dimension} numbers, {passage.score_name}) are not two towers of one model"
            )
        self.query_tower = query
        self.passage_tower = passage
        self.name = f"{query.name}+{passage.name}"

    @property
    def score_name(self) -> Similarity:
        """What the scores are: ``cosine`` or ``dot``."""
        return self.passage_tower.score_name

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        return {
            "name": self.name,
            "score": self.score_name,
            "query_tower": self.query_tower.describe(),
            "passage_tower": self.passage_tower.describe(),
        }

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Score passages for a query.

        Args:
            query: The question.
            passages: Text by passage id.

        Returns:
            Cosine or dot product by passage id, in the given order.

        Raises:
            ModelError: If a model gives a number that is not finite.
        """
        if not passages:
            return {}
        asked = self.encode([query], "query")[0]
        found = self.encode(list(passages.values()), "passage")
        return {
            key: similarity(asked, row, self.score_name) for key, row in zip(passages, found, strict=True)
        }

    def encode(self, texts: Sequence[str], side: Side | None = None) -> NDArray[np.float32]:
        """Vectors of texts by the tower of a side, that of passages where none is stated; shape (m, d)."""
        tower = self.query_tower if side == "query" else self.passage_tower
        return tower.encode(texts, side)

    @property
    def dimension(self) -> int:
        """Numbers of a vector."""
        return self.passage_tower.dimension

    def embedding_path(self, text: str, side: Side | None = None) -> EmbeddingPath:
        """The vector of a text as a differentiable function, by the tower of its side."""
        tower = self.query_tower if side == "query" else self.passage_tower
        return tower.embedding_path(text, side)

    def truncation(self, text: str) -> tuple[int, int]:
        """How many tokens of a passage are read, and how many it has."""
        return self.passage_tower.truncation(text)
