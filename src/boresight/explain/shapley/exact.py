"""Exact Shapley values from the whole table of a game.

    phi_i = sum over S without i of |S|! (n - |S| - 1)! / n! * (v(S + i) - v(S))

Source: L. S. Shapley, A value for n-person games, 1953.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from boresight.explain.shapley.estimator import Attributions, aligned, finite_values

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from boresight.explain.shapley.estimator import Bools, Floats, Values

MAX_PLAYERS = 20  # about a million coalitions; beyond it a person has to name the budget


def exact_shapley(values: ArrayLike) -> Floats:
    """Shapley values of all players, per token, in O(n 2^n) vector operations.

    Args:
        values: Shape (2^n, T) or (2^n,); row number = bit mask, bit i set when player i is in.

    Returns:
        Float64, shape (n, T) or (n,), in the unit of the values. A player that changes nothing gets
        exactly 0.

    Raises:
        ValueError: The number of rows is no power of two, or a value is NaN or infinite.
    """
    table = finite_values(values)
    n = _player_count(len(table))
    columns = table.reshape(len(table), -1)
    weights = _weights(n)
    phi = np.stack([_one_player(columns, weights, i) for i in range(n)]) if n else columns[:0]
    return phi.reshape(n, *table.shape[1:])


def efficiency_gap(values: ArrayLike, attributions: ArrayLike) -> float:
    """Largest |sum_i phi_i - (v(N) - v(empty))| over tokens; 0 up to rounding when nothing got lost.

    Args:
        values: Shape (m, T) or (m,), first row the empty coalition and last row the grand one, as in a table.
        attributions: Shape (n, T) or (n,).

    Raises:
        ValueError: The shapes do not fit, or a number is NaN or infinite.
    """
    table, phi = finite_values(values), finite_values(attributions)
    if not len(table) or table.shape[1:] != phi.shape[1:]:
        raise ValueError(f"values {table.shape} and attributions {phi.shape} do not belong together")
    gaps = np.abs(phi.sum(axis=0) - (table[-1] - table[0]))
    return float(np.max(gaps, initial=0.0))


def all_coalitions(n_players: int) -> Bools:
    """Every coalition in the order of its bit mask, shape (2^n, n)."""
    masks = np.arange(2**n_players, dtype="<u8").view(np.uint8).reshape(-1, 8)
    return np.unpackbits(masks, axis=1, count=n_players, bitorder="little").view(np.bool_)


def _player_count(rows: int) -> int:
    n = rows.bit_length() - 1
    if rows != 2 ** max(n, 0):
        raise ValueError(f"an exact table needs 2^n rows, one for each coalition, got {rows}")
    return n


def _weights(n: int) -> Floats:
    """Weight of each coalition of the n - 1 other players, by bit mask: 1 / (n C(n - 1, size))."""
    by_size = np.array([1 / (n * comb(n - 1, size)) for size in range(n)])
    sizes = np.zeros(1, dtype=np.intp)
    for _ in range(n - 1):
        sizes = np.concatenate([sizes, sizes + 1])
    return by_size[sizes] if n else by_size


def _one_player(columns: Floats, weights: Floats, i: int) -> Floats:
    """Weighted mean of what player i adds, shape (T,)."""
    rows, tokens = columns.shape
    by_bit = columns.reshape(rows // 2 ** (i + 1), 2, 2**i, tokens)  # axis 1 is bit i
    added = by_bit[:, 1] - by_bit[:, 0]
    return weights @ added.reshape(len(weights), tokens)


@dataclass(frozen=True)
class ExactDesign:
    """All coalitions, in the order of their bit masks."""

    coalitions: Bools
    diagnostics: ClassVar[dict[str, int]] = {}


class ExactEstimator:
    """Every coalition is evaluated; nothing is left to chance."""

    estimand = "shapley"
    default_budget = 2**MAX_PLAYERS

    def design(self, n_players: int, budget: int, rng: np.random.Generator) -> ExactDesign:  # noqa: ARG002
        """All coalitions.

        Raises:
            ValueError: There are more coalitions than the budget allows.
        """
        if not is_affordable(n_players, budget):
            raise ValueError(
                f"the exact method needs all 2^{n_players} coalitions and the budget is {budget:,}: "
                "raise the budget or use method='kriging'"
            )
        return ExactDesign(all_coalitions(n_players))

    def estimate(self, design: ExactDesign, values: Values) -> Attributions:
        """Exact values, which need no interval."""
        return Attributions(exact_shapley(aligned(design, values)), None, None, "exact: nothing was sampled")


def is_affordable(n_players: int, budget: int) -> bool:
    """Whether 2^n coalitions fit the budget (without building a number of n bits)."""
    return n_players < budget.bit_length()
