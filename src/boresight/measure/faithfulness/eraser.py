"""Comprehensiveness and sufficiency: does the score fall without the top tokens, and stay with them alone?

Both are means over how large "the top" is (10 to 50 percent of the tokens), in the unit of the score, and
both are shown against random tokens of the same number: removing any text moves a score.

Source: J. DeYoung et al., *ERASER: A Benchmark to Evaluate Rationalized NLP Models*, ACL 2020, section 4.2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.measure.faithfulness.curves import AbsentCurveError
from boresight.measure.faithfulness.needs import LEAST, MOST
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from boresight.measure.faithfulness.curves import Curves, Floats

LARGEST_TOP = 0.5


def comprehensiveness(curves: Curves) -> Measure:
    """Mean fall of the score without the top tokens: s(x) - s(x without top). High is faithful."""
    return _measured(curves, lambda seen: _fall(seen, seen.of(MOST)))


def sufficiency(curves: Curves) -> Measure:
    """Mean fall of the score with the top tokens alone: s(x) - s(top of x). Low is faithful."""
    return _measured(curves, lambda seen: _loss(seen, seen.of(LEAST)))


def comprehensiveness_over_random(curves: Curves) -> Measure:
    """Comprehensiveness minus that of random tokens of the same number; above 0 is better than chance."""
    return _measured(
        curves, lambda seen: _fall(seen, seen.of(MOST)) - _fall(seen, np.mean(seen.random, axis=0))
    )


def sufficiency_over_random(curves: Curves) -> Measure:
    """Sufficiency of random tokens of the same number minus sufficiency; above 0 is better than chance."""
    return _measured(
        curves, lambda seen: _loss(seen, np.mean(seen.random, axis=0)) - _loss(seen, seen.of(LEAST))
    )


def _measured(curves: Curves, number: Callable[[Curves], float]) -> Measure:
    if not _tops(curves).any():
        return Measure.undefined("the text has fewer than two tokens to remove")
    try:
        return Measure.defined(number(curves))
    except AbsentCurveError as absent:
        return Measure.undefined(str(absent))


def _tops(curves: Curves) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Points where at least one token, and at most half of them, is removed."""
    tops: np.ndarray[tuple[int], np.dtype[np.bool_]] = (curves.removed > 0) & (curves.share <= LARGEST_TOP)
    return tops


def _fall(curves: Curves, scores: Floats) -> float:
    return float((scores[0] - scores[_tops(curves)]).mean())


def _loss(curves: Curves, scores: Floats) -> float:
    """Points lie symmetrically: with the top k alone is where the other n - k have been removed."""
    alone = scores[::-1][_tops(curves)]
    return float((scores[0] - alone).mean())
