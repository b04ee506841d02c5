"""Scores of a text with tokens removed: what sampled methods and tests of faithfulness are made of.

Removing takes a text off the kind of text that the model knows, by whatever filler; a control with random
removals of the same size belongs beside every number from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import torch

from boresight.explain.saliency.baseline import Baseline, choose

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boresight.explain.saliency.scored_text import ScoredText

Fill = Baseline | Literal["delete"]


def removal_scores(text: ScoredText, kept: NDArray[np.bool_], fill: Fill = "mask") -> NDArray[np.float64]:
    """Score of each variant of a text.

    Args:
        text: The text.
        kept: Which tokens of the text itself stay, shape (m, n); n as in ``text.text_places``.
        fill: What a removed token's embedding becomes, or ``delete`` to take the token out.

    Returns:
        Float64, shape (m,).

    Raises:
        ValueError: ``kept`` has another number of columns.
    """
    places = text.text_places
    if kept.shape != (len(kept), len(places)):
        raise ValueError(f"the text has {len(places)} tokens to remove, got masks of shape {kept.shape}")
    whole = np.ones((len(kept), len(text.parts)), dtype=bool)
    whole[:, places] = kept
    if fill == "delete":
        return np.array([_deleted(text, row) for row in whole], dtype=np.float64)
    other = choose(text.path, text.mask, fill).embeddings
    own = text.path.embeddings()
    stays = torch.tensor(whole, device=own.device)[..., None]
    return text.scores(torch.where(stays, own, other))


def _deleted(text: ScoredText, stays: NDArray[np.bool_]) -> float:
    places = np.flatnonzero(stays).tolist()
    return float(text.scores(text.path.embeddings()[None, places], places)[0])
