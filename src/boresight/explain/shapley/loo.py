"""Leave-one-out: what the grand coalition loses without a player, v(N) - v(N minus i).

Nothing is sampled. A player that another one can stand in for gets 0, and so does the other.

Source: R. D. Cook, Detection of influential observation in linear regression, *Technometrics* 19 (1977); for
passages of a context as in B. Cohen-Wang et al., ContextCite, 2024.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from boresight.explain.shapley.estimator import Attributions, aligned, finite_values, require_budget

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from boresight.explain.shapley.estimator import Bools, Floats, Values


@dataclass(frozen=True, eq=False)
class LeaveOneOutDesign:
    """Grand coalition, each player left out, and the empty coalition."""

    coalitions: Bools
    diagnostics: ClassVar[dict[str, int]] = {}


class LeaveOneOutEstimator:
    """n + 2 coalitions, whatever the budget allows."""

    estimand = "leave_one_out"
    default_budget = 2**20

    def design(self, n_players: int, budget: int, rng: np.random.Generator) -> LeaveOneOutDesign:  # noqa: ARG002
        """The coalitions of size n, n - 1 and 0.

        Raises:
            ValueError: The budget does not pay for them.
        """
        coalitions = np.ones((n_players + 2, n_players), bool)
        coalitions[1:-1] = ~np.eye(n_players, dtype=bool)
        coalitions[-1] = False
        if n_players < 2:  # noqa: PLR2004 - one player left out is the empty coalition, none is the grand one
            coalitions = coalitions[: n_players + 1]
        require_budget("leave-one-out", n_players, budget, len(coalitions), "all but one player each time")
        return LeaveOneOutDesign(coalitions)

    def estimate(self, design: LeaveOneOutDesign, values: Values) -> Attributions:
        """What each player's absence costs, which needs no interval."""
        table = aligned(design, values)
        n = design.coalitions.shape[1]
        return Attributions(table[0] - table[1 : n + 1], None, None, "exact: nothing was sampled")


def exact_leave_one_out(values: ArrayLike) -> Floats:
    """The same from a whole table, row number = bit mask; shape (2^n, T) or (2^n,) to (n, T) or (n,).

    Raises:
        ValueError: A value is NaN or infinite.
    """
    table = finite_values(values)
    n = len(table).bit_length() - 1
    without = len(table) - 1 - 2 ** np.arange(n)
    lost: Floats = table[-1] - table[without]
    return lost
