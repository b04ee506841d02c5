"""Integrated Gradients of a ranker's score over the embeddings of one text.

beta_i = (x_i - x0_i) . integral over t in [0, 1] of ds/dx_i at x0 + t (x - x0), summed over the embedding
dimension; the values sum to s(x) - s(x0) (completeness).

Sources: M. Sundararajan, A. Taly and Q. Yan, *Axiomatic Attribution for Deep Networks*, ICML 2017; for
retrievers with the other side held fixed RAG-E, arXiv 2601.21803.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

from boresight.explain.saliency.baseline import Baseline, choose
from boresight.explain.saliency.quadrature import Rule, rule
from boresight.explain.saliency.result import SaliencyWarning, relative

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boresight.explain.saliency.result import Saliency
    from boresight.explain.saliency.scored_text import ScoredText

NODES = (16, 20, 40, 80)
TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class IntegratedGradients:
    """Integrated Gradients with the number of nodes that the completeness gap asks for.

    Attributes:
        baseline: Start of the path.
        quadrature: The rule.
        nodes: Numbers of nodes to try in turn; the first that meets the tolerance is kept.
        tolerance: Largest relative gap, |gap| / max(|s(x) - s(x0)|, 0.02).
    """

    baseline: Baseline = "unk"
    quadrature: Rule = "gauss_sinh"
    nodes: tuple[int, ...] = NODES
    tolerance: float = TOLERANCE

    name = "integrated_gradients"

    def explain(self, text: ScoredText) -> Saliency:
        """Token values of a text.

        Warns:
            SaliencyWarning: The gap stays above the tolerance with the most nodes.
        """
        start = choose(text.path, text.mask, self.baseline)
        step = text.path.embeddings() - start.embeddings
        base_score = float(text.scores(start.embeddings[None])[0])
        change, spent = text.score - base_score, 1
        for count in self.nodes:
            values = self._integral(text, start.embeddings, step, count)
            spent += count
            gap = float(values.sum()) - change
            if relative(gap, change) <= self.tolerance:
                break
        return text.result(
            values,
            self.name,
            "approximate",
            baseline=start.name,
            baseline_score=base_score,
            gap=gap,
            evaluations=spent,
            nodes=count,
            warning=self._warning(relative(gap, change), count),
        )

    def _integral(
        self, text: ScoredText, start: torch.Tensor, step: torch.Tensor, count: int
    ) -> NDArray[np.float64]:
        """Value of each token, shape (tokens,)."""
        nodes, weights = rule(self.quadrature, count)
        along = torch.tensor(nodes, dtype=step.dtype, device=step.device)
        slopes = text.gradients(start + along[:, None, None] * step)
        # One sum a node first: a control token's step is zero, and so is then every product with it.
        products = (slopes.double() * step.double()).sum(dim=-1).cpu().numpy()
        return np.asarray(weights @ products, dtype=np.float64)

    def _warning(self, gap: float, count: int) -> str | None:
        if gap <= self.tolerance:
            return None
        sentence = (
            f"Integrated Gradients leave a gap of {gap:.1%} of the change of score with {count} nodes, above "
            f"the tolerance of {self.tolerance:.1%}; give more nodes or another baseline."
        )
        warnings.warn(sentence, SaliencyWarning, stacklevel=4)
        return sentence
