"""Games with known answers: exact tables of a real model, sums of them, and unanimity games."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.shapley.estimands import ESTIMANDS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

DATA = Path(__file__).parents[2] / "../shared/data/games/games.jsonl"
DUTIES = 30  # unanimity games that make up one game


@dataclass(frozen=True)
class GameSet:
    """Several games of as many players, evaluated side by side.

    Attributes:
        name: What they are.
        n: Players.
        value: From coalitions, (m, n), to values, (m, games).
        exact: By estimand, the true attributions, (n, games).
    """

    name: str
    n: int
    value: Callable[[NDArray[np.bool_]], Floats]
    exact: Mapping[str, Floats]

    @property
    def games(self) -> int:
        """Number of games."""
        return self.exact["shapley"].shape[1]


def from_table(name: str, table: Floats) -> GameSet:
    """Games from their whole tables, (2^n, games)."""
    n = len(table).bit_length() - 1
    bits = 1 << np.arange(n)
    exact = {estimand: attribute(table) for estimand, attribute in ESTIMANDS.items()}
    return GameSet(name, n, lambda coalitions: table[coalitions @ bits], exact)


def real(n: int) -> GameSet:
    """The stored tables of n players."""
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    # Rounding to five digits may lift a log-probability of almost nothing above 0.
    table = np.minimum(np.array([row["values"] for row in rows if row["n"] == n]).T, 0.0)
    return from_table(f"real, n = {n}", table)


def sums() -> GameSet:
    """N = 20: sums of two real games of ten players on disjoint players."""
    ten = real(10)
    pairs = [(0, 1), (0, 2), (1, 2)]
    first, second = (np.array(side) for side in zip(*pairs, strict=True))

    def value(coalitions: NDArray[np.bool_]) -> Floats:
        return ten.value(coalitions[:, :10])[:, first] + ten.value(coalitions[:, 10:])[:, second]

    exact = {
        name: np.concatenate([ten.exact[name][:, first], ten.exact[name][:, second]])
        for name in ("shapley", "banzhaf", "leave_one_out")
    }
    return GameSet("sums of real, n = 20", 20, value, exact)


def unanimity(games: int = 6, n: int = 20, seed: int = 1) -> GameSet:
    """Sums of games that pay when one to five named players, anywhere in the context, are all there."""
    rng = np.random.default_rng(seed)
    duties = [
        [(rng.permutation(n)[: rng.integers(1, 6)], rng.normal()) for _ in range(DUTIES)]
        for _ in range(games)
    ]

    def value(coalitions: NDArray[np.bool_]) -> Floats:
        paid = [sum(pay * coalitions[:, who].all(axis=1) for who, pay in game) for game in duties]
        return np.stack(paid, axis=1)

    exact = {name: np.zeros((n, games)) for name in ("shapley", "banzhaf", "leave_one_out")}
    for place, game in enumerate(duties):
        for who, pay in game:
            exact["shapley"][who, place] += pay / len(who)
            exact["banzhaf"][who, place] += pay / 2 ** (len(who) - 1)
            exact["leave_one_out"][who, place] += pay
    return GameSet(f"unanimity, n = {n}", n, value, exact)


def with_null_and_twin() -> GameSet:
    """Real games of eight players with a ninth that does nothing and a tenth that doubles the first."""
    eight = real(8)

    def value(coalitions: NDArray[np.bool_]) -> Floats:
        held = coalitions[:, :8].copy()
        held[:, 0] |= coalitions[:, 9]
        return eight.value(held)

    everything = (np.arange(1 << 10)[:, None] >> np.arange(10) & 1).astype(bool)
    return from_table("null player and twin, n = 10", value(everything))
