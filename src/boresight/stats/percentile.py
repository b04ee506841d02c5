"""The 95th percentile of absolute values, as the placebo floor reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


def absolute_percentile(values: Sequence[float], share: float = 0.95) -> float:
    """Percentile of |values| with linear interpolation between order statistics (Hyndman and Fan's type 7).

    Args:
        values: At least one finite number.
        share: Share of the values at or below the percentile, in [0, 1].

    Raises:
        ValueError: No values.
    """
    if not values:
        raise ValueError("a percentile needs at least one value")
    return float(np.quantile(np.abs(values), share))
