"""Token LIME and token Shapley values: coalitions of tokens, absent ones replaced by the baseline.

The estimators are those of the context game, :mod:`boresight.explain.shapley`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.saliency.baseline import Baseline, choose
from boresight.explain.saliency.removal import removal_scores
from boresight.explain.shapley import attribute, shapley

if TYPE_CHECKING:
    from boresight.explain.saliency.result import Saliency
    from boresight.explain.saliency.scored_text import ScoredText
    from boresight.explain.shapley import Estimate

COALITIONS_PER_TOKEN = 4
FEWEST_COALITIONS = 64


@dataclass(frozen=True, slots=True)
class TokenShapley:
    """Shapley values of the tokens of the text.

    Attributes:
        baseline: What an absent token becomes.
        budget: Most coalitions; None for four times the number of tokens, at least 64.
        seed: Seed of the coalitions.
    """

    baseline: Baseline = "unk"
    budget: int | None = None
    seed: int = 0

    name = "shapley"

    def explain(self, text: ScoredText) -> Saliency:
        """Token values of a text, which sum to the change of score from all tokens of the text absent."""
        count = len(text.text_places)
        if not count:
            return text.result(text.spread(np.zeros(0)), self.name, "causal")
        budget = _budget(self.budget, count)
        found = shapley(
            lambda kept: removal_scores(text, kept, self.baseline), count, "auto", budget, self.seed
        )
        ends = removal_scores(text, np.zeros((1, count), dtype=bool), self.baseline)
        return _result(text, found, self.name, self.baseline, float(ends[0]))


@dataclass(frozen=True, slots=True)
class TokenLime:
    """Coefficients of a local linear model over present and absent tokens.

    Attributes:
        baseline: What an absent token becomes.
        budget: Number of coalitions; None for four times the number of tokens, at least 64.
        seed: Seed of the coalitions.
    """

    baseline: Baseline = "unk"
    budget: int | None = None
    seed: int = 0

    name = "lime"

    def explain(self, text: ScoredText) -> Saliency:
        """Token values of a text; they need not sum to anything."""
        count = len(text.text_places)
        if not count:
            return text.result(text.spread(np.zeros(0)), self.name, "approximate")
        budget = _budget(self.budget, count)
        found = attribute(
            lambda kept: removal_scores(text, kept, self.baseline), count, "lime", budget, self.seed
        )
        return _result(text, found, self.name, self.baseline, None)


def _budget(asked: int | None, count: int) -> int:
    return max(COALITIONS_PER_TOKEN * count, FEWEST_COALITIONS) if asked is None else asked


def _result(
    text: ScoredText, found: Estimate, name: str, baseline: Baseline, base_score: float | None
) -> Saliency:
    values = text.spread(found.values)
    gap = None if base_score is None else float(values.sum()) - (text.score - base_score)
    return text.result(
        values,
        name,
        "causal" if found.method == "exact" else "approximate",
        baseline=choose(text.path, text.mask, baseline).name,
        baseline_score=base_score,
        gap=gap,
        evaluations=found.calls,
    )
