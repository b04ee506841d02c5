"""Stopping by question: wrong decisions, and how many calls are saved."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import numpy as np

from boresight.explain.shapley.stopping import TAU, Until, attribute_until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.estimators_parts.games import Floats, GameSet

CAP = 16  # coalitions a player


def measure_stopping(sets: Sequence[GameSet], seeds: int) -> dict[str, dict[str, object]]:
    """By set and question, over seeds that go around the games of the set."""
    return {
        f"{games.name}, {until}": _one(games, until, seeds) for games in sets for until in get_args(Until)
    }


def _one(games: GameSet, until: Until, seeds: int) -> dict[str, object]:
    cap = CAP * games.n
    decided, wrong, saved = 0, 0, []
    for seed in range(seeds):
        place = seed % games.games
        found = attribute_until(
            lambda rows, at=place: games.value(rows)[:, at], games.n, until, cap=cap, seed=seed
        )
        decided += found.decided
        wrong += found.decided and found.answer != _truth(until, games.exact["shapley"][:, place])
        saved.append(found.saved / cap)
    shares, counts = np.unique(np.round(saved, 2), return_counts=True)
    return {
        "runs": seeds, "decided": decided / seeds, "wrong": wrong / seeds, "saved": float(np.mean(saved)),
        "distribution": dict(zip(map(str, shares.tolist()), (counts / seeds).tolist(), strict=True)),
    }  # fmt: skip


def _truth(until: Until, phi: Floats) -> tuple[int, ...]:
    order = tuple(int(player) for player in np.argsort(-phi, kind="stable"))
    if until == "warg":
        bar = TAU / len(phi) * np.maximum(phi, 0).sum()
        return tuple(int(above) for above in phi > bar)
    return order[:1] if until == "top1" else order
