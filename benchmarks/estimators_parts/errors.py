"""Error against calls, of our methods and of peers, and the comparison with PMCSHAP as published."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import wilcoxon

from benchmarks.estimators_parts.peers import PEERS
from boresight.explain.shapley import ESTIMATORS
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.estimators_parts.games import Floats, GameSet

MULTIPLES = (2, 4, 8, 16)
BLOCKS = 5
DEFAULT, RIVAL = "kriging", "pmcshap"
OTHERS = ("banzhaf", "lime", "contextcite")


def our_errors(method: str, games: GameSet, budget: int, seeds: int) -> Floats:
    """Squared error over the squared norm of the exact values, (seeds, games)."""
    estimator = ESTIMATORS[method]
    exact = games.exact[estimator.estimand]
    found = []
    for seed in range(seeds):
        design = estimator.design(games.n, budget, rng_for(seed, "errors", method))
        attribution = estimator.estimate(design, games.value(design.coalitions)).attribution
        found.append(((attribution - exact) ** 2).sum(axis=0) / (exact**2).sum(axis=0))
    return np.array(found)


def peer_errors(name: str, games: GameSet, budget: int, seeds: int) -> Floats:
    """The same of a peer, which sees one game at a time."""
    exact = games.exact["shapley"]
    found = np.zeros((seeds, games.games))
    for seed in range(seeds):
        for place in range(games.games):
            phi = PEERS[name](lambda rows, at=place: games.value(rows)[:, at], games.n, budget, seed)
            found[seed, place] = ((phi - exact[:, place]) ** 2).sum() / (exact[:, place] ** 2).sum()
    return found


def summary(errors: Floats) -> tuple[float, float]:
    """Median over games of the mean over seeds, and its standard error from blocks of seeds."""
    if len(errors) < BLOCKS:
        raise ValueError(f"an error of an error needs {BLOCKS} seeds, got {len(errors)}")
    blocks = [np.median(block.mean(axis=0)) for block in np.array_split(errors, BLOCKS)]
    return float(np.median(errors.mean(axis=0))), float(np.std(blocks, ddof=1) / np.sqrt(BLOCKS))


def measure_errors(sets: Sequence[GameSet], seeds: int, peer_seeds: int) -> dict[str, dict[str, object]]:
    """By set and budget: error and its standard error of every Shapley method and peer, and who leads."""
    ours = [name for name, one in ESTIMATORS.items() if one.estimand == "shapley" and name != "exact"]
    result: dict[str, dict[str, object]] = {}
    for games in sets:
        for multiple in MULTIPLES:
            budget = multiple * games.n
            errors = {name: summary(our_errors(name, games, budget, seeds)) for name in ours}
            errors |= {name: summary(peer_errors(name, games, budget, peer_seeds)) for name in PEERS}
            best = min((name for name in errors if name != DEFAULT), key=lambda name: errors[name][0])
            noise = 2 * float(np.hypot(errors[DEFAULT][1], errors[best][1]))
            result[f"{games.name}, {multiple}n"] = {
                "errors": {name: error for name, (error, _) in errors.items()},
                "standard_errors": {name: error for name, (_, error) in errors.items()},
                "best_other": best,
                "default_lowest": errors[DEFAULT][0] <= errors[best][0],
                "default_within_noise": errors[DEFAULT][0] <= errors[best][0] + noise,
            }
    return result


def measure_other_estimands(sets: Sequence[GameSet], seeds: int) -> dict[str, dict[str, float]]:
    """Errors of the methods that estimate something else, against that."""
    return {
        f"{games.name}, {multiple}n": {
            name: summary(our_errors(name, games, multiple * games.n, seeds))[0] for name in OTHERS
        }
        for games in sets
        for multiple in MULTIPLES[1:]
    }


def measure_against_pmcshap(games: GameSet, seeds: int, budget: int = 20) -> dict[str, float]:
    """Correlation with exact and squared error of the default and of PMCSHAP; Wilcoxon's p over games."""
    exact = games.exact["shapley"]
    figures: dict[str, tuple[Floats, Floats]] = {}
    for method in (DEFAULT, RIVAL):
        errors, alike = [], []
        for seed in range(seeds):
            estimator = ESTIMATORS[method]
            design = estimator.design(games.n, budget, rng_for(seed, "pmcshap", method))
            phi = estimator.estimate(design, games.value(design.coalitions)).attribution
            errors.append(((phi - exact) ** 2).sum(axis=0))
            alike.append([float(np.corrcoef(pair)[0, 1]) for pair in zip(phi.T, exact.T, strict=True)])
        figures[method] = np.mean(errors, axis=0), np.mean(alike, axis=0)
    ours, theirs = figures[DEFAULT], figures[RIVAL]
    size = (exact**2).sum(axis=0)
    return {
        "games": float(games.games),
        "calls": float(budget),
        "correlation_default": float(np.median(ours[1])),
        "correlation_pmcshap": float(np.median(theirs[1])),
        "p_correlation": float(wilcoxon(ours[1], theirs[1], alternative="greater").pvalue),
        "squared_error_default": float(np.median(ours[0] / size)),
        "squared_error_pmcshap": float(np.median(theirs[0] / size)),
        "p_squared_error": float(wilcoxon(ours[0], theirs[0], alternative="less").pvalue),
    }
