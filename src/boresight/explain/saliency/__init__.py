"""Saliency: which words of a query or passage made a neural ranker give its score.

A ranker's score becomes a :class:`ScoredText`, a differentiable function of one side's tokens
(:mod:`dense`, :mod:`cross`); a method is a small class whose ``explain`` turns that into a
:class:`Saliency`. A new method is one class, listed in :data:`METHODS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from boresight.explain.saliency.control import RandomControl
from boresight.explain.saliency.cross import pair_side
from boresight.explain.saliency.dense import contrast, passage_side, query_side
from boresight.explain.saliency.gradients import AttentionTimesGradient, Gradient, GradientTimesInput
from boresight.explain.saliency.integrated import IntegratedGradients
from boresight.explain.saliency.removal import removal_scores
from boresight.explain.saliency.result import Saliency, SaliencyWarning, TokenSaliency
from boresight.explain.saliency.sampled import TokenLime, TokenShapley
from boresight.explain.saliency.scored_text import ScoredText

if TYPE_CHECKING:
    from collections.abc import Mapping


class Method(Protocol):
    """A saliency method with its settings."""

    @property
    def name(self) -> str:
        """Its name."""

    def explain(self, text: ScoredText) -> Saliency:
        """Value of every token of a text."""


METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        IntegratedGradients(),
        Gradient(),
        GradientTimesInput(),
        AttentionTimesGradient(),
        TokenShapley(),
        TokenLime(),
        RandomControl(),
    )
}
"""Every method in its default setting, by name; the first is the default."""


__all__ = [
    "METHODS",
    "AttentionTimesGradient",
    "Gradient",
    "GradientTimesInput",
    "IntegratedGradients",
    "Method",
    "RandomControl",
    "Saliency",
    "SaliencyWarning",
    "ScoredText",
    "TokenLime",
    "TokenSaliency",
    "TokenShapley",
    "contrast",
    "pair_side",
    "passage_side",
    "query_side",
    "removal_scores",
]
