"""One score as a differentiable function of the token embeddings of one text, the other side held fixed.

This is all that a saliency method sees of a ranker. Variants of the text (points of a path, texts with tokens
removed) are rows of equal length, run in passes of a size that depends on the text alone, so that neither
padding nor neighbours can change a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from boresight.explain.saliency.result import Part, Saliency, TokenSaliency

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from numpy.typing import NDArray

    from boresight.explain.saliency.result import Kind, Side
    from boresight.models.embedding_path import EmbeddingPath

TOKENS_PER_PASS = 1600
"""Rows of one forward pass hold about this many tokens: enough to keep a core busy, little memory."""


@dataclass(frozen=True)
class ScoredText:
    """A score that depends on one text.

    Attributes:
        path: The tokens of the text and the model that reads them.
        objective: Scores, shape (m,), from output rows of the model, shape (m, d).
        score: The score as the ranker gives it.
        score_name: ``cosine``, ``dot`` or ``logit``.
        side: Which side of the score the text is.
        changeable: The tokens that a baseline may replace, bool of shape (tokens,).
        spans: Characters of each token in the original text, or None.
        parts: What each token belongs to.
        total_tokens: Tokens of the text before the model's limit cut it.
    """

    path: EmbeddingPath
    objective: Callable[[torch.Tensor], torch.Tensor]
    score: float
    score_name: str
    side: Side
    changeable: tuple[bool, ...]
    spans: tuple[tuple[int, int] | None, ...]
    parts: tuple[Part, ...]
    total_tokens: int

    @property
    def mask(self) -> torch.Tensor:
        """``changeable`` as a tensor."""
        return torch.tensor(self.changeable, dtype=torch.bool, device=self.path.model.device)

    @property
    def text_places(self) -> list[int]:
        """Places of the tokens of the text itself: the players, and the units that are removed."""
        return [place for place, part in enumerate(self.parts) if part == "text"]

    def scores(self, embeddings: torch.Tensor, places: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Scores of variants, without gradients.

        Args:
            embeddings: Shape (m, tokens, h).
            places: The tokens that the columns stand for, where some were deleted.

        Returns:
            Float64, shape (m,); 0 for variants without any token, as the rankers score them.
        """
        if not embeddings.shape[1]:
            return np.zeros(len(embeddings))
        with torch.no_grad():
            found = [
                self.objective(self.path.outputs(part, places)).double().cpu()
                for part in self._passes(embeddings)
            ]
        return np.asarray(torch.cat(found).numpy(), dtype=np.float64)

    def gradients(self, embeddings: torch.Tensor) -> torch.Tensor:
        """Gradient of each variant's score with respect to its embeddings, shape (m, tokens, h)."""
        if not embeddings.shape[1]:
            return torch.zeros_like(embeddings)
        return torch.cat([self._gradient(part) for part in self._passes(embeddings)])

    def result(self, values: NDArray[np.float64], method: str, kind: Kind, **fields: Any) -> Saliency:
        """Values of all tokens, shape (tokens,), as a result.

        Raises:
            ValueError: A value is not finite.
        """
        if not np.isfinite(values).all():
            raise ValueError(f"{method} gave NaN or infinity for a {self.side} of {len(values)} tokens")
        tokens = tuple(
            _token(text, span, float(value), part)
            for text, span, value, part in zip(
                self.path.tokens.texts, self.spans, values, self.parts, strict=True
            )
        )
        return Saliency(
            self.side, method, kind, self.score_name, tokens, self.score,
            total_tokens=self.total_tokens, **fields,
        )  # fmt: skip

    def spread(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """One value for each token from one for each token of the text; the others get 0."""
        spread = np.zeros(len(self.parts))
        spread[self.text_places] = values
        return spread

    def _passes(self, embeddings: torch.Tensor) -> tuple[torch.Tensor, ...]:
        rows = max(1, TOKENS_PER_PASS // embeddings.shape[1])
        return torch.split(embeddings, rows)

    def _gradient(self, embeddings: torch.Tensor) -> torch.Tensor:
        leaves = embeddings.detach().requires_grad_()
        with torch.enable_grad():
            scores = self.objective(self.path.outputs(leaves))
            (found,) = torch.autograd.grad(scores.sum(), leaves)
        return found


def _token(text: str, span: tuple[int, int] | None, value: float, part: Part) -> TokenSaliency:
    start, end = span or (None, None)
    return TokenSaliency(text, start, end, value, part)
