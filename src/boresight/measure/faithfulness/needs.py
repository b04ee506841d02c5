"""What a measure of faithfulness needs to be scored: texts with tokens removed in some orders.

A measure only reads the curves; the plan takes the union of the needs, lays out the removals from a
saliency (:func:`removals`), and whoever holds the ranker scores them once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Bools = NDArray[np.bool_]

MOST, LEAST = "most", "least"
STEPS = 10
RANDOM_ORDERS = 3


@dataclass(frozen=True, slots=True)
class CurveNeeds:
    """The removals that a measure reads.

    Attributes:
        most: Most relevant tokens first.
        least: Least relevant tokens first.
        random: Number of random orders, the control.
        steps: Number of equal steps from the whole text to none of it; fewer where the text has fewer tokens.
    """

    most: bool = False
    least: bool = False
    random: int = 0
    steps: int = STEPS

    def union(self, other: CurveNeeds) -> CurveNeeds:
        """Everything that either of the two needs.

        Raises:
            ValueError: They differ in the number of steps.
        """
        if self.steps != other.steps:
            raise ValueError(f"curves of {self.steps} and of {other.steps} steps cannot be read together")
        return CurveNeeds(
            self.most or other.most, self.least or other.least, max(self.random, other.random), self.steps
        )

    __or__ = union

    @property
    def orders(self) -> tuple[str, ...]:
        """Names of the orders: ``most``, ``least``, ``random:0`` and on."""
        named = [name for name, wanted in ((MOST, self.most), (LEAST, self.least)) if wanted]
        return (*named, *(f"random:{number}" for number in range(self.random)))

    def evaluations(self, tokens: int) -> int:
        """Texts to score for a text of that many tokens; both ends are shared by all orders."""
        points = len(counts(tokens, self.steps))
        return points if points < 2 else len(self.orders) * (points - 2) + 2  # noqa: PLR2004 - the two ends


def counts(tokens: int, steps: int) -> NDArray[np.int64]:
    """How many tokens are removed at each point of a curve: 0, then equal steps, then all; no repeats.

    The points lie symmetrically, so that keeping the top k of one order is a point of its reverse.
    """
    points = min(tokens, steps)
    if not points:
        return np.zeros(1, dtype=np.int64)
    half = [round(tokens * point / points) for point in range(points // 2 + 1)]
    mirrored = {tokens - count for count in half}
    return np.array(sorted({*half, *mirrored}), dtype=np.int64)


def removals(values: NDArray[np.float64], needs: CurveNeeds, seed: int, purpose: str) -> dict[str, Bools]:
    """Which tokens stay at each point of each curve.

    Args:
        values: Saliency of each token of the text, shape (n,). Equal values keep the order of the text.
        needs: Which curves.
        seed: Seed of the random orders.
        purpose: What the draws are for, such as trace and passage id.

    Returns:
        By order, bool of shape (points, n); the first row keeps all tokens, the last none.
    """
    descending = np.argsort(-values, kind="stable")
    found = {MOST: descending, LEAST: descending[::-1]}
    for number in range(needs.random):
        draws = rng_for(seed, "random removal", purpose, str(number))
        found[f"random:{number}"] = draws.permutation(len(values))
    return {name: _kept(found[name], counts(len(values), needs.steps)) for name in needs.orders}


def _kept(order: NDArray[np.int64], removed: NDArray[np.int64]) -> Bools:
    """Row r keeps all but the first ``removed[r]`` tokens of the order."""
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    kept: Bools = rank[None, :] >= removed[:, None]
    return kept
