"""The default rule: cells with one node each, cut where their node misses most of the score's change.

The change of score over a stretch of the line is known from two scores, without gradients. What the
stretch's node makes of it differs by the local gap; the local gaps sum to the completeness gap. The cells
with the largest are cut into thirds. The old node stays that of the middle third, so no gradient is lost.

At first the cells are of equal width in the variable of the sinh map. For a slope that is flat at both ends
of the line equal cells are about as good as Gauss nodes, and a cell can be cut alone.

Source: the global strategy of M. Malcolm and R. Simpson, *Local Versus Global Strategies for Adaptive
Quadrature*, ACM Trans. Math. Softw. 1 (1975) 129-146, there with an estimated error in the place of the gap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.saliency.line import Estimate
from boresight.explain.saliency.quadrature import require_enough, sinh_map

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from boresight.explain.saliency.line import Line

    Floats = NDArray[np.float64]

AT_ONCE = 8
"""One cell in this many is cut before the gaps are compared again."""


@dataclass(frozen=True)
class Cells:
    """Stretches of the line that cover it, in any order.

    Attributes:
        low: Where each begins, in the variable of the sinh map; shape (n,).
        high: Where it ends.
        parts: What its node adds to each token's value, shape (n, tokens).
        before: Score where it begins.
        after: Score where it ends.
    """

    low: Floats
    high: Floats
    parts: Floats
    before: Floats
    after: Floats

    @property
    def gaps(self) -> Floats:
        """How far each cell's node is from the change of score over the cell."""
        made: Floats = self.parts.sum(axis=1)
        return made - (self.after - self.before)


def refined(line: Line, counts: Sequence[int]) -> Iterator[Estimate]:
    """Estimates with so many nodes in turn; an odd number to add is rounded down.

    Args:
        line: The line to integrate over.
        counts: Nodes of each estimate, not falling.

    Raises:
        ValueError: The first number is too small.
    """
    require_enough(counts[0])
    edges = np.linspace(0, 1, counts[0] + 1)
    parts = _parts(line, edges[:-1], edges[1:])
    spent = counts[0]
    yield Estimate(parts.sum(axis=0), spent, spent)
    if not counts[1:]:
        return
    scores = line.scores(sinh_map(edges)[0])
    spent += len(scores)
    cells = Cells(edges[:-1], edges[1:], parts, scores[:-1], scores[1:])
    for count in counts[1:]:
        while wanted := max(0, count - len(cells.low)) // 2:
            chosen = min(wanted, max(1, len(cells.low) // AT_ONCE))
            cells = _cut(line, cells, np.argsort(-np.abs(cells.gaps), kind="stable")[:chosen])
            spent += 4 * chosen  # two nodes and two scores a cell
        yield Estimate(cells.parts.sum(axis=0), len(cells.low), spent)


def _parts(line: Line, low: Floats, high: Floats) -> Floats:
    """The midpoint rule in the variable of the sinh map, cell by cell."""
    places, stretch = sinh_map((low + high) / 2)
    return ((high - low) * stretch)[:, None] * line.slopes(places)


def _cut(line: Line, cells: Cells, chosen: NDArray[np.intp]) -> Cells:
    """The same cells, the chosen ones in thirds."""
    low, high = cells.low[chosen], cells.high[chosen]
    third = (high - low) / 3
    left, right = low + third, high - third
    outer = _parts(line, np.concatenate([low, right]), np.concatenate([left, high]))
    first, second = np.split(line.scores(sinh_map(np.concatenate([left, right]))[0]), 2)

    def joined(kept: Floats, *thirds: Floats) -> Floats:
        return np.concatenate([np.delete(kept, chosen, axis=0), *thirds])

    before, after = cells.before[chosen], cells.after[chosen]
    return Cells(
        joined(cells.low, low, right, left),
        joined(cells.high, left, high, right),
        joined(cells.parts, outer, cells.parts[chosen] / 3),
        joined(cells.before, before, second, first),
        joined(cells.after, first, after, second),
    )
