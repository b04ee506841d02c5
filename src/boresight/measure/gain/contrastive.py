"""GainRAG's gain of one passage: how likely it makes a right answer, beyond what the model knows anyway.

``v = -log(PPL + 1)`` with ``PPL = exp(-mean over tokens of log p)``, the least over the references; p is the
contrastive mixture of the passage alone and closed book. It is an absolute number about one passage, not a
difference with and without it. The plain variant, an ablation of the paper, takes p of the passage alone.

Source: arXiv 2505.18710 and its published code.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Logprobs = Sequence[float] | NDArray[np.float64]

HIGHEST = -math.log(2)
"""The gain of a perplexity of 1, which no gain exceeds."""
NO_REFERENCE = "no reference with a token was scored with this passage"


def log_perplexity(logprobs: Logprobs) -> float:
    """``-mean log p``, nats a token.

    Args:
        logprobs: Log-probabilities of the tokens, nats, shape (T,), T at least 1.
    """
    return -math.fsum(logprobs) / len(logprobs)


def gain_of(references: Iterable[Logprobs]) -> Measure:
    """``-log(PPL + 1)`` of the likeliest reference; at most ``-log 2``.

    Args:
        references: Log-probabilities of the tokens of each right answer, nats, shape (T,).

    Returns:
        The gain in nats; undefined when no reference has a token.
    """
    least = min((log_perplexity(row) for row in references if len(row)), default=None)
    if least is None:
        return Measure.undefined(NO_REFERENCE)
    return Measure.defined(-float(np.logaddexp(0.0, least)))  # never overflows, as exp(least) would
