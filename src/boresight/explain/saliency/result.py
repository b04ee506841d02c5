"""The result of a saliency method: one value a token, and how far the values can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

Side = Literal["query", "passage"]
Part = Literal["text", "prompt", "other", "control"]
Kind = Literal["causal", "approximate", "heuristic", "control"]

SMALLEST_CHANGE = 0.02
"""A change of score below this counts as this much in the relative gap."""


class SaliencyWarning(UserWarning):
    """The values of an explanation do not add up to what they explain."""


@dataclass(frozen=True, slots=True)
class TokenSaliency:
    """One token's share.

    Attributes:
        text: The token as the vocabulary spells it.
        start: First character in the original text; None for tokens of prompt and control.
        end: Character behind the last.
        value: Its saliency, in the unit of the score (of gradients: score per unit of embedding).
        part: ``text``, ``prompt`` (put before the text by the encoder), ``other`` (the other side of a pair
            that is read together) or ``control``.
    """

    text: str
    start: int | None
    end: int | None
    value: float
    part: Part


@dataclass(frozen=True)
class Saliency:
    """Token values of one side of one score, the other side held fixed.

    Attributes:
        side: The side whose tokens these are.
        method: Name of the method.
        kind: How the values are tied to the score.
        score_name: What the score is: ``cosine``, ``dot`` or ``logit``.
        tokens: Every token that the model read, in order.
        score: The explained score, as the ranker gives it.
        baseline: The baseline used; None for methods without one.
        baseline_score: Score of the baseline.
        gap: Sum of the values minus (score - baseline score); None for methods that make no such claim.
        evaluations: Forward passes spent on this text, gradients or not.
        nodes: Nodes of the quadrature rule that was kept; None for other methods.
        warning: One sentence where the gap stayed above the tolerance; else None.
        total_tokens: Tokens of the text before the model's limit cut it.
    """

    side: Side
    method: str
    kind: Kind
    score_name: str
    tokens: tuple[TokenSaliency, ...]
    score: float
    baseline: str | None = None
    baseline_score: float | None = None
    gap: float | None = None
    evaluations: int = 0
    nodes: int | None = None
    warning: str | None = None
    total_tokens: int = 0

    @property
    def values(self) -> NDArray[np.float64]:
        """Value of each token, shape (tokens,)."""
        return np.array([token.value for token in self.tokens], dtype=np.float64)

    @property
    def truncated(self) -> bool:
        """Whether the model did not read the whole text."""
        return len(self.tokens) < self.total_tokens

    @property
    def change(self) -> float | None:
        """Score minus baseline score."""
        return None if self.baseline_score is None else self.score - self.baseline_score

    @property
    def relative_gap(self) -> float | None:
        """|gap| over the change of score, which counts as at least ``SMALLEST_CHANGE``."""
        return None if self.gap is None or self.change is None else relative(self.gap, self.change)

    @property
    def additivity(self) -> float | None:
        """Sum of the values over the change of score, ideally 1; None where the change is zero.

        Source: the additivity ratio of RAG-E, arXiv 2601.21803.
        """
        return float(self.values.sum() / self.change) if self.change else None

    def rows(self, trace: str, passage: str | None, stage: str) -> Iterator[dict[str, Any]]:
        """Rows of ``saliency.parquet``, one for each token of the text itself."""
        for place, token in enumerate(self.tokens):
            if token.part == "text":
                yield {
                    "trace": trace,
                    "passage": passage,
                    "stage": stage,
                    "method": self.method,
                    "side": self.side,
                    "token": place,
                    "text": token.text,
                    "start": token.start,
                    "end": token.end,
                    "value": token.value,
                }


def relative(gap: float, change: float) -> float:
    """|gap| / max(|change|, ``SMALLEST_CHANGE``)."""
    return abs(gap) / max(abs(change), SMALLEST_CHANGE)
