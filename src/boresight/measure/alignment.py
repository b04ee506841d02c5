"""WARG: does the generator use what the retriever scored high?

Weighted Alignment between Retriever and Generator, second version: arXiv 2601.21803 and the package of its
authors. The first version, a rank-biased disagreement, is in ``overlap.py``.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

from boresight.measure.pairing import check_pair, too_few, unit_interval
from boresight.measure.ranks import TIE
from boresight.measure.utility import NO_POSITIVE, positive_shares
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_MOST_SETS = 1000  # high sets that the chance level enumerates: every size at up to 12 passages


def warg(retriever: Mapping[str, float], generator: Mapping[str, float], tau: float = 1.5) -> Measure:
    """Alignment of retriever scores r and attributions g over the same n passages, in [-1, 1].

    With ``g'_i = g_i / sum of the positive g``, the high set is ``H = {i : g'_i > tau / n}`` (by more than
    rounding). The value is ``gap / oracle``, clipped to [-1, 1], where ``gap`` is the mean r in H minus the
    mean r outside, and ``oracle`` the same gap for the ``|H|`` passages of highest r. 1: the generator uses
    exactly the retriever's top; 0: no relation. It does not change under ``a * r + b`` with a > 0, nor when g
    is multiplied by a positive number; other maps of r (logits against probabilities) do change it.

    Args:
        retriever: Score of each passage, in the retriever's unit.
        generator: Attribution of each passage, those below the numeric floor as 0.
        tau: How many times its even share a passage must hold to be in the high set; above 0.

    Returns:
        The value, with the lowest one that this r and ``|H|`` allow, and the chance level: the mean over all
        sets of size ``|H|`` (0 unless the clip at -1 bites; then enumerated, or None when there are too many
        sets). Undefined when there are fewer than two passages, no positive attribution, a high set that is
        empty or holds every passage, or when all scores are equal.

    Raises:
        ValueError: The mappings hold different passages or a number that is not finite, or tau is not
            above 0.
    """
    check_pair(retriever, generator)
    if not (math.isfinite(tau) and tau > 0):
        raise ValueError(f"tau must be a number above 0, got {tau}")
    reason = too_few(len(retriever))
    if reason:
        return Measure.undefined(reason)
    shares = positive_shares(generator)
    if shares is None:
        return Measure.undefined(NO_POSITIVE)
    bar = tau / len(shares) + TIE
    return _compare(retriever, {passage for passage, share in shares.items() if share > bar})


def _compare(retriever: Mapping[str, float], high: Collection[str]) -> Measure:
    scores = unit_interval(retriever)
    if not high:
        return Measure.undefined("no passage holds enough of the attribution: the high set is empty")
    if len(high) == len(retriever):
        return Measure.undefined("every passage holds enough of the attribution: the high set is all of them")
    if scores is None:
        return Measure.undefined("all retriever scores are equal")
    ordered = sorted(scores.values())
    oracle = _gap(ordered[-len(high) :], ordered[: -len(high)])
    lowest = _gap(ordered[: len(high)], ordered[len(high) :]) / oracle
    inside = [score for passage, score in scores.items() if passage in high]
    outside = [score for passage, score in scores.items() if passage not in high]
    return Measure.defined(
        _clip(_gap(inside, outside) / oracle),
        minimum=_clip(lowest),
        chance=0.0 if lowest >= -1 - TIE else _chance(ordered, len(high), oracle),
    )


def _gap(inside: Sequence[float], outside: Sequence[float]) -> float:
    """Difference of the means; exact summation, so that the order of the passages cannot matter."""
    return math.fsum(inside) / len(inside) - math.fsum(outside) / len(outside)


def _chance(scores: Sequence[float], size: int, oracle: float) -> float | None:
    """Mean WARG over all high sets of the given size."""
    sets = math.comb(len(scores), size)
    if sets > _MOST_SETS:
        return None
    total = math.fsum(scores)
    inside = (math.fsum(chosen) for chosen in combinations(scores, size))
    gaps = (chosen / size - (total - chosen) / (len(scores) - size) for chosen in inside)
    return math.fsum(_clip(gap / oracle) for gap in gaps) / sets


def _clip(ratio: float) -> float:
    return min(max(ratio, -1.0), 1.0)
