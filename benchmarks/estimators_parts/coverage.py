"""Whether intervals hold: how often they cover, and their interval score."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.shapley import ESTIMATORS
from boresight.explain.shapley.kriging import krige, kriging_design, kriging_estimate
from boresight.explain.shapley.layers import pair_differences
from boresight.explain.shapley.surface import shapley_surface
from boresight.stats.quantiles import t_reaches
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.estimators_parts.games import Floats, GameSet

CLAIMING = ("kriging", "leverage", "permutation", "banzhaf")
TOLERANCE = 1e-9
MULTIPLES = (4, 8, 16)
MISS_COST = 2 / 0.05  # T. Gneiting and A. Raftery, Strictly proper scoring rules, JASA 102 (2007)


def measure_coverage(sets: Sequence[GameSet], seeds: int) -> dict[str, dict[str, object]]:
    """Coverage of each claiming method, pooled and of the worst game.

    A cell is one method, number of players and budget; a game's coverage is over its players, budgets and
    seeds. All methods see budgets of at most half of all coalitions.
    """
    return {method: _of_method(method, sets, seeds) for method in CLAIMING}


def _of_method(method: str, sets: Sequence[GameSet], seeds: int) -> dict[str, object]:
    cells = {}
    by_game: dict[str, list[Floats]] = {}
    scores = []
    for games in sets:
        for multiple in MULTIPLES:
            budget = multiple * games.n
            found = _cell(method, games, budget, seeds) if budget <= 2**games.n // 2 else None
            if found is None:
                continue
            hits, score = found
            cells[f"{games.name}, {multiple}n"] = {
                "coverage": float(hits.mean()), "worst": float(hits.mean(axis=0).min()), "score": score,
            }  # fmt: skip
            by_game.setdefault(games.name, []).append(hits)
            scores.append(score)
    players = np.concatenate([np.concatenate(hits).mean(axis=0) for hits in by_game.values()])
    # Every interval counts once: a game of twenty players has more of them than one of eight.
    weights = np.concatenate(
        [np.full(hits[0].shape[1], sum(map(len, hits)), float) for hits in by_game.values()]
    )
    return {
        "pooled": float(np.average(players, weights=weights)),
        "worst_game": float(players.min()),
        "interval_score": float(np.mean(scores)),
        "cells": cells,
    }


def _cell(method: str, games: GameSet, budget: int, seeds: int) -> tuple[Floats, float] | None:
    """Hits, (seeds * n, games), and the median over games of the score in units of the mean size of phi."""
    estimator = ESTIMATORS[method]
    exact = games.exact[estimator.estimand]
    hits, scores = [], []
    for seed in range(seeds):
        design = estimator.design(games.n, budget, rng_for(seed, "coverage", method))
        found = estimator.estimate(design, games.value(design.coalitions))
        if found.low is None:
            return None
        hits.append((found.low - TOLERANCE <= exact) & (exact <= found.high + TOLERANCE))
        below, above = np.maximum(found.low - exact, 0), np.maximum(exact - found.high, 0)
        scores.append((found.high - found.low + MISS_COST * (below + above)).mean(axis=0))
    size = np.abs(exact).mean(axis=0)
    return np.concatenate(hits).astype(float), float(np.median(np.mean(scores, axis=0) / size))


def measure_axioms(games: GameSet, seeds: int) -> dict[str, float]:
    """How often a null player's interval holds 0, and how often that of two twins' difference does.

    The ninth player does nothing, the tenth doubles the first.
    """
    difference = np.zeros((1, games.n))
    difference[0, 0], difference[0, 9] = 1.0, -1.0
    null, twins, overlap = [], [], []
    for seed in range(seeds):
        for multiple in MULTIPLES:
            design = kriging_design(games.n, multiple * games.n, rng_for(seed, "axioms"))
            values = games.value(design.coalitions)
            found = kriging_estimate(design, values)
            null.append((found.low[8] <= TOLERANCE) & (found.high[8] >= -TOLERANCE))
            apart = krige(shapley_surface(design).contrast(difference), pair_differences(values))
            twins.append(np.abs(apart.value) <= t_reaches(apart.freedom) * apart.error + TOLERANCE)
            overlap.append((found.low[0] <= found.high[9]) & (found.low[9] <= found.high[0]))
    return {
        "null_player_covered": float(np.mean(null)),
        "twins_difference_covered": float(np.mean(twins)),
        "twins_intervals_overlap": float(np.mean(overlap)),
    }
