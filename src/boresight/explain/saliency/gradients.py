"""Saliency from one gradient at the text itself: cheap, and no statement about what happens away from it.

Sources: K. Simonyan, A. Vedaldi and A. Zisserman, *Deep Inside Convolutional Networks* (2013), and for text
J. Li et al., *Visualizing and Understanding Neural Models in NLP* (2016), gradient norms; A. Shrikumar et
al., *Not Just a Black Box* (2016), gradient times input;
O. Barkan et al., *Grad-SAM*, CIKM 2021, attention times
gradient (there with negative gradients cut off, here signed).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boresight.explain.saliency.result import Saliency
    from boresight.explain.saliency.scored_text import ScoredText


@dataclass(frozen=True, slots=True)
class Gradient:
    """Length of the gradient with respect to each token's embedding; never negative."""

    name = "gradient"

    def explain(self, text: ScoredText) -> Saliency:
        """Token values of a text, in score per unit of embedding; control tokens 0."""
        found = text.gradients(text.path.embeddings()[None])[0]
        return text.result(_numbers(text, found.norm(dim=-1)), self.name, "approximate", evaluations=1)


@dataclass(frozen=True, slots=True)
class GradientTimesInput:
    """Gradient times embedding, summed over its dimensions."""

    name = "gradient_x_input"

    def explain(self, text: ScoredText) -> Saliency:
        """Token values of a text, in the unit of the score; control tokens 0."""
        own = text.path.embeddings()
        found = (text.gradients(own[None])[0] * own).sum(dim=-1)
        return text.result(_numbers(text, found), self.name, "approximate", evaluations=1)


@dataclass(frozen=True, slots=True)
class AttentionTimesGradient:
    """Attention paid to a token times the score's gradient in that attention.

    Mean over layers and heads, summed over the tokens that pay it.
    """

    name = "attention_x_gradient"

    def explain(self, text: ScoredText) -> Saliency:
        """Token values of a text; control tokens 0."""
        if not text.parts:
            return text.result(np.zeros(0), self.name, "heuristic")
        own = text.path.embeddings()[None].detach().requires_grad_()
        with torch.enable_grad():
            outputs, attention = text.path.outputs_and_attention(own)
            slopes = torch.autograd.grad(text.objective(outputs).sum(), attention)
        paid = [
            (weights * slope)[0].sum(dim=1).mean(dim=0)  # (heads, from, to) to one value a token
            for weights, slope in zip(attention, slopes, strict=True)
        ]
        found = torch.stack(paid).mean(dim=0).detach()
        return text.result(_numbers(text, found), self.name, "heuristic", evaluations=1)


def _numbers(text: ScoredText, values: torch.Tensor) -> NDArray[np.float64]:
    kept = torch.where(text.mask, values, torch.zeros_like(values))
    return np.asarray(kept.double().cpu().numpy(), dtype=np.float64)
