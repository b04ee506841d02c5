"""Sanity check: attributions that stay when the model's weights are random are not about the model.

Source: J. Adebayo et al., *Sanity Checks for Saliency Maps*, NeurIPS 2018.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.measure.attribution_faithfulness.agreement import rank_agreement
from boresight.measure.pairing import too_few
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping

FEWEST = 3


def randomised_weights(trained: Mapping[str, float], random: Mapping[str, float]) -> Measure:
    """Spearman correlation of attributions under the trained model and under random weights.

    Near 0 passes; near 1 means that the numbers show the prompt (lengths, places), not the model. One trace
    says little: a mean over traces does.

    Args:
        trained: Attribution of each passage.
        random: The same for a model whose weights were drawn anew.

    Returns:
        Between -1 and 1, chance 0; undefined with fewer than three passages, or where one side is constant.

    Raises:
        ValueError: The two hold different passages or a number that is not finite.
    """
    reason = too_few(len(trained), FEWEST)
    return Measure.undefined(reason) if reason else rank_agreement(trained, random)
