"""DIG, document information gain: how much surer of a right answer one passage makes the model.

``DIG = conf(y | x, passage) - conf(y | x)`` with y a right answer. *Published*: the difference; that conf is
not the bare product, since long answers would have none, but smooths token probabilities over a sliding
window and gives the first three tokens more weight. *Our reading*, since no equation was to be had: a window
of three tokens; the mean of the first three smoothed probabilities weighs 0.8 and that of the rest 0.2; of
several references each side takes the one of largest confidence. The bare product is there beside it.

Source: InfoGain-RAG, arXiv 2509.12765.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    Logprobs = Sequence[float] | NDArray[np.float64]

WINDOW = 3
FIRST = 3
FIRST_WEIGHT = 0.8
NOT_SCORED = "no reference was scored with this passage alone and closed book"


def confidence(logprobs: Logprobs) -> float:
    """Smoothed and weighted mean probability of the tokens, from 0 to 1; our reading.

    Args:
        logprobs: Log-probabilities of the tokens, nats, shape (T,), T at least 1.
    """
    given = np.exp(np.asarray(logprobs, np.float64))
    near = np.ones(WINDOW)
    # At the ends the window holds fewer tokens.
    smooth = np.convolve(given, near, "full")[1:-1] / np.convolve(np.ones(len(given)), near, "full")[1:-1]
    head, rest = smooth[:FIRST], smooth[FIRST:]
    if not len(rest):
        return float(head.mean())
    return FIRST_WEIGHT * float(head.mean()) + (1 - FIRST_WEIGHT) * float(rest.mean())


def product(logprobs: Logprobs) -> float:
    """Probability of the whole text."""
    return math.exp(math.fsum(logprobs))


def information_gain(
    alone: Iterable[Logprobs], closed_book: Iterable[Logprobs], sure: Callable[[Logprobs], float] = confidence
) -> Measure:
    """``max over references of conf with the passage - max over references of conf closed book``.

    Args:
        alone: Log-probabilities of each reference with the passage alone, nats.
        closed_book: The same after the plain question.
        sure: The confidence.

    Returns:
        A difference from -1 to 1; undefined where either side has no reference with a token.
    """
    ours, theirs = (
        max((sure(row) for row in side if len(row)), default=None) for side in (alone, closed_book)
    )
    if ours is None or theirs is None:
        return Measure.undefined(NOT_SCORED)
    return Measure.defined(ours - theirs)
