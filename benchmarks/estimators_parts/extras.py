"""Sampled interactions, prefix-aware designs and repeatability."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.shapley import ESTIMATORS, attribute
from boresight.explain.shapley.interactions import pairwise_interactions
from boresight.explain.shapley.kriging import kriging_design, kriging_estimate
from boresight.explain.shapley.layers import PairDesign, layered_design, with_complements
from boresight.explain.shapley.sampled_interactions import sampled_interactions
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.estimators_parts.games import GameSet

    Bools = NDArray[np.bool_]

PASSAGE_TOKENS, TAIL_TOKENS = 77, 60  # about those of the games' own prompts: block, and tail with target


def measure_interactions(games: GameSet, seeds: int) -> dict[str, dict[str, float | None]]:
    """Error of the sampled Shapley interactions over their squared norm, shapiq's beside, and coverage."""
    n = games.n
    table = games.value((np.arange(1 << n)[:, None] >> np.arange(n) & 1).astype(bool))
    first, second = np.triu_indices(n, 1)
    exact = pairwise_interactions(table)[first, second]
    result: dict[str, dict[str, float | None]] = {}
    for multiple in (8, 16, 20, 24):
        budget, errors, hits = multiple * n, [], []
        if budget >= 2**n:
            continue
        for seed in range(seeds):
            design = kriging_design(n, budget, rng_for(seed, "interactions"))
            found = sampled_interactions(design, games.value(design.coalitions))
            errors.append(_relative(found.interaction[first, second], exact))
            if found.low is not None and found.high is not None:
                low, high = found.low[first, second], found.high[first, second]
                hits.append(((low <= exact) & (exact <= high)).mean(axis=0))
        result[f"{games.name}, {multiple}n"] = {
            "error": float(np.median(np.mean(errors, axis=0))),
            "shapiq KernelSHAPIQ": _shapiq_error(games, exact, budget),
            "coverage": float(np.mean(hits)) if hits else None,
            "worst_game": float(np.mean(hits, axis=0).min()) if hits else None,
        }
    return result


def _shapiq_error(games: GameSet, exact: NDArray[np.float64], budget: int) -> float:
    from shapiq.approximator import KernelSHAPIQ

    first, second = np.triu_indices(games.n, 1)
    nothing = games.value(np.zeros((1, games.n), bool))[0]
    found = np.zeros_like(exact)
    for place in range(games.games):
        approximator = KernelSHAPIQ(n=games.n, max_order=2, index="SII", random_state=place)
        values = approximator.approximate(
            budget,
            lambda rows, at=place: games.value(np.atleast_2d(rows).astype(bool))[:, at] - nothing[at],
        )
        found[:, place] = [values[(i, j)] for i, j in zip(first.tolist(), second.tolist(), strict=True)]
    return float(np.median(_relative(found, exact)))


def _relative(found: NDArray[np.float64], exact: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(((found - exact) ** 2).sum(axis=0) / (exact**2).sum(axis=0))


def tree_tokens(coalitions: Bools, passage: int = PASSAGE_TOKENS, tail: int = TAIL_TOKENS) -> int:
    """Tokens that a prefix tree computes: the last passage of each distinct prefix, a tail a coalition."""
    ordered = [np.flatnonzero(row).tolist() for row in coalitions]
    prefixes = {tuple(row[:length]) for row in ordered for length in range(1, len(row) + 1)}
    return passage * len(prefixes) + tail * len(coalitions)


def thrifty_design(n: int, budget: int, rng: np.random.Generator, candidates: int) -> PairDesign:
    """The layers of the default design, each pair the cheapest of some candidates on the tree so far."""
    plan = layered_design(n, budget, np.random.default_rng(0))
    pool = layered_design(n, 2**n, rng)
    seen: set[tuple[int, ...]] = set()
    chosen: list[int] = []
    for layer, wanted in enumerate(plan.drawn.tolist()):
        left = np.flatnonzero(pool.layer == layer).tolist()
        for _ in range(wanted):
            best = min(left[:candidates], key=lambda row: len(_prefixes(pool.members[row]) - seen))
            seen |= _prefixes(pool.members[best])
            left.remove(best)
            chosen.append(best)
    members = pool.members[chosen]
    return PairDesign(members, pool.layer[chosen], pool.population, with_complements(members))


def _prefixes(member: Bools) -> set[tuple[int, ...]]:
    sides = (np.flatnonzero(side).tolist() for side in (member, ~member))
    return {tuple(side[:length]) for side in sides for length in range(1, len(side) + 1)}


def measure_prefixes(games: GameSet, seeds: int) -> dict[str, dict[str, float]]:
    """Tokens, error and coverage of random designs and of thrifty ones."""
    exact, result = games.exact["shapley"], {}
    for candidates in (1, 4, 16):
        for multiple in (4, 8, 12, 16):
            tokens, errors, hits = [], [], []
            for seed in range(seeds):
                rng = rng_for(seed, "prefixes")
                design = thrifty_design(games.n, multiple * games.n, rng, candidates)
                found = kriging_estimate(design, games.value(design.coalitions))
                tokens.append(tree_tokens(design.coalitions))
                errors.append(_relative(found.attribution, exact))
                if found.low is not None and found.high is not None:
                    hits.append(float(((found.low <= exact) & (exact <= found.high)).mean()))
            result[f"{games.name}, best of {candidates}, {multiple}n"] = {
                "tokens": float(np.mean(tokens)),
                "error": float(np.median(np.mean(errors, axis=0))),
                "error x tokens": float(np.mean(tokens) * np.median(np.mean(errors, axis=0))),
                "coverage": float(np.mean(hits)),
            }
    return result


def repeats_bytes() -> bool:
    """Whether each method gives the same bytes twice for one seed, and is not the same for another."""

    def value(rows: Bools) -> NDArray[np.float64]:
        return -np.exp(-rows.astype(float) @ np.arange(1.0, rows.shape[1] + 1) / 20)

    def as_bytes(method: str, seed: int) -> bytes:
        return attribute(
            value, 8, method, seed=seed, budget=None if method == "exact" else 60
        ).values.tobytes()

    sampled = [method for method in ESTIMATORS if method not in ("exact", "loo")]
    return all(as_bytes(method, 3) == as_bytes(method, 3) for method in ESTIMATORS) and all(
        as_bytes(method, 3) != as_bytes(method, 4) for method in sampled
    )
