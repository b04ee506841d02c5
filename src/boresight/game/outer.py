"""Outer coalitions: which other passages are there while one passage is looked into.

The Shapley value of a passage is the mean of what it adds to those before it in a random order. So the size
of the outer coalition is uniform over 0..n-1, and its members are a uniform subset of that size, each of
weight 1 / (n C(n-1, s)).

Source: L. S. Shapley, A value for n-person games, 1953.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

from boresight.game.coalitions import all_coalitions, coalition_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

MOST_OUTER = 32


@dataclass(frozen=True, slots=True)
class Outer:
    """Coalitions of the other passages, and how much each counts.

    Attributes:
        weights: Weight by coalition over all context positions; the passage's own is ``0``. They sum to 1.
        draws: Random draws behind them, repeats included; 0 where all coalitions are there.
    """

    weights: Mapping[str, float]
    draws: int


def most_outer(n: int) -> int:
    """Outer coalitions of a passage among n where nothing limits them: all, or 32 draws."""
    return min(MOST_OUTER, 1 << (n - 1))


def outer_coalitions(n: int, place: int, most: int, rng: np.random.Generator) -> Outer:
    """The outer coalitions of one passage.

    Args:
        n: Passages in the context.
        place: Context position of the passage.
        most: At most so many, up to 32; fewer draws are the first of more draws.
        rng: Of the passage; only draws use it.

    Returns:
        All 2^(n - 1) with their Shapley weights where they are not too many, else distinct draws, each
        weighted by how often it was drawn.
    """
    if most >= 1 << (n - 1):
        return Outer({name: _weight(n, name) for name in _all_others(n, place)}, 0)
    others = [position for position in range(n) if position != place]
    drawn: dict[str, int] = {}
    for _ in range(most):
        size = int(rng.integers(n))
        name = coalition_of([others[index] for index in rng.permutation(n - 1)[:size]], n)
        drawn[name] = drawn.get(name, 0) + 1
    return Outer({name: count / most for name, count in drawn.items()}, most)


def _all_others(n: int, place: int) -> list[str]:
    return [f"{name[:place]}0{name[place:]}" for name in all_coalitions(n - 1)]


def _weight(n: int, coalition: str) -> float:
    return 1 / (n * comb(n - 1, coalition.count("1")))
