"""Exact pairwise Shapley interactions from the whole table of a game.

    I_ij = sum over S without i, j of |S|! (n - |S| - 2)! / (n - 1)!
           * (v(S + ij) - v(S + i) - v(S + j) + v(S))

Above 0: the two only work together. Below 0: either makes the other needless. The SHAP interaction value of
Lundberg is half of it.

Source: Grabisch and Roubens, An axiomatic approach to the concept of interaction among players in cooperative
games, *International Journal of Game Theory* 28 (1999).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.shapley.estimator import finite_values
from boresight.explain.shapley.exact import _player_count, _weights

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from boresight.explain.shapley.estimator import Floats


def pairwise_interactions(values: ArrayLike) -> Floats:
    """Shapley interaction index of every pair of players, per token, in O(n^2 2^n) vector operations.

    Args:
        values: Shape (2^n, T) or (2^n,); row number = bit mask, bit i set when player i is in.

    Returns:
        Float64, shape (n, n, T) or (n, n), in the unit of the values, symmetric. The diagonal is 0, and so is
        every pair with a player that changes nothing, exactly.

    Raises:
        ValueError: The number of rows is no power of two, or a value is NaN or infinite.
    """
    table = finite_values(values)
    n = _player_count(len(table))
    columns = table.reshape(len(table), -1)
    index = np.zeros((n, n, columns.shape[1]))
    # The n - 2 others share 1 / (n - 1) equally among their sizes, as n - 2 of n - 1 players would.
    weights = _weights(n - 1) if n > 1 else np.zeros(0)
    for i, j in combinations(range(n), 2):
        index[i, j] = index[j, i] = weights @ _joint_effects(columns, i, j)
    return index.reshape(n, n, *table.shape[1:])


def _joint_effects(columns: Floats, i: int, j: int) -> Floats:
    """What i < j add together beyond what each adds alone, per set of others, shape (2^(n - 2), T)."""
    rows, tokens = columns.shape
    # Axis 1 is bit j, axis 3 bit i.
    bits = columns.reshape(rows >> (j + 1), 2, 1 << (j - i - 1), 2, 1 << i, tokens)
    with_i = bits[:, 1, :, 1] - bits[:, 0, :, 1]
    without_i = bits[:, 1, :, 0] - bits[:, 0, :, 0]
    effects: Floats = (with_i - without_i).reshape(rows // 4, tokens)
    return effects
