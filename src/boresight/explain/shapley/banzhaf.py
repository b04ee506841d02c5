"""Banzhaf values: what a player adds to a coalition that holds each other player with probability one half.

    beta_i = 2^-(n - 1) * sum over S without i of (v(S + i) - v(S))

They are the slopes of the least-squares line over all coalitions alike, and are sampled as such: pairs of a
coalition and its complement, drawn without replacement, with a jackknife interval.

Sources: J. Banzhaf, Weighted voting doesn't work, 1965; P. Hammer and R. Holzman, Approximations of
pseudo-Boolean functions, 1992 (least squares); J. Wang and R. Jia, Data Banzhaf, 2023.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.shapley.estimator import Attributions, aligned, finite_values, require_budget
from boresight.explain.shapley.fit import LayeredSample
from boresight.explain.shapley.layers import (
    COMPLETE,
    PairDesign,
    pair_differences,
    too_few_pairs,
    with_complements,
)
from boresight.stats.quantiles import t_reaches

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from boresight.explain.shapley.estimator import Bools, Floats, Values

PAIRS_A_PARAMETER = 4  # with fewer, the jackknife's interval covers too much
LISTED_PLAYERS = 13  # up to 4,096 pairs are listed and shuffled


class BanzhafEstimator:
    """Pairs of coalitions drawn alike."""

    estimand = "banzhaf"
    default_budget = 1_024

    def design(self, n_players: int, budget: int, rng: np.random.Generator) -> PairDesign:
        """As many pairs as the budget pays for, besides the empty and the grand coalition.

        Raises:
            ValueError: The budget does not pay for four coalitions a player (or for all there are).
        """
        least = min(4 * n_players, 2**n_players) if n_players < LISTED_PLAYERS else 4 * n_players
        require_budget("banzhaf", n_players, budget, least, "four a player")
        pairs = max(budget - 2, 0) // 2
        population = max(2.0 ** (n_players - 1) - 1, 0.0)
        members = _draw(n_players, int(min(pairs, population)), rng)
        layer = np.zeros(len(members), np.intp)
        return PairDesign(members, layer, np.array([population]), with_complements(members))

    def estimate(self, design: PairDesign, values: Values) -> Attributions:
        """Banzhaf values with a jackknife interval over pairs."""
        table = aligned(design, values)
        n = design.members.shape[1]
        shape = (n, *table.shape[1:])
        if n == 0:
            return Attributions(np.zeros(shape), None, None, COMPLETE)
        sample = _sample(design)
        observed = pair_differences(table.reshape(len(table), -1))
        found = sample.solve(observed)
        reason = too_few_pairs(len(design.members), PAIRS_A_PARAMETER * n)
        if design.complete or reason:
            return Attributions(found.reshape(shape), None, None, COMPLETE if design.complete else reason)
        reach = t_reaches(sample.freedom())[:, None] * sample.error(observed)
        low, high = ((found + side * reach).reshape(shape) for side in (-1, 1))
        return Attributions(found.reshape(shape), low, high, None)


def exact_banzhaf(values: ArrayLike) -> Floats:
    """Banzhaf values from a whole table, row number = bit mask; (2^n, T) or (2^n,) to (n, T) or (n,).

    Raises:
        ValueError: A value is NaN or infinite.
    """
    table = finite_values(values)
    n = len(table).bit_length() - 1
    signs = 2.0 * (np.arange(len(table))[:, None] >> np.arange(n) & 1) - 1
    found: Floats = signs.T @ table / max(len(table) // 2, 1)
    return found


def _sample(design: PairDesign) -> LayeredSample:
    """The drawn pairs, each standing for its share of all, and the empty-grand pair, standing for itself."""
    k, n = design.members.shape
    share = design.population[0] / max(k, 1)
    return LayeredSample(
        rows=np.vstack([design.signs, np.ones(n)]),
        weights=np.append(np.full(k, share), 1.0),
        layer=np.append(np.ones(k, np.intp), 0),
        population=np.array([1.0, design.population[0]]),
    )


def _draw(n: int, pairs: int, rng: np.random.Generator) -> Bools:
    """Sides without the last player of distinct pairs, neither empty nor grand, shape (pairs, n)."""
    if n <= LISTED_PLAYERS:
        masks = 1 + rng.permutation(max(2 ** (n - 1) - 1, 0) if n else 0)[:pairs]
        return np.asarray(masks[:, None] >> np.arange(n) & 1, dtype=bool)
    rows: dict[bytes, None] = {}
    while len(rows) < pairs:
        row = np.append(rng.random(n - 1) < 0.5, False)  # noqa: PLR2004 - one half
        if row.any():
            rows[row.tobytes()] = None
    return np.frombuffer(b"".join(rows), dtype=bool).reshape(-1, n)
