"""The straight line from a baseline to a text: the score on it, and its slope by token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boresight.explain.saliency.scored_text import ScoredText

    Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """Points x0 + t (x - x0), t in [0, 1].

    Attributes:
        text: The score as a function of a text's embeddings.
        start: The baseline x0, shape (tokens, h).
    """

    text: ScoredText
    start: torch.Tensor

    def scores(self, places: Floats) -> Floats:
        """The score at each t, without gradients; shape (m,)."""
        return self.text.scores(self._points(places))

    def slopes(self, places: Floats) -> Floats:
        """(x_i - x0_i) . ds/dx_i of each token at each t, shape (m, tokens); a row sums to ds/dt."""
        slopes = self.text.gradients(self._points(places))
        # One sum a node first: a control token's step is zero, and so is then every product with it.
        return np.asarray((slopes.double() * self._step().double()).sum(dim=-1).cpu().numpy())

    def _points(self, places: Floats) -> torch.Tensor:
        step = self._step()
        along = torch.tensor(places, dtype=step.dtype, device=step.device)
        return self.start + along[:, None, None] * step

    def _step(self) -> torch.Tensor:
        return self.text.path.embeddings() - self.start


@dataclass(frozen=True)
class Estimate:
    """The integral of the slopes over [0, 1] by one rule.

    Attributes:
        values: One a token, shape (tokens,).
        nodes: Nodes of the rule.
        evaluations: Forward passes spent so far, those of earlier estimates included.
    """

    values: Floats
    nodes: int
    evaluations: int
