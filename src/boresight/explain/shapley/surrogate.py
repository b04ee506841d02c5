"""Linear surrogates of a game: LIME and ContextCite.

Each player is kept with probability one half, and a line is fitted to the values. LIME weights coalitions by
their likeness to the grand one and fits with a small ridge; ContextCite fits the log-odds of the answer with
a LASSO, so that most players get exactly 0.

Sources: M. T. Ribeiro, S. Singh and C. Guestrin, "Why should I trust you?", 2016, and its text explainer
(width 25 of the cosine distance in percent, ridge 1); B. Cohen-Wang et al., ContextCite, 2024 (arXiv
2409.00729), and its solver (standardised masks, penalty 0.01).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from boresight.explain.shapley.estimator import Attributions, aligned, finite_values, require_budget

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from boresight.explain.shapley.estimator import Bools, Floats, Values

LIME_WIDTH, LIME_RIDGE = 25.0, 1.0
PENALTY = 0.01
LEAST_COALITIONS = 3
SWEEPS, STILL = 2_000, 1e-10
NO_LASSO_INTERVAL = "a LASSO shrinks: resampling it does not cover the true weights"
NO_LIME_INTERVAL = "LIME's weighted ridge is biased, and no interval of its weights is known to hold"


@dataclass(frozen=True, eq=False)
class RandomDesign:
    """Empty and grand coalition and coalitions that keep each player with probability one half."""

    coalitions: Bools
    diagnostics: ClassVar[dict[str, int]] = {}


def random_design(n_players: int, budget: int, rng: np.random.Generator) -> RandomDesign:
    """Distinct random coalitions after the empty and the grand one, as many as the budget pays for.

    Args:
        n_players: Number of players, n.
        budget: Most distinct coalitions.
        rng: Source of the coalitions.
    """
    wanted = int(min(budget, 2.0**n_players))
    rows = {bytes(n_players): None, b"\x01" * n_players: None}
    if wanted == 2.0**n_players:
        masks = rng.permutation(wanted)[:, None] >> np.arange(n_players) & 1
        rows |= dict.fromkeys(row.tobytes() for row in masks.astype(bool))
    while len(rows) < wanted:
        rows[(rng.random(n_players) < 0.5).tobytes()] = None  # noqa: PLR2004 - one half
    return RandomDesign(np.frombuffer(b"".join(rows), dtype=bool).reshape(len(rows), n_players))


class LimeEstimator:
    """LIME's text explainer with passages as its words."""

    estimand = "lime"
    default_budget = 1_024

    def design(self, n_players: int, budget: int, rng: np.random.Generator) -> RandomDesign:
        """Random coalitions.

        Raises:
            ValueError: The budget does not pay for three coalitions (or for all there are).
        """
        return _design("lime", n_players, budget, rng)

    def estimate(self, design: RandomDesign, values: Values) -> Attributions:
        """Slopes of the weighted ridge regression; without an interval."""
        table = aligned(design, values)
        return Attributions(_lime(design.coalitions, table), None, None, NO_LIME_INTERVAL)


class ContextCiteEstimator:
    """ContextCite's LASSO. Values must be log-probabilities; each column is an answer of its own."""

    estimand = "contextcite"
    default_budget = 64

    def design(self, n_players: int, budget: int, rng: np.random.Generator) -> RandomDesign:
        """Random coalitions.

        Raises:
            ValueError: The budget does not pay for three coalitions (or for all there are).
        """
        return _design("contextcite", n_players, budget, rng)

    def estimate(self, design: RandomDesign, values: Values) -> Attributions:
        """Slopes on the log-odds; without an interval.

        A value of 0 nats, probability one, has the log-odds of the largest probability below one that float32
        holds; the reason counts such values.

        Raises:
            ValueError: A value is above 0, so it is no log-probability.
        """
        table = aligned(design, values)
        found, saturated = _contextcite(design.coalitions, table)
        note = f"; {saturated} values are at probability one" if saturated else ""
        return Attributions(found, None, None, NO_LASSO_INTERVAL + note)


def exact_lime(values: ArrayLike) -> Floats:
    """LIME's weights when it sees every coalition once; (2^n, T) or (2^n,) to (n, T) or (n,).

    Raises:
        ValueError: A value is NaN or infinite.
    """
    table = finite_values(values)
    return _lime(_all(len(table)), table)


def exact_contextcite(values: ArrayLike) -> Floats:
    """ContextCite's weights when it sees every coalition once; (2^n, T) or (2^n,) to (n, T) or (n,).

    Raises:
        ValueError: A value is no log-probability.
    """
    table = finite_values(values)
    return _contextcite(_all(len(table)), table)[0]


def _design(name: str, n: int, budget: int, rng: np.random.Generator) -> RandomDesign:
    least = min(LEAST_COALITIONS, 2 ** min(n, 2))
    require_budget(name, n, budget, least, "to lay a line through")
    return random_design(n, budget, rng)


def _all(rows: int) -> Bools:
    return np.asarray(np.arange(rows)[:, None] >> np.arange(rows.bit_length() - 1) & 1, dtype=bool)


def _lime(coalitions: Bools, table: Floats) -> Floats:
    n = coalitions.shape[1]
    share = coalitions.mean(axis=1) if n else np.ones(len(coalitions))
    distance = 100 * (1 - np.sqrt(share))  # cosine distance to the grand coalition, in percent
    weights = np.sqrt(np.exp(-((distance / LIME_WIDTH) ** 2)))
    centred: Floats = coalitions - np.average(coalitions, axis=0, weights=weights)
    heights = table - np.average(table, axis=0, weights=weights)
    normal = (centred.T * weights) @ centred + LIME_RIDGE * np.eye(n)
    return np.asarray(np.linalg.solve(normal, (centred.T * weights) @ heights))


def _contextcite(coalitions: Bools, table: Floats) -> tuple[Floats, int]:
    from boresight.game.scales import CERTAIN, log_odds

    if (table > 0).any():
        raise ValueError(
            "contextcite reads log-probabilities, which are at most 0; "
            f"the largest value is {table.max():.4g}"
        )
    columns = log_odds(table).reshape(len(table), -1)
    spread = coalitions.std(axis=0)
    scaled = (coalitions - coalitions.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    slopes = _lasso(scaled, columns - columns.mean(axis=0)) / np.where(spread > 0, spread, 1.0)[:, None]
    return slopes.reshape(coalitions.shape[1], *table.shape[1:]), int((table >= CERTAIN).sum())


def _lasso(rows: Floats, heights: Floats) -> Floats:
    """Minimise the mean squared error / 2 plus the penalty times the absolute slopes, column by column.

    Cyclic coordinate descent: J. Friedman et al., *Annals of Applied Statistics* 1 (2007).
    """
    m, n = rows.shape
    gram, slopes = rows.T @ rows / m, np.zeros((n, heights.shape[1]))
    goal = rows.T @ heights / m
    for _ in range(SWEEPS):
        before = slopes.copy()
        for i in range(n):
            if gram[i, i] > 0:
                pull = goal[i] - gram[i] @ slopes + gram[i, i] * slopes[i]
                slopes[i] = np.sign(pull) * np.maximum(np.abs(pull) - PENALTY, 0.0) / gram[i, i]
        if np.abs(slopes - before).max(initial=0.0) <= STILL * max(1.0, np.abs(slopes).max(initial=0.0)):
            break
    return slopes
