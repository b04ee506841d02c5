"""Weighted least squares on a sample without replacement from layers, with a jackknife that allows for both.

Each layer is a population of its own. Leaving out one unit of a layer lets the others of that layer stand for
it; with all units of a layer drawn there is nothing to err about.

Sources: K. M. Wolter, *Introduction to Variance Estimation* (2007), section 4.5, for the layered jackknife;
W. Cochran, *Sampling Techniques* (1977), section 5.6, for finite populations; R. Bell and D. McCaffrey,
*Survey Methodology* 28 (2002), for the degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from boresight.explain.shapley.estimator import Floats, Ints

MOST_EXACT_FREEDOM = 2_048  # above, degrees of freedom are counted, not computed
BLOCK_ENTRIES = 2**20  # numbers of replicates held at once: 8 MiB


@dataclass(frozen=True, eq=False)
class LayeredSample:
    """Units drawn without replacement from layers.

    Attributes:
        rows: Regressors, shape (m, p); their cross-product is invertible.
        weights: Weight of each unit in the whole population, times the units it stands for, shape (m,).
        layer: Layer of each unit, shape (m,).
        population: Units in each layer, drawn or not.
    """

    rows: Floats
    weights: Floats
    layer: Ints
    population: Floats

    @property
    def normal(self) -> Floats:
        """Cross-product of the regressors, shape (p, p)."""
        return np.asarray((self.rows.T * self.weights) @ self.rows)

    def solve(self, observed: Floats) -> Floats:
        """Coefficients, shape (p, T), for observations of shape (m, T)."""
        return np.asarray(np.linalg.solve(self.normal, (self.rows.T * self.weights) @ observed))

    def error(self, observed: Floats) -> Floats:
        """Standard errors of the coefficients, shape (p, T)."""
        whole = self.solve(observed)
        squares = np.zeros_like(whole)
        for units, population in self._groups():
            share = 1 - len(units) / population
            if share > 0 and len(units) > 1:
                spread = self._spread(units, observed, whole)
                squares += share * (len(units) - 1) / len(units) * spread
        m, p = self.rows.shape
        # A left-out residual's square is p / m too large; measured, about half of that reaches the error.
        overstated = p / (2 * m) * (1 - m / self.population.sum())
        return np.asarray(np.sqrt(squares * (1 - overstated)))

    def freedom(self) -> Floats:
        """Degrees of freedom of each coefficient's standard error, shape (p,)."""
        m, p = self.rows.shape
        if m > MOST_EXACT_FREEDOM:
            return np.full(p, float(m - p))
        gain = np.linalg.solve(self.normal, self.rows.T * self.weights)
        residual = np.eye(m) - self.rows @ gain
        likeness = residual @ residual.T
        own = np.maximum(likeness.diagonal(), np.finfo(np.float64).eps)
        counts = np.bincount(self.layer, minlength=len(self.population))
        unseen = (1 - counts / self.population)[self.layer]
        parts = gain**2 * unseen / own
        spread = ((parts @ likeness**2) * parts).sum(axis=1)
        tiny = np.finfo(np.float64).tiny
        return np.asarray(np.maximum((parts @ own) ** 2, tiny) / np.maximum(spread, tiny))

    def _groups(self) -> list[tuple[Ints, float]]:
        """Units and population of each layer; a layer with one unit joins the one before it."""
        groups: list[tuple[Ints, float]] = []
        for layer, population in enumerate(self.population.tolist()):
            units = np.flatnonzero(self.layer == layer)
            if groups and len(units) == 1 and population > 1:
                before, more = groups.pop()
                units, population = np.concatenate([before, units]), more + population  # noqa: PLW2901
            groups.append((units, population))
        return groups

    def _spread(self, units: Ints, observed: Floats, whole: Floats) -> Floats:
        """Sum of squared differences when each unit in turn is left out and its layer stands for it."""
        normal, right = self.normal, (self.rows.T * self.weights) @ observed
        stand_in = len(units) / (len(units) - 1)
        rows, weights = self.rows[units], self.weights[units]
        normal = normal + (stand_in - 1) * (rows.T * weights) @ rows
        right = right + (stand_in - 1) * (rows.T * weights) @ observed[units]
        spread = np.zeros_like(whole)
        step = max(BLOCK_ENTRIES // (whole.size + normal.size), 1)
        for start in range(0, len(units), step):
            x = rows[start : start + step]
            scaled = stand_in * weights[start : start + step, None] * x
            left_normal = normal - scaled[:, :, None] * x[:, None, :]
            left_right = right - scaled[:, :, None] * observed[units[start : start + step], None, :]
            replicates = np.linalg.solve(left_normal, left_right)
            spread += ((replicates - whole) ** 2).sum(axis=0)
        return spread
