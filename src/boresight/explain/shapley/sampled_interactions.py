"""Pairwise interactions from sampled coalitions: the Shapley interaction index and a faithful one.

Both read the values of a pair design, so an audit that sampled attributions has them without a new call. The
*Shapley interaction index* (:mod:`.interactions` has its formula) is predicted as the attributions are, from
the sums of complementary coalitions. The *faithful* index holds the coefficients of the game of single
players and pairs that is closest to the real one under the kernel weights and agrees with it on the empty and
the grand coalition.

Sources: M. Grabisch and M. Roubens, *International Journal of Game Theory* 28 (1999); C.-P. Tsai, C.-K. Yeh
and P. Ravikumar, Faith-Shap: the faithful Shapley interaction index, *JMLR* 24 (2023).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boresight.explain.shapley.estimator import aligned
from boresight.explain.shapley.kriging import krige
from boresight.explain.shapley.layers import COMPLETE, layer_weight, pair_sums, too_few_pairs
from boresight.explain.shapley.surface import interaction_surface, interaction_weights
from boresight.stats.quantiles import t_reaches

if TYPE_CHECKING:
    from boresight.explain.shapley.estimator import Floats, Values
    from boresight.explain.shapley.layers import PairDesign

FEWEST_PLAYERS, MOST_PLAYERS = 2, 64
PAIRS_A_PARAMETER = 2.5  # with two, intervals cover too much


class Interactions(NamedTuple):
    """Interactions of all pairs of players.

    Attributes:
        interaction: Shape (n, n, T) or (n, n), symmetric, 0 on the diagonal, in the unit of the values.
        low: Lower ends of the 95 percent interval, same shape; None without an interval.
        high: Upper ends of the interval; None without an interval.
        reason: Why there is no interval; None when there is one.
    """

    interaction: Floats
    low: Floats | None
    high: Floats | None
    reason: str | None


class Faithful(NamedTuple):
    """The closest game of single players and pairs.

    Attributes:
        single: What each player adds alone, shape (n, T) or (n,).
        pair: What each pair adds beyond that, shape (n, n, T) or (n, n), symmetric, 0 on the diagonal.
    """

    single: Floats
    pair: Floats


def sampled_interactions(design: PairDesign, values: Values) -> Interactions:
    """Shapley interaction index of every pair, with intervals where pairs are many enough.

    Args:
        design: The design.
        values: Aligned with ``design.coalitions``, in any form that the estimators take.

    Raises:
        ValueError: A coalition has no value, a value is NaN or infinite, or there are more than 64 players.
    """
    table = aligned(design, values)
    n = design.members.shape[1]
    if n > MOST_PLAYERS:
        raise ValueError(f"interactions are sampled for up to {MOST_PLAYERS} players, got {n}")
    shape = (n, n, *table.shape[1:])
    columns = table.reshape(len(table), -1)
    if n < FEWEST_PLAYERS:
        return Interactions(np.zeros(shape), None, None, COMPLETE)
    sums = pair_sums(columns)
    if design.complete:
        members = np.vstack([design.members, np.ones((1, n), bool)])
        first, second = np.triu_indices(n, 1)
        exact = interaction_weights(members, first, second).T @ sums
        return Interactions(_square(exact, n).reshape(shape), None, None, COMPLETE)
    found = krige(interaction_surface(design), sums, corrected=0.0)
    index = _square(found.value, n).reshape(shape)
    reason = too_few_pairs(len(design.members), math.ceil(PAIRS_A_PARAMETER * len(found.value)))
    if reason:
        return Interactions(index, None, None, reason)
    reach = t_reaches(found.freedom) * found.error
    low, high = (_square(found.value + side * reach, n).reshape(shape) for side in (-1, 1))
    return Interactions(index, low, high, None)


def faithful_interactions(design: PairDesign, values: Values) -> Faithful | None:
    """The faithful second-order index; None where coalitions are fewer than coefficients.

    Args:
        design: The design.
        values: Aligned with ``design.coalitions``, in any form that the estimators take.

    Raises:
        ValueError: A coalition has no value, or a value is NaN or infinite.
    """
    table = aligned(design, values)
    n = design.members.shape[1]
    columns = table.reshape(len(table), -1)
    first, second = np.triu_indices(n, 1)
    free = n + len(first)
    if len(table) - 1 < free or n == 0:
        return None
    inside = design.coalitions.astype(np.float64)
    rows = np.column_stack([inside, inside[:, first] * inside[:, second]])
    heights = columns - columns[0]
    weights = np.repeat(_kernel(design), 2)
    normal = np.zeros((free + 1, free + 1))
    normal[:free, :free] = (rows[2:].T * weights) @ rows[2:]
    normal[:free, free] = normal[free, :free] = rows[1]  # the grand coalition must fit
    right = np.vstack([(rows[2:].T * weights) @ heights[2:], heights[1]])
    found = np.linalg.lstsq(normal, right, rcond=None)[0]
    single = found[:n].reshape(n, *table.shape[1:])
    return Faithful(single, _square(found[n:free], n).reshape(n, n, *table.shape[1:]))


def _kernel(design: PairDesign) -> Floats:
    """Kernel weight of each pair times the pairs of its layer that it stands for, shape (k,)."""
    n = design.members.shape[1]
    stands_for = (design.population / np.maximum(design.drawn, 1))[design.layer]
    kernel = np.array([layer_weight(n, int(size)) for size in design.members.sum(axis=1)])
    return np.asarray(kernel * stands_for)


def _square(upper: Floats, n: int) -> Floats:
    """A symmetric matrix with zeros on its diagonal, shape (n, n, T), from pairs i < j, shape (pairs, T)."""
    square = np.zeros((n, n, upper.shape[1]))
    first, second = np.triu_indices(n, 1)
    square[first, second] = square[second, first] = upper
    return square
