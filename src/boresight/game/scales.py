"""Value scales: views of the same stored log-probabilities, token by token.

``nats`` adds over tokens and is the default. ``probability`` is the scale of RAG-E (arXiv 2601.21803).
``log_odds`` is the scale of ContextCite (arXiv 2409.00729), log p - log(1 - p), applied per token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Scale = Literal["nats", "probability", "log_odds"]

CERTAIN = -(2.0**-24)
"""Largest log-probability told apart from certainty: half a step of float32 below one.

At probability one the log-odds are infinite, which is a limit of the storage and not of the model.
"""


def nats(logprobs: NDArray[np.floating]) -> NDArray[np.float64]:
    """Log-probabilities themselves, as float64."""
    return np.asarray(logprobs, np.float64)


def probability(logprobs: NDArray[np.floating]) -> NDArray[np.float64]:
    """Exp of each token's log-probability."""
    return np.exp(np.minimum(nats(logprobs), 0.0))


def log_odds(logprobs: NDArray[np.floating]) -> NDArray[np.float64]:
    """Log p - log(1 - p) of each token, at most about 16.6 (see :data:`CERTAIN`)."""
    clipped = np.minimum(nats(logprobs), CERTAIN)
    odds: NDArray[np.float64] = clipped - np.log(-np.expm1(clipped))
    return odds


SCALES = {"nats": nats, "probability": probability, "log_odds": log_odds}


def on_scale(logprobs: NDArray[np.floating], scale: Scale) -> NDArray[np.float64]:
    """The log-probabilities seen on a scale; same shape."""
    return SCALES[scale](logprobs)
