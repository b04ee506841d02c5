"""Shapley values by prediction of the coalitions that were not evaluated.

A surface is laid through the differences of complementary coalitions: a linear part, whose weight the values
decide, a smooth part of higher interactions, and a rough rest (:mod:`.surface`). The Shapley value adds what
was seen and what the surface predicts. Such a prediction is off in the same direction for every sample when a
player is unlike the others, a passage without effect among helpful ones. So each pair is also predicted from
the others, and half of what these predictions miss is added back for the pairs that a seen one stands for:
all of it would be unbiased, but with few pairs as noisy as a regression. An additive game is recovered up to
a tiny shrinkage, and a design that holds every coalition gives the exact values.

The interval's variance is that of prediction and correction under the surface, in units of the errors of
predicting each pair from the others, not of the model's own opinion. Its t quantile has the degrees of
freedom of such a sum of squares. Coverage is measured in benchmarks/estimators.py.

Sources: as in :mod:`.surface`; C.-E. Sarndal, B. Swensson and J. Wretman, *Model Assisted Survey Sampling*
(1992), chapter 6, for the correction; G. Wahba, *Spline Models for Observational Data* (1990), section 4.2,
for leaving one out; R. Bell and D. McCaffrey, Bias reduction in standard errors for linear regression with
multi-stage samples, *Survey Methodology* 28 (2002), for the degrees of freedom.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from boresight.explain.shapley.estimator import Attributions, aligned, require_budget
from boresight.explain.shapley.layers import (
    COMPLETE,
    PairDesign,
    exact_from_pairs,
    layered_design,
    pair_differences,
    too_few_pairs,
)
from boresight.explain.shapley.surface import shapley_surface
from boresight.stats.quantiles import t_reaches

if TYPE_CHECKING:
    from boresight.explain.shapley.estimator import Floats, Values
    from boresight.explain.shapley.surface import Surface

MOST_COALITIONS = 4_098  # beyond, solving takes longer than it saves
SIGNALS = (25.0, 100.0, 400.0, 1_600.0, 6_400.0, 1e5, 1e9)
"""Ratios of the variances of the main and the smooth part that are tried."""
LIKELY_SIGNAL, LOG_SPREAD = 25.0, 0.7
FREE_PRECISION = 1e-12
CORRECTED = 0.5
LEAST_SAMPLED = 5  # with four, at five players and 20 calls, intervals of some games covered 0.84
TINY = float(np.finfo(np.float64).tiny)


class Kriged(NamedTuple):
    """Estimates with their standard errors; shapes (q, T).

    Attributes:
        value: The estimates.
        error: Their standard errors.
        freedom: Degrees of freedom of the errors.
    """

    value: Floats
    error: Floats
    freedom: Floats


def krige(surface: Surface, observed: Floats, corrected: float = CORRECTED) -> Kriged:
    """Estimate the surface's quantity from observations.

    One weight of the main part, the likeliest for the sum over tokens, serves all tokens, so that the
    estimates of the tokens add up to the estimate of their sum. Where another weight is likelier for a token,
    its error grows by what that weight would change.

    Args:
        surface: The quantity and what it goes with.
        observed: Shape (m, T).
        corrected: Share of the missed part that is added back, from 0 (least error with few pairs) to 1
            (unbiased).

    Returns:
        Estimates and errors, in the unit of the observations.
    """
    precision = np.asarray(np.linalg.inv(surface.cover), dtype=np.float64)
    whole = observed.sum(axis=1, keepdims=True)
    solutions = [_Solution(surface, precision, signal) for signal in SIGNALS]
    common = max(solutions, key=lambda one: float(one.evidence(whole)[0])).estimate(observed, corrected)
    if observed.shape[1] == 1:
        return common
    likeliest = np.argmax([one.evidence(observed) for one in solutions], axis=0)
    error, freedom = common.error.copy(), np.array(common.freedom)
    for place in np.unique(likeliest):
        columns = likeliest == place
        own = solutions[place].estimate(observed[:, columns], corrected)
        error[:, columns] = np.hypot(own.error, common.value[:, columns] - own.value)
        freedom[:, columns] = own.freedom
    return Kriged(common.value, error, freedom)


class _Solution:
    """The linear algebra for one weight of the main part."""

    def __init__(self, surface: Surface, precision: Floats, signal: float) -> None:
        weighted = surface.features.T @ precision  # (p, m)
        ridge = np.maximum(surface.ridge / signal, FREE_PRECISION)
        normal = weighted @ surface.features + np.diag(ridge)
        self.surface, self.precision, self.weighted, self.normal = surface, precision, weighted, normal
        self.inverse = precision - weighted.T @ np.linalg.solve(normal, weighted)  # of the whole covariance
        away = np.log(signal / LIKELY_SIGNAL) / LOG_SPREAD
        log_det = np.linalg.slogdet(normal)[1] - np.log(ridge).sum()
        self.penalty = log_det / 2 + np.log1p(away**2)

    def evidence(self, observed: Floats) -> Floats:
        """Log-likelihood of each column, its scale at the best value, with a broad prior on the weight."""
        misfit = (observed * (self.inverse @ observed)).sum(axis=0)
        smallest = TINY + 1e-30 * (observed**2).sum(axis=0)
        likely: Floats = -len(observed) / 2 * np.log(np.maximum(misfit, smallest)) - self.penalty
        return likely

    def estimate(self, observed: Floats, corrected: float) -> Kriged:
        """Estimates, their standard errors and degrees of freedom."""
        own = self.inverse.diagonal()
        missed = self.inverse @ observed / own[:, None]  # each observation less its prediction from the rest
        correction = corrected * self.surface.direct * self.surface.behind / own
        weights = self._prediction() + correction @ self.inverse
        squares = weights**2 * (self.surface.behind > 0)  # of a layer drawn whole nothing is left to chance
        likeness = (self.inverse / np.outer(own, own)) ** 2
        expected = np.maximum(squares @ (1 / own), TINY)
        # The approximation is too careful where it finds few: coverage at 4n asks for one more.
        freedom = 1 + expected**2 / np.maximum(((squares @ likeness) * squares).sum(axis=1), TINY)
        # A prediction's error and what it is made of are independent under the model, so variances add.
        variance = self._variance() + ((correction @ self.inverse) * correction).sum(axis=1)
        scale = np.maximum(variance, 0.0) / expected
        error = np.sqrt(scale[:, None] * (squares @ missed**2))
        return Kriged(weights @ observed, error, np.broadcast_to(freedom[:, None], error.shape))

    @property
    def _rest(self) -> Floats:
        """What the main part adds to the prediction that is made without it, shape (q, p)."""
        return np.asarray(self.surface.main - self.surface.link @ self.weighted.T)

    def _prediction(self) -> Floats:
        """Weights of the observations in the predicted quantity, shape (q, m)."""
        gain = np.linalg.solve(self.normal, self.weighted)
        return np.asarray(self.surface.link @ self.precision + self._rest @ gain)

    def _variance(self) -> Floats:
        """The prediction's variance under the model, shape (q,)."""
        spread = self.surface.spread.diagonal() if self.surface.spread.ndim > 1 else self.surface.spread
        known = ((self.surface.link @ self.precision) * self.surface.link).sum(axis=1)
        unknown = (self._rest * np.linalg.solve(self.normal, self._rest.T).T).sum(axis=1)
        return np.asarray(spread - known + unknown)


class KrigingEstimator:
    """Complementary pairs in layers, and a surface through them."""

    estimand = "shapley"
    default_budget = 1_024

    def design(self, n_players: int, budget: int, rng: np.random.Generator) -> PairDesign:
        """As many pairs as the budget pays for, the outermost layer first.

        Raises:
            ValueError: The budget does not pay for as many coalitions as two a player, or is larger than this
                method can solve for.
        """
        return kriging_design(n_players, budget, rng)

    def estimate(self, design: PairDesign, values: Values) -> Attributions:
        """Shapley values and their interval."""
        return kriging_estimate(design, values)


def kriging_design(n_players: int, budget: int, rng: np.random.Generator) -> PairDesign:
    """The design of :func:`layered_design` within the bounds of this method; arguments as there.

    Raises:
        ValueError: The budget does not pay for as many coalitions as two a player, or is larger than this
            method can solve for.
    """
    require_budget("kriging", n_players, budget, max(2 * n_players, 1), "two a player")
    if min(budget, 2 ** min(n_players, 64)) > MOST_COALITIONS:
        raise ValueError(
            f"kriging solves for up to {MOST_COALITIONS:,} coalitions and the budget is {budget:,}: "
            "use method='leverage'"
        )
    return layered_design(n_players, budget, rng)


def kriging_estimate(design: PairDesign, values: Values) -> Attributions:
    """Shapley values from the values of a design.

    The interval of a sum of tokens is not the sum of their intervals: for a span or a whole target, sum the
    values over its tokens first.

    Args:
        design: The design.
        values: Aligned with ``design.coalitions``, shape (m, T) or (m,); or a mapping from each coalition, as
            a tuple of n truth values, to its number or its T numbers.

    Returns:
        Attributions of shape (n, T) or (n,), which sum to v(N) - v(empty) per token. There is no interval,
        with a reason, below two pairs for each of n - 1 free parameters, below five pairs of layers that were
        not drawn whole, and where every coalition was drawn.

    Raises:
        ValueError: A coalition has no value, or a value is NaN or infinite.
    """
    table = aligned(design, values)
    n = design.members.shape[1]
    shape = (n, *table.shape[1:])
    columns = table.reshape(len(table), -1)
    if design.complete:
        return Attributions(exact_from_pairs(design, columns).reshape(shape), None, None, COMPLETE)
    found = krige(shapley_surface(design), pair_differences(columns))
    reason = too_few_pairs(len(design.members), 2 * (n - 1)) or _too_few_sampled(design)
    if reason:
        return Attributions(found.value.reshape(shape), None, None, reason)
    reach = t_reaches(found.freedom) * found.error
    low, high = ((found.value + side * reach).reshape(shape) for side in (-1, 1))
    return Attributions(found.value.reshape(shape), low, high, None)


def _too_few_sampled(design: PairDesign) -> str | None:
    sampled = int((design.drawn[design.layer] < design.population[design.layer]).sum())
    if sampled >= LEAST_SAMPLED:
        return None
    return f"an interval needs {LEAST_SAMPLED} pairs of sampled layers, and there are {sampled}"
