"""Sanity check: an explanation that stays when the model's weights are random is not about the model.

Source: J. Adebayo et al., *Sanity Checks for Saliency Maps*, NeurIPS 2018.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.outcome import Measure

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST_TOKENS = 3


def randomised_weights(trained: NDArray[np.float64], random: NDArray[np.float64]) -> Measure:
    """Spearman correlation of token sizes |value| under the trained and under random weights.

    Near 0 passes; near 1 means that the method shows the text, not the model.

    Args:
        trained: Saliency of each token of the text, shape (n,).
        random: The same with the model's weights drawn anew.

    Returns:
        Between -1 and 1; undefined with fewer than three tokens, or where one side does not vary.

    Raises:
        ValueError: The two have different shapes.
    """
    if trained.shape != random.shape:
        raise ValueError(f"saliencies of one text have one shape, got {trained.shape} and {random.shape}")
    if len(trained) < FEWEST_TOKENS:
        return Measure.undefined(f"the text has fewer than {FEWEST_TOKENS} tokens")
    from scipy.stats import rankdata

    first, second = (rankdata(np.abs(values)) for values in (trained, random))
    if not first.std() or not second.std():
        return Measure.undefined("all tokens have the same size under one of the two models")
    return Measure.defined(float(np.corrcoef(first, second)[0, 1]), chance=0.0)
