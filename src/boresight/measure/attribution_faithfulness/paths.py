"""The best and the worst that any order of removal can do, exactly.

A ranking of n passages is a path through the lattice of their 2^n sets, and a curve's area is the sum of
the values on it. The largest and the smallest path sum follow set by set, without listing n! orders:

    best(S) = v(S) + max over i in S of best(S minus i)

Source of the limits: J. Edin et al., *Normalized AOPC*, arXiv 2408.08137, who list the orders or search them
by beam; the recursion is R. Bellman's (1957).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


def extreme_sums(values: Floats) -> tuple[float, float]:
    """The least and the largest sum of values along a chain of sets, each with one member more.

    Args:
        values: Shape (2^n,), index = bit mask.

    Returns:
        The sums over the n sets of a chain from one member to all; the empty set does not count.
    """
    least, most = np.full(len(values), np.inf), np.full(len(values), -np.inf)
    least[0] = most[0] = 0.0
    for layer, neighbours in _layers(len(values).bit_length() - 1):
        # Neighbours in the layer above still hold their infinities, so the smaller sets decide.
        least[layer] = values[layer] + least[neighbours].min(axis=0)
        most[layer] = values[layer] + most[neighbours].max(axis=0)
    return float(least[-1]), float(most[-1])


@lru_cache(maxsize=4)  # traces of a run have few different numbers of passages
def _layers(n: int) -> tuple[tuple[Ints, Ints], ...]:
    """Masks of each size from 1 on, shape (m,), and the masks one member away, shape (n, m)."""
    masks, bits = np.arange(1 << n, dtype=np.int64), 1 << np.arange(n, dtype=np.int64)
    sizes = ((masks[:, None] & bits) > 0).sum(axis=1)
    layers = (masks[sizes == size] for size in range(1, n + 1))
    return tuple((layer, layer[None, :] ^ bits[:, None]) for layer in layers)
