"""Is a saliency faithful? Measures from scores of the text with tokens removed.

A measure declares the removals it needs (:class:`CurveNeeds`); :func:`removals` lays them out;
whoever holds the ranker scores them; the measure reads the stored :class:`Curves` and never calls a model.
"""

from boresight.measure.faithfulness.aipc import aipc
from boresight.measure.faithfulness.curves import Curves
from boresight.measure.faithfulness.eraser import (
    comprehensiveness,
    comprehensiveness_over_random,
    sufficiency,
    sufficiency_over_random,
)
from boresight.measure.faithfulness.families import FAITHFULNESS, FaithfulnessMeasure, needs_of
from boresight.measure.faithfulness.needs import CurveNeeds, counts, removals
from boresight.measure.faithfulness.sanity import randomised_weights

__all__ = [
    "FAITHFULNESS",
    "CurveNeeds",
    "Curves",
    "FaithfulnessMeasure",
    "aipc",
    "comprehensiveness",
    "comprehensiveness_over_random",
    "counts",
    "needs_of",
    "randomised_weights",
    "removals",
    "sufficiency",
    "sufficiency_over_random",
]
