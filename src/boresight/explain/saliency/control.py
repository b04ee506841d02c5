"""The control: random values, which any method has to beat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from boresight.explain.saliency.result import Saliency
    from boresight.explain.saliency.scored_text import ScoredText


@dataclass(frozen=True, slots=True)
class RandomControl:
    """Standard normal values for the tokens of the text, the same for the same tokens and seed.

    Attributes:
        seed: Seed of the values.
    """

    seed: int = 0

    name = "random"

    def explain(self, text: ScoredText) -> Saliency:
        """Token values that know nothing of the model."""
        ids = " ".join(map(str, text.path.tokens.ids))
        values = rng_for(self.seed, "random saliency", text.side, ids).standard_normal(len(text.text_places))
        return text.result(text.spread(values), self.name, "control")
