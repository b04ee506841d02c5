"""AIPC: the area between the curves of removing the least and the most relevant tokens first.

Under a faithful saliency the score stays while the least relevant tokens go, and drops at once when the most
relevant go. Random values give 0.

Source: RAG-E, arXiv 2601.21803; the two orders are those of W. Samek et al., *Evaluating the Visualization of
What a Deep Neural Network Has Learned* (2017).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.measure.faithfulness.curves import AbsentCurveError
from boresight.measure.faithfulness.needs import LEAST, MOST
from boresight.outcome import Measure

if TYPE_CHECKING:
    from boresight.measure.faithfulness.curves import Curves


def aipc(curves: Curves) -> Measure:
    """Integral over the removed share of (least first - most first), both scaled to [0, 1] together.

    The scale is the smallest and the largest score of both curves, per sample; the integral is a trapezoid.

    Returns:
        Between -1 and 1, random 0; undefined where removal changes no score or a curve is absent.
    """
    try:
        most, least = curves.of(MOST), curves.of(LEAST)
    except AbsentCurveError as absent:
        return Measure.undefined(str(absent))
    from scipy.integrate import trapezoid

    both = np.concatenate([most, least])
    spread = float(both.max() - both.min())
    if not spread:
        return Measure.undefined("removing tokens changes no score")
    return Measure.defined(float(trapezoid((least - most) / spread, curves.share)), chance=0.0)
