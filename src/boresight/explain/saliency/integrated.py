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

from boresight.explain.saliency.baseline import Baseline, choose
from boresight.explain.saliency.line import Estimate, Line
from boresight.explain.saliency.quadrature import Rule, rule
from boresight.explain.saliency.refined import refined
from boresight.explain.saliency.result import SaliencyWarning, relative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boresight.explain.saliency.result import Saliency
    from boresight.explain.saliency.scored_text import ScoredText

NODES = (16, 20, 40, 80)
TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class IntegratedGradients:
    """Integrated Gradients with the number of nodes that the completeness gap asks for.

    Attributes:
        baseline: Start of the path.
        quadrature: The rule: ``refined`` adds nodes where the score turns and keeps those that it has; the
            others begin anew with each number of nodes.
        nodes: Numbers of nodes to try in turn; the first that meets the tolerance is kept.
        tolerance: Largest relative gap, |gap| / max(|s(x) - s(x0)|, 0.02).
    """

    baseline: Baseline = "unk"
    quadrature: Rule = "refined"
    nodes: tuple[int, ...] = NODES
    tolerance: float = TOLERANCE

    name = "integrated_gradients"

    def explain(self, text: ScoredText) -> Saliency:
        """Token values of a text.

        Warns:
            SaliencyWarning: The gap stays above the tolerance with the most nodes.
        """
        start = choose(text.path, text.mask, self.baseline)
        base_score = float(text.scores(start.embeddings[None])[0])
        change = text.score - base_score
        for found in self._estimates(Line(text, start.embeddings)):
            gap = float(found.values.sum()) - change
            if relative(gap, change) <= self.tolerance:
                break
        return text.result(
            found.values,
            self.name,
            "approximate",
            baseline=start.name,
            baseline_score=base_score,
            gap=gap,
            evaluations=1 + found.evaluations,
            nodes=found.nodes,
            warning=self._warning(relative(gap, change), found.nodes),
        )

    def _estimates(self, line: Line) -> Iterator[Estimate]:
        """An estimate for each number of nodes."""
        if self.quadrature == "refined":
            yield from refined(line, self.nodes)
            return
        spent = 0
        for count in self.nodes:
            places, weights = rule(self.quadrature, count)
            spent += count
            yield Estimate(weights @ line.slopes(places), count, spent)

    def _warning(self, gap: float, count: int) -> str | None:
        if gap <= self.tolerance:
            return None
        sentence = (
            f"Integrated Gradients leave a gap of {gap:.1%} of the change of score with {count} nodes, above "
            f"the tolerance of {self.tolerance:.1%}; give more nodes or another baseline."
        )
        warnings.warn(sentence, SaliencyWarning, stacklevel=4)
        return sentence
