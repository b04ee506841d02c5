"""MCSHAP and PMCSHAP, the Monte-Carlo Shapley estimates of RAG-E.

A pool of coalitions is evaluated once. Many times a part of it is drawn, the kernel-weighted regression is
solved on that part alone, and the coefficients are averaged. PMCSHAP draws complementary pairs both times.
As in the published code, each regression has a free intercept and a small ridge, and leaves out the empty and
the grand coalition, which count among those drawn; so attributions need not sum to v(N) - v(empty). The
published pool has 20 coalitions and a part 10 of them; of larger pools a part is half, too.

Source: RAG-E, arXiv 2601.21803, section on generator attribution, and its code.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from boresight.explain.shapley.banzhaf import BanzhafEstimator
from boresight.explain.shapley.estimator import Attributions, aligned, require_budget
from boresight.explain.shapley.layers import layer_weight

if TYPE_CHECKING:
    from boresight.explain.shapley.estimator import Bools, Floats, Ints, Values

POOL, DRAWS = 20, 200
RIDGE = 0.001
NO_INTERVAL = "the draws share one pool: their spread does not show the pool's own error"
BLOCK_DRAWS = 256


@dataclass(frozen=True, eq=False)
class PoolDesign:
    """A pool of coalitions and the parts of it that are fitted.

    Attributes:
        coalitions: Empty, grand, then the pool, shape (m, n).
        parts: Rows of ``coalitions`` in each fit, shape (draws, rows).
    """

    coalitions: Bools
    parts: Ints

    @property
    def diagnostics(self) -> dict[str, int]:
        """The number of fits."""
        return {"fits": len(self.parts)}


@dataclass(frozen=True)
class MonteCarloEstimator:
    """One method for both: pools and parts of single coalitions or of complementary pairs.

    Attributes:
        paired: Whether coalitions come with their complements.
        draws: Number of fits, M.
        part: Coalitions in each fit, the left-out empty and grand one among them; by default half the pool.
    """

    paired: bool
    draws: int = DRAWS
    part: int | None = None

    estimand: ClassVar[str] = "shapley"
    default_budget: ClassVar[int] = POOL

    def design(self, n_players: int, budget: int, rng: np.random.Generator) -> PoolDesign:
        """A pool that spends the budget, and the parts.

        Raises:
            ValueError: The budget does not pay for the empty, the grand and two other coalitions.
        """
        least = min(4, 2 ** min(n_players, 2))
        name = "pmcshap" if self.paired else "mcshap"
        require_budget(name, n_players, budget, least, "the empty and the grand one and a pair")
        coalitions = self._pool(n_players, budget, rng)
        step = 2 if self.paired else 1
        units = (len(coalitions) - 2) // step if n_players else 0
        part = len(coalitions) // 2 if self.part is None else self.part
        wanted = min(max((part - 2) // step, 1), units)
        order = np.argsort(rng.random((self.draws, units)), axis=1)[:, :wanted]
        parts = 2 + (order[:, :, None] * step + np.arange(step)).reshape(self.draws, -1)
        return PoolDesign(coalitions, parts)

    def estimate(self, design: PoolDesign, values: Values) -> Attributions:
        """Mean of the fits' coefficients; without an interval."""
        table = aligned(design, values)
        n = design.coalitions.shape[1]
        columns = table.reshape(len(table), -1)
        between = n > 1  # of fewer players, there is nothing between empty and grand to fit
        found = _mean_fit(design, columns) if between else columns[1:] - columns[:1]
        return Attributions(found.reshape(n, *table.shape[1:]), None, None, NO_INTERVAL)

    def _pool(self, n: int, budget: int, rng: np.random.Generator) -> Bools:
        """Empty, grand, then distinct coalitions, pair by pair where paired."""
        size = int(min(budget, 2.0**n))
        everything = BanzhafEstimator().design(n, max(size, 4 * n), rng).coalitions
        if self.paired or n == 0:
            return everything[:size] if size % 2 == 0 or n == 0 else everything[: size - 1]
        # One random side of twice as many pairs would hardly ever meet its complement: shuffle all sides.
        more = BanzhafEstimator().design(n, max(2 * size, 4 * n), rng).coalitions
        return np.concatenate([more[:2], more[2:][rng.permutation(len(more) - 2)][: size - 2]])


def _mean_fit(design: PoolDesign, columns: Floats) -> Floats:
    """Mean over parts of the ridge regression's slopes, shape (n, T)."""
    n = design.coalitions.shape[1]
    rows = np.column_stack([np.ones(len(design.coalitions)), design.coalitions])
    sizes = design.coalitions.sum(axis=1)
    weights = np.array([layer_weight(n, int(s)) * 2 * (n - 1) / n if 0 < s < n else 0.0 for s in sizes])
    ridge = RIDGE * np.diag([0.0, *[1.0] * n])
    total = np.zeros((n, columns.shape[1]))
    for start in range(0, len(design.parts), BLOCK_DRAWS):
        part = design.parts[start : start + BLOCK_DRAWS]
        x = rows[part]
        weighted = (x * weights[part][:, :, None]).transpose(0, 2, 1)
        solve = np.linalg.solve(weighted @ x + ridge, weighted)  # (fits, n + 1, rows)
        gain = np.zeros((n, len(rows)))
        np.add.at(gain.T, part.reshape(-1), solve[:, 1:].transpose(0, 2, 1).reshape(-1, n))
        total += gain @ columns
    return np.asarray(total / len(design.parts))
