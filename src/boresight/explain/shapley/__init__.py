"""Shapley values of a game: exact from its whole table, sampled with an interval when the table is too big.

An estimator has two halves that never meet a model: a *design* says which coalitions it needs, an *estimate*
turns their values into attributions. :func:`attribute` joins them around a value function; an audit stores
the values in between. A new estimator is one file with one class, listed in ``attribute.ESTIMATORS``.
"""

from boresight.explain.shapley.attribute import attribute, shapley
from boresight.explain.shapley.estimate import Estimate
from boresight.explain.shapley.exact import efficiency_gap, exact_shapley
from boresight.explain.shapley.permutation import (
    PermutationDesign,
    permutation_design,
    permutation_estimate,
)

__all__ = [
    "Estimate",
    "PermutationDesign",
    "attribute",
    "efficiency_gap",
    "exact_shapley",
    "permutation_design",
    "permutation_estimate",
    "shapley",
]
