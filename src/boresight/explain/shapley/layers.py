"""Coalitions in complementary pairs, layer by layer of size, without replacement.

A pair is a coalition and its complement. All pairs whose smaller side has s members make layer s. The
outermost layer, each player alone and each left out, says most about a Shapley value and is taken first; the
rest of the budget is shared among the other layers. Within a layer pairs come in random order, so a small
design is a part of every larger one of the same seed.

Sources: S. Lundberg and S.-I. Lee, A unified approach to interpreting model predictions, 2017 (outer sizes
first); I. Covert and S.-I. Lee, Improving KernelSHAP, 2021 (pairs); C. Musco and R. T. Witter, Provably
accurate Shapley value estimation via leverage score sampling, ICLR 2025 (sizes drawn alike, without
replacement).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boresight.explain.shapley.estimator import Bools, Floats, Ints

ENUMERABLE = 5_000  # larger layers are drawn from, not listed
MOST_PLAYERS = 1_000
COMPLETE = "every coalition was evaluated: the values are exact"


@dataclass(frozen=True, eq=False)
class PairDesign:
    """Pairs of a coalition and its complement.

    Attributes:
        members: The smaller side of each pair, shape (k, n).
        layer: Layer of each pair, counted from 0, shape (k,).
        population: Number of pairs in each layer, drawn or not; a float, since it may be huge.
        coalitions: Distinct coalitions, shape (m, n): empty, grand, then both sides of each pair.
    """

    members: Bools
    layer: Ints
    population: Floats
    coalitions: Bools

    @property
    def diagnostics(self) -> dict[str, int]:
        """The number of pairs."""
        return {"pairs": len(self.members)}

    @property
    def drawn(self) -> Ints:
        """Number of pairs drawn from each layer."""
        return np.bincount(self.layer, minlength=len(self.population))

    @property
    def complete(self) -> bool:
        """Whether every coalition is in the design."""
        return bool((self.drawn == self.population).all())

    @property
    def signs(self) -> Floats:
        """+1 for the members of each pair's smaller side and -1 for the others, shape (k, n)."""
        return np.where(self.members, 1.0, -1.0)


def layered_design(
    n_players: int, budget: int, rng: np.random.Generator, *, outer_first: bool = True
) -> PairDesign:
    """Draw pairs without replacement until the budget is spent.

    Args:
        n_players: Number of players, n.
        budget: Most distinct coalitions, empty and grand included; an odd one out is not spent.
        rng: Source of the order within layers.
        outer_first: Whether the outermost layer is taken whole before the others get a share. Otherwise all
            layers share alike.

    Returns:
        The design. With the same generator state, a smaller budget gives a part of it.

    Raises:
        ValueError: There are more than 1,000 players; layers of more are too large for floating point.
    """
    if n_players > MOST_PLAYERS:
        raise ValueError(f"sampling in layers goes up to {MOST_PLAYERS:,} players, got {n_players:,}")
    sizes = range(1, n_players // 2 + 1)
    population = np.array([comb(n_players, s) // (2 if 2 * s == n_players else 1) for s in sizes], object)
    seeds = rng.integers(2**63, size=len(sizes))
    shares = _shares(n_players, population.tolist(), max(budget - 2, 0) // 2, outer_first=outer_first)
    parts = [
        _draw(n_players, s, count, np.random.default_rng(int(seed)))
        for s, count, seed in zip(sizes, shares, seeds, strict=True)
    ]
    members = np.concatenate([np.zeros((0, n_players), bool), *parts])
    return PairDesign(
        members=members,
        layer=np.repeat(np.arange(len(shares)), shares),
        population=population.astype(np.float64),
        coalitions=with_complements(members),
    )


def with_complements(members: Bools) -> Bools:
    """Empty and grand coalition, then each row and its complement; one row for no player."""
    n = members.shape[1]
    if n == 0:
        return np.zeros((1, 0), bool)
    ends = np.repeat([[False], [True]], n, axis=1)
    return np.concatenate([ends, np.stack([members, ~members], axis=1).reshape(-1, n)])


def pair_differences(values: Floats) -> Floats:
    """v(S) - v(complement of S) of each pair, shape (k, T), and v(N) - v(empty) in a last row."""
    return np.concatenate([values[2::2] - values[3::2], values[1:2] - values[:1]])


def pair_sums(values: Floats) -> Floats:
    """v(S) + v(complement of S) of each pair, shape (k, T), and v(N) + v(empty) in a last row."""
    return np.concatenate([values[2::2] + values[3::2], values[1:2] + values[:1]])


def exact_from_pairs(design: PairDesign, values: Floats) -> Floats:
    """Shapley values from the values of a complete design, shape (m, T), to (n, T)."""
    difference = pair_differences(values) if len(values) > 1 else np.zeros((1, values.shape[1]))
    n = design.members.shape[1]
    found: Floats = population_weights(design) @ difference[:-1] + difference[-1] / max(n, 1)
    return found


def population_weights(design: PairDesign) -> Floats:
    """Weight of each pair's difference in the Shapley values, beside an equal share of the whole; (n, k).

    They are the solution of the kernel-weighted least squares over the whole population of pairs.
    """
    n = design.members.shape[1]
    sizes = design.members.sum(axis=1)
    each = np.array([0.0, *(layer_weight(n, s) for s in range(1, n // 2 + 1))])
    centred = design.signs - design.signs.mean(axis=1, keepdims=True) if n else design.signs
    weights: Floats = (centred * each[sizes][:, None]).T
    return weights


def layer_weight(n: int, size: int) -> float:
    """Kernel weight of a pair over the kernel's total, n / (2 C(n, s) s (n - s))."""
    return n / (2 * comb(n, size) * size * (n - size))


def too_few_pairs(pairs: int, needed: int) -> str | None:
    """Why so few pairs give no interval, or None when they do."""
    if pairs >= needed:
        return None
    return f"an interval needs {needed} pairs of coalitions, and the budget pays for {pairs}"


def _shares(n: int, caps: Sequence[int], pairs: int, *, outer_first: bool) -> list[int]:
    """Pairs of each layer; never fewer for a larger budget, since a divisor method hands them out one by one.

    Source: M. Balinski and H. P. Young, *Fair Representation* (1982), Webster's method, on monotony.
    """
    counts = [0] * len(caps)
    # The middle layer of an even n has half the coalitions of its neighbours to draw from.
    weights = [0.5 if 2 * (layer + 1) == n else 1.0 for layer in range(len(caps))]
    if outer_first and caps:
        counts[0] = min(caps[0], pairs)
    for _ in range(min(pairs, sum(caps)) - sum(counts)):
        open_layers = [layer for layer, cap in enumerate(caps) if counts[layer] < cap]
        counts[max(open_layers, key=lambda layer: weights[layer] / (counts[layer] + 0.5))] += 1
    return counts


def _draw(n: int, size: int, count: int, rng: np.random.Generator) -> Bools:
    """The first ``count`` pairs of a layer in random order, shape (count, n)."""
    rows = np.zeros((count, n), bool)
    for row, chosen in zip(rows, _random_order(n, size, rng), strict=False):
        row[list(chosen)] = True
    return rows


def _random_order(n: int, size: int, rng: np.random.Generator) -> Iterator[Sequence[int]]:
    """Smaller sides of all pairs of a layer, each once, in random order."""
    halved = 2 * size == n  # both sides are equally large: the one that holds player 0 stands for both
    if comb(n, size) <= ENUMERABLE:
        listed = [chosen for chosen in combinations(range(n), size) if not halved or chosen[0] == 0]
        yield from (listed[place] for place in rng.permutation(len(listed)))
        return
    seen: set[tuple[int, ...]] = set()
    while True:
        chosen = tuple(sorted(rng.permutation(n)[:size].tolist()))
        if halved and chosen[0] != 0:
            chosen = tuple(sorted(set(range(n)) - set(chosen)))
        if chosen not in seen:
            seen.add(chosen)
            yield chosen
