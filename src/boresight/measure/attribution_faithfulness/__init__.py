"""Is an attribution faithful? Measures from stored values of the prompts without some of the passages.

The values of all coalitions hold every deletion and insertion curve there is, the curves of random orders
(exactly: means over the sets of one size) and the best and worst that any ranking could do, so nothing is
sampled and no model is called. Where a trace was sampled, a measure has a value only if the rows it reads are
there by chance or by need; else it is undefined.

:mod:`boresight.measure.faithfulness` asks the same of a saliency, whose tokens are too many for all subsets.
"""

from boresight.measure.attribution_faithfulness.agreement import rank_agreement, same_top
from boresight.measure.attribution_faithfulness.aopc import Spread, deletion, insertion
from boresight.measure.attribution_faithfulness.datamodel import (
    fresh_coalitions,
    linear_datamodelling_score,
)
from boresight.measure.attribution_faithfulness.lattice import Lattice, lattice_of, tie_groups
from boresight.measure.attribution_faithfulness.paths import extreme_sums
from boresight.measure.attribution_faithfulness.randomised import randomised_weights

__all__ = [
    "Lattice",
    "Spread",
    "deletion",
    "extreme_sums",
    "fresh_coalitions",
    "insertion",
    "lattice_of",
    "linear_datamodelling_score",
    "randomised_weights",
    "rank_agreement",
    "same_top",
    "tie_groups",
]
