"""Where the values of one group stand among those of another: what AUROC and Cliff's delta are means of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def placements(values: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each value the share of the others that lie below it, ties counted half.

    Takes O((m + n) log n) time and O(m + n) memory.

    Args:
        values: Finite numbers, shape (m,).
        others: Finite numbers, shape (n,), n at least 1.

    Returns:
        Shares from 0 to 1, shape (m,).

    Source: E. DeLong, D. DeLong and D. Clarke-Pearson, *Biometrics* 44 (1988), structural components.
    """
    ordered = np.sort(others)
    below = np.searchsorted(ordered, values, side="left")
    not_above = np.searchsorted(ordered, values, side="right")
    return np.asarray((below + not_above) / (2 * others.size))


def count_ties(values: NDArray[np.float64], others: NDArray[np.float64]) -> int:
    """Number of pairs of one value and one other that are equal."""
    ordered = np.sort(others)
    upper, lower = (np.searchsorted(ordered, values, side=side) for side in ("right", "left"))
    return int((upper - lower).sum())
