"""Shapley values by weighted least squares over pairs of complementary coalitions.

The Shapley values are the weights of the additive game closest to the real one, when a coalition of s players
counts (n - 1) / (C(n, s) s (n - s)) and the empty and the grand coalition must fit. ``leverage`` draws all
sizes alike and without replacement; ``kernel`` draws sizes by their share of that weight, with replacement.

Sources: A. Charnes et al., Extremal principle solutions of games in characteristic function form, 1988;
S. Lundberg and S.-I. Lee, A unified approach to interpreting model predictions, 2017; I. Covert and S.-I.
Lee, Improving KernelSHAP, 2021 (pairs); C. Musco and R. T. Witter, Provably accurate Shapley value estimation
via leverage score sampling, ICLR 2025.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.shapley.estimator import Attributions, aligned, require_budget
from boresight.explain.shapley.fit import LayeredSample
from boresight.explain.shapley.layers import (
    COMPLETE,
    PairDesign,
    exact_from_pairs,
    layer_weight,
    layered_design,
    pair_differences,
    too_few_pairs,
    with_complements,
)
from boresight.stats.quantiles import t_reaches

if TYPE_CHECKING:
    from boresight.explain.shapley.estimator import Bools, Floats, Ints, Values

PAIRS_A_PARAMETER = 3  # with two, the jackknife's interval covers too much
DRAWS_A_PAIR = 50  # draws with replacement may repeat; these many are enough for any budget
NO_KERNEL_INTERVAL = "kernel draws with replacement until the budget is spent, and no interval of that holds"


class LeverageEstimator:
    """All sizes drawn alike, in pairs, without replacement."""

    estimand = "shapley"
    default_budget = 1_024

    def design(self, n_players: int, budget: int, rng: np.random.Generator) -> PairDesign:
        """As many pairs as the budget pays for.

        Raises:
            ValueError: The budget does not pay for two coalitions a player.
        """
        require_budget("leverage", n_players, budget, max(2 * n_players, 1), "two a player")
        return layered_design(n_players, budget, rng, outer_first=False)

    def estimate(self, design: PairDesign, values: Values) -> Attributions:
        """Shapley values that sum to v(N) - v(empty), with a jackknife interval over pairs."""
        table = aligned(design, values)
        n = design.members.shape[1]
        shape = (n, *table.shape[1:])
        columns = table.reshape(len(table), -1)
        if design.complete:
            return Attributions(exact_from_pairs(design, columns).reshape(shape), None, None, COMPLETE)
        sizes = design.members.sum(axis=1)
        stands_for = (design.population / np.maximum(design.drawn, 1))[design.layer]
        kernel = np.array([layer_weight(n, int(size)) for size in sizes])
        sample = _sample(design, kernel * stands_for)
        observed, equal = _centred(design, columns)
        found = sample.solve(observed) + equal
        reason = too_few_pairs(len(design.members), PAIRS_A_PARAMETER * (n - 1))
        if reason:
            return Attributions(found.reshape(shape), None, None, reason)
        reach = t_reaches(sample.freedom())[:, None] * sample.error(observed)
        low, high = ((found + side * reach).reshape(shape) for side in (-1, 1))
        return Attributions(found.reshape(shape), low, high, None)


@dataclass(frozen=True, eq=False)
class KernelDesign:
    """Pairs drawn with replacement.

    Attributes:
        pairs: The distinct pairs.
        times: How often each was drawn, shape (k,).
    """

    pairs: PairDesign
    times: Ints

    @property
    def coalitions(self) -> Bools:
        """Distinct coalitions: empty, grand, then both sides of each pair."""
        return self.pairs.coalitions

    @property
    def diagnostics(self) -> dict[str, int]:
        """The numbers of distinct pairs and of draws."""
        return {"pairs": len(self.times), "draws": int(self.times.sum())}


class KernelEstimator:
    """KernelSHAP: pairs drawn by their kernel weight, with replacement."""

    estimand = "shapley"
    default_budget = 1_024

    def design(self, n_players: int, budget: int, rng: np.random.Generator) -> KernelDesign:
        """Pairs until the budget is spent.

        Raises:
            ValueError: The budget does not pay for two coalitions a player.
        """
        require_budget("kernel", n_players, budget, max(2 * n_players, 1), "two a player")
        everything = layered_design(n_players, min(budget, 2 ** min(n_players, 64)), rng)
        if everything.complete:
            return KernelDesign(everything, np.ones(len(everything.members), np.intp))
        return _draw(n_players, (budget - 2) // 2, everything.population, rng)

    def estimate(self, design: KernelDesign, values: Values) -> Attributions:
        """Shapley values that sum to v(N) - v(empty); without an interval."""
        table = aligned(design, values)
        pairs = design.pairs
        shape = (pairs.members.shape[1], *table.shape[1:])
        columns = table.reshape(len(table), -1)
        if pairs.complete:
            return Attributions(exact_from_pairs(pairs, columns).reshape(shape), None, None, COMPLETE)
        observed, equal = _centred(pairs, columns)
        found = _sample(pairs, design.times.astype(np.float64)).solve(observed) + equal
        return Attributions(found.reshape(shape), None, None, NO_KERNEL_INTERVAL)


def _centred(design: PairDesign, columns: Floats) -> tuple[Floats, Floats]:
    """Differences less what equal shares of the whole explain, (k, T), and the equal share, (T,)."""
    differences = pair_differences(columns)
    equal = differences[-1] / design.members.shape[1]
    return differences[:-1] - design.signs.sum(axis=1)[:, None] * equal, equal


def _sample(design: PairDesign, weights: Floats) -> LayeredSample:
    """The regression on signs whose sum over players is taken out, and held at 0 by one more row.

    Where pairs are too few to decide, a hair's weight for small coefficients decides.
    """
    n = design.members.shape[1]
    mean = weights.mean() if len(weights) else 1.0
    held = np.vstack([np.full(n, 1.0), np.eye(n) * 1e-5]) * np.sqrt(mean)
    return _Held(
        rows=design.signs - design.signs.mean(axis=1, keepdims=True),
        weights=weights,
        layer=design.layer,
        population=design.population,
        held=held,
    )


@dataclass(frozen=True, eq=False)
class _Held(LayeredSample):
    """A sample whose coefficients also obey rows that nobody drew."""

    held: Floats

    @property
    def normal(self) -> Floats:
        """Cross-product of the regressors and the rows that hold, shape (p, p)."""
        return np.asarray((self.rows.T * self.weights) @ self.rows + self.held.T @ self.held)


def _draw(n: int, pairs: int, population: Floats, rng: np.random.Generator) -> KernelDesign:
    """Distinct pairs, and how often each came."""
    sizes = np.arange(1, n // 2 + 1)
    share = np.where(2 * sizes == n, 0.5, 1.0) / (sizes * (n - sizes))
    times: dict[bytes, int] = {}
    for size in rng.choice(sizes, size=DRAWS_A_PAIR * pairs, p=share / share.sum()):
        row = np.zeros(n, bool)
        row[rng.permutation(n)[:size]] = True
        if 2 * size == n and not row[0]:
            row = ~row
        key = row.tobytes()
        if key not in times and len(times) == pairs:
            break
        times[key] = times.get(key, 0) + 1
    members = np.frombuffer(b"".join(times), dtype=bool).reshape(-1, n)
    layer = members.sum(axis=1) - 1
    design = PairDesign(members, layer, population, with_complements(members))
    return KernelDesign(design, np.array(list(times.values()), np.intp))
