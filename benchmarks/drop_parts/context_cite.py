"""ContextCite with passages as its sources, on our prompts, as published and by token.

As published: the log-odds of the whole answer, divided by its number of tokens, on 32 masks that keep each
source with probability one half, by a LASSO with penalty 0.01 on standardised masks. By token: our
``--method contextcite``, which fits each token's log-odds and adds the slopes; it sees the same masks.

Source: B. Cohen-Wang et al., ContextCite, 2024 (arXiv 2409.00729).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.linear_model import Lasso
from sklearn.preprocessing import StandardScaler

from boresight.explain.shapley import ESTIMATORS
from boresight.explain.shapley.surrogate import RandomDesign
from boresight.game.coalitions import from_masks
from boresight.game.scales import log_odds
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from boresight.game.context_game import ContextGame
    from boresight.game.table import ValueTable

ABLATIONS = 32
PENALTY = 0.01


def ablations(game: ContextGame, seed: int) -> NDArray[np.bool_]:
    """The masks, (32, n); equal ones may be among them."""
    drawn = rng_for(seed, game.trace.id, "context-cite").random((ABLATIONS, len(game.players)))
    return drawn < 0.5


def cited(table: ValueTable, masks: NDArray[np.bool_]) -> dict[str, dict[str, float]]:
    """Weights by form and passage id.

    Args:
        table: Holds the values of the masks.
        masks: Which passages are kept, (m, n).
    """
    values = table.take(from_masks(masks))
    by_token = ESTIMATORS["contextcite"].estimate(RandomDesign(masks), values).attribution.sum(axis=1)
    found = {"context-cite": published(masks, values), "context-cite by token": by_token}
    return {name: dict(zip(table.players, row.tolist(), strict=True)) for name, row in found.items()}


def published(masks: NDArray[np.bool_], values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Weights of the whole answer, (n,), from log-probabilities of its tokens, (m, T)."""
    tokens = values.shape[1]
    scaler = StandardScaler()
    rows = scaler.fit_transform(masks.astype(float))
    fit = Lasso(alpha=PENALTY).fit(rows, log_odds(values.sum(axis=1, dtype=float)) / tokens)
    return np.asarray(fit.coef_ / scaler.scale_ * tokens, float)
