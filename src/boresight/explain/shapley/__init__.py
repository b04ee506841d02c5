"""Shapley values of a game: exact from its whole table, sampled with an interval when the table is too big.

An estimator has two halves that never meet a model: a *design* says which coalitions it needs, an *estimate*
turns their values into attributions. :func:`attribute` joins them around a value function; an audit stores
the values in between. A new estimator is one file with one class, listed in ``attribute.ESTIMATORS``; what
its numbers aim at is its estimand, a function of the whole table in :mod:`.estimands`.

Sampling is by :mod:`.kriging` unless somebody asks for another method. :mod:`.stopping` samples until a
question is decided, :mod:`.sampled_interactions` reads pairs off the same values.
"""

from boresight.explain.shapley.attribute import ESTIMATORS, attribute, sampling_method, shapley
from boresight.explain.shapley.estimate import Estimate
from boresight.explain.shapley.exact import efficiency_gap, exact_shapley
from boresight.explain.shapley.kriging import kriging_design, kriging_estimate
from boresight.explain.shapley.layers import PairDesign
from boresight.explain.shapley.permutation import (
    PermutationDesign,
    permutation_design,
    permutation_estimate,
)

__all__ = [
    "ESTIMATORS",
    "Estimate",
    "PairDesign",
    "PermutationDesign",
    "attribute",
    "efficiency_gap",
    "exact_shapley",
    "kriging_design",
    "kriging_estimate",
    "permutation_design",
    "permutation_estimate",
    "sampling_method",
    "shapley",
]
