"""Two next-token distributions over one target, with passages and without: what is kept of them.

A *stream* is a prompt with a target behind it. At every target token the model has a distribution over its
whole vocabulary; two streams are compared there, and one number a token stays. In the formulas p is the
distribution with passages, q the one without, y the target's token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from boresight.models.seam import Request

    Rows = Mapping[str, Mapping[str, NDArray[np.float32]]]

ALPHA = 0.5
"""Weight of the contrast in the published gain (arXiv 2505.18710)."""

CONTRASTIVE = "contrastive"
"""``log softmax((1 + alpha) * logits of p - alpha * logits of q)[y]``, nats, at most 0."""
KL = "kl"
"""Kullback-Leibler divergence ``sum p log(p / q)``, nats, at least 0."""
JS = "js"
"""Jensen-Shannon divergence, nats, from 0 to log 2."""
L1 = "l1"
"""``sum |p - q|``, from 0 to 2: twice the total variation."""
TOP_WITH = "top_with"
"""``max p``: how certain the stream with passages is."""
TOP_WITHOUT = "top_without"
"""``max q``."""
HIT_WITH = "hit_with"
"""1 if the likeliest token of p is y, else 0."""
HIT_WITHOUT = "hit_without"
"""1 if the likeliest token of q is y, else 0."""
AGREE = "agree"
"""1 if both streams have the same likeliest token, else 0."""
MET = "met"
"""Left side of Tok-RAG's criterion: how near a passage token that the model attends to is to p, a cosine."""
APART = "apart"
"""Its right side: how near q is to p, a cosine. The criterion says benefit where ``met > apart``."""
LAYER = "layer"
"""The layer whose attention :data:`MET` read, counted from 0; the same for all tokens of a target."""

CRITERION_KINDS = frozenset({MET, APART, LAYER})
"""What a model that shows no attention cannot give."""
STREAM_KINDS = CRITERION_KINDS | {
    CONTRASTIVE,
    KL,
    JS,
    L1,
    TOP_WITH,
    TOP_WITHOUT,
    HIT_WITH,
    HIT_WITHOUT,
    AGREE,
}
"""Every kind."""


@runtime_checkable
class ComparesStreams(Protocol):
    """A generator that can compare two whole distributions."""

    def compare(
        self, with_passages: Request, without: Request, kinds: frozenset[str], alpha: float = ALPHA
    ) -> Rows:
        """Compare the distributions of two prompts over the same targets.

        Args:
            with_passages: The prompt that holds passages; its segments say which tokens are theirs.
            without: The prompt to compare with, behind it the same targets.
            kinds: Which of :data:`STREAM_KINDS` are wanted.
            alpha: Weight of the contrast in :data:`CONTRASTIVE`, at least 0.

        Returns:
            By target id and kind one number a target token, shape (T,). The kinds of the criterion are absent
            where the model shows no attention, or the prompt has too few passage tokens.
        """
