"""Coalitions as strings: character i is ``1`` when context passage i is present.

The index of a coalition in the lattice of all 2^n is its bit mask, bit i for passage i.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

ENUMERABLE = 5_000  # more coalitions of one size than this are drawn, not listed


def coalition_of(positions: Iterable[int], n: int) -> str:
    """The coalition of the passages at these context positions."""
    present = set(positions)
    return "".join("1" if position in present else "0" for position in range(n))


def members(coalition: str) -> tuple[int, ...]:
    """Context positions of the present passages, in context order."""
    return tuple(position for position, mark in enumerate(coalition) if mark == "1")


def all_coalitions(n: int) -> list[str]:
    """All 2^n coalitions; the place in the list is the bit mask."""
    return [format(mask, f"0{n}b")[::-1] if n else "" for mask in range(1 << n)]


def singletons(n: int) -> list[str]:
    """Each passage alone."""
    return [coalition_of([position], n) for position in range(n)]


def all_but_one(n: int) -> list[str]:
    """The grand coalition without each passage in turn."""
    return [coalition_of(set(range(n)) - {position}, n) for position in range(n)]


def from_masks(masks: NDArray[np.bool_]) -> list[str]:
    """Coalitions of the rows of a boolean matrix, shape (m, n)."""
    return ["".join("1" if mark else "0" for mark in row) for row in masks]


def to_masks(coalitions: Sequence[str]) -> NDArray[np.bool_]:
    """Boolean matrix of the coalitions, shape (m, n)."""
    n = len(coalitions[0]) if coalitions else 0
    return np.array([[mark == "1" for mark in coalition] for coalition in coalitions], bool).reshape(-1, n)


def middle_coalitions(n: int, count: int, rng: np.random.Generator) -> list[str]:
    """Up to ``count`` seeded coalitions of the sizes nearest n/2, without the empty and the grand one."""
    chosen: list[str] = []
    sizes = sorted(range(1, n), key=lambda size: abs(2 * size - n))
    for distance in dict.fromkeys(abs(2 * size - n) for size in sizes):
        level = [size for size in sizes if abs(2 * size - n) == distance]
        chosen += _draw(n, level, count - len(chosen), rng)
    return chosen


def _draw(n: int, sizes: list[int], count: int, rng: np.random.Generator) -> list[str]:
    total = sum(comb(n, size) for size in sizes)
    if total <= ENUMERABLE:
        listed = [coalition_of(chosen, n) for size in sizes for chosen in combinations(range(n), size)]
        return [listed[place] for place in rng.permutation(total)[: max(count, 0)]]
    drawn: dict[str, None] = {}
    for coalition in _random_coalitions(n, sizes, rng):
        if len(drawn) >= count:
            break
        drawn[coalition] = None
    return list(drawn)


def _random_coalitions(n: int, sizes: list[int], rng: np.random.Generator) -> Iterator[str]:
    while True:
        size = sizes[int(rng.integers(len(sizes)))]
        yield coalition_of(rng.permutation(n)[:size].tolist(), n)
