"""Shapley values by antithetic permutation sampling.

Players enter one after the other in a random order, and each is credited with what it adds; the reverse order
is played too, and both are averaged. Pairs are drawn alike, so their spread gives a t interval where they are
many enough.

Sources: J. Castro, D. Gomez, J. Tejada, Polynomial calculation of the Shapley value based on sampling, 2009;
R. Mitchell et al., Sampling permutations for Shapley value estimation, 2022 (antithetic pairs).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import factorial
from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.shapley.estimator import Attributions, aligned, require_budget
from boresight.stats.interval import LEVEL
from boresight.stats.quantiles import t_reach

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boresight.explain.shapley.estimator import Bools, Floats, Ints, Values

MIN_PAIRS = 4
MIN_INTERVAL_PAIRS = 8  # with fewer, contributions that are rare and large make intervals of 0.90 coverage
FREE_PAIRS = 1_000  # in a small game pairs soon need no new coalition; more than these only take time
BLOCK_ENTRIES = 2**20  # per-pair samples held at once: 8 MiB


@dataclass(frozen=True, eq=False)
class PermutationDesign:
    """Pairs of a permutation and its reverse, and the coalitions that they pass through.

    Attributes:
        pairs: Order of entry of the players, shape (k, 2, n).
        coalitions: Distinct coalitions, shape (m, n): empty, grand, then by first appearance.
        independent: Number of leading pairs that were drawn whatever they cost. Later pairs are there because
            they shared enough coalitions with earlier ones to fit the budget.
    """

    pairs: Ints
    coalitions: Bools
    independent: int

    @property
    def diagnostics(self) -> dict[str, int]:
        """The number of pairs."""
        return {"pairs": len(self.pairs)}

    @cached_property
    def entries(self) -> tuple[Ints, Ints]:
        """Rows of ``coalitions`` just before and just after each player enters, each of shape (k, 2, n)."""
        row_of = {row.tobytes(): index for index, row in enumerate(self.coalitions)}
        rank = np.argsort(self.pairs, axis=2)
        steps = np.array([[[row_of[row.tobytes()] for row in _chain(way)] for way in pair] for pair in rank])
        return np.take_along_axis(steps, rank, axis=2), np.take_along_axis(steps, rank + 1, axis=2)


def permutation_design(
    n_players: int, budget: int, rng: np.random.Generator, min_pairs: int = MIN_PAIRS
) -> PermutationDesign:
    """Draw pairs while their distinct coalitions fit the budget.

    No pair is drawn twice. The first pair that does not fit ends the design.

    Args:
        n_players: Number of players, n.
        budget: Most distinct coalitions, empty and grand included.
        rng: Source of the permutations.
        min_pairs: Pairs that are drawn even where the budget is too small for them (as far as n! / 2 goes).

    Returns:
        The design; the same arguments and generator state give the same design.

    Raises:
        ValueError: A count is negative, or ``min_pairs`` is below 1.
    """
    if n_players < 0 or min_pairs < 1:
        raise ValueError(f"a design needs n_players >= 0 and min_pairs >= 1, got {n_players} and {min_pairs}")
    ends = np.repeat([[False], [True]], n_players, axis=1)
    known = {row.tobytes(): row for row in ends}
    pairs: list[Ints] = []
    unconditional = max(min_pairs, (budget - 2) // (2 * max(n_players - 1, 1)))
    for pair in islice(_distinct_pairs(n_players, rng), max(FREE_PAIRS, unconditional)):
        chains = np.concatenate([_chain(rank) for rank in np.argsort(pair, axis=1)])
        fresh = {row.tobytes(): row for row in chains if row.tobytes() not in known}
        if len(pairs) >= min_pairs and len(known) + len(fresh) > budget:
            break
        if len(pairs) >= FREE_PAIRS and len(known) == 2**n_players:
            break  # every coalition is known; more pairs would only take time
        known |= fresh
        pairs.append(pair)
    independent = min(unconditional, len(pairs))
    return PermutationDesign(np.stack(pairs), np.stack(list(known.values())), independent)


def pair_samples(design: PermutationDesign, values: Floats) -> Floats:
    """What each player adds, averaged within each pair.

    Args:
        design: The design.
        values: Aligned with ``design.coalitions``, shape (m, T) or (m,).

    Returns:
        Shape (k, n, T) or (k, n): one independent sample a pair. Each sums over players to v(N) - v(empty).
    """
    before, after = design.entries
    there = values[after[:, 0]] - values[before[:, 0]]
    back = values[after[:, 1]] - values[before[:, 1]]
    return (there + back) / 2


def permutation_estimate(design: PermutationDesign, values: Values) -> Attributions:
    """Mean over pairs, with a t interval over pairs.

    The interval of a sum of tokens is not the sum of their intervals: for a span or a whole target, sum the
    values over its tokens first. Tokens are taken in blocks, so memory does not grow with their number.

    Args:
        design: The design.
        values: Aligned with ``design.coalitions``, shape (m, T) or (m,); or a mapping from each coalition, as
            a tuple of n truth values, to its number or its T numbers.

    Returns:
        Attributions of shape (n, T) or (n,), which sum to v(N) - v(empty) per token. There is no interval,
        with a reason, below eight independent pairs: pairs that only a lucky overlap let in do not count.

    Raises:
        ValueError: A coalition has no value, or a value is NaN or infinite.
    """
    table = aligned(design, values)
    columns = table.reshape(len(table), -1)
    shape = (design.pairs.shape[2], *table.shape[1:])
    blocks = [_mean_and_error(pair_samples(design, block)) for block in _token_blocks(design, columns)]
    mean, error = (np.concatenate(parts, axis=1).reshape(shape) for parts in zip(*blocks, strict=True))
    reason = _no_interval(design)
    if reason:
        return Attributions(mean, None, None, reason)
    # Pairs that an overlap let in add little that is new.
    reach = t_reach(design.independent - 1, LEVEL) * error
    return Attributions(mean, mean - reach, mean + reach, None)


def _mean_and_error(samples: Floats) -> tuple[Floats, Floats]:
    """Mean over pairs and its standard error, 0 for one pair."""
    k = len(samples)
    return samples.mean(axis=0), samples.std(axis=0, ddof=min(k - 1, 1)) / np.sqrt(k)


def _no_interval(design: PermutationDesign) -> str | None:
    """Why the spread over pairs says nothing about the error, or None when it does."""
    k, _, n = design.pairs.shape
    if 2 * k >= factorial(n):
        return "every permutation was played: the values are exact"
    if design.independent < MIN_INTERVAL_PAIRS:
        return (
            f"an interval needs {MIN_INTERVAL_PAIRS} independent pairs of permutations, "
            f"and the budget pays for {design.independent}"
        )
    return None


def _distinct_pairs(n: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Pairs of a permutation and its reverse, shape (2, n), until none is left."""
    drawn: set[bytes] = set()
    permutations = factorial(n)
    while len(drawn) < permutations:
        order = rng.permutation(n)
        pair = np.stack([order, order[::-1]])
        if pair[0].tobytes() not in drawn:
            drawn |= {row.tobytes() for row in pair}
            yield pair


def _chain(rank: Ints) -> Bools:
    """Coalitions from empty to grand when player i enters at ``rank[i]``, shape (n + 1, n)."""
    return np.arange(len(rank) + 1)[:, None] > rank


def _token_blocks(design: PermutationDesign, columns: Floats) -> Iterator[Floats]:
    """Columns in blocks whose per-pair samples fit ``BLOCK_ENTRIES``; one empty block when there is none."""
    width = max(BLOCK_ENTRIES // max(design.pairs[:, 0].size, 1), 1)
    for start in range(0, max(columns.shape[1], 1), width):
        yield columns[:, start : start + width]


class PermutationEstimator:
    """Antithetic permutation sampling within a fixed budget."""

    estimand = "shapley"
    default_budget = 1_024

    def design(self, n_players: int, budget: int, rng: np.random.Generator) -> PermutationDesign:
        """As many pairs as the budget pays for.

        Raises:
            ValueError: The budget does not pay for one pair.
        """
        least = max(2 * n_players, 1)
        require_budget("permutation sampling", n_players, budget, least, "one permutation and its reverse")
        return permutation_design(n_players, budget, rng, min_pairs=1)

    def estimate(self, design: PermutationDesign, values: Values) -> Attributions:
        """Mean and t interval over pairs."""
        return permutation_estimate(design, values)
