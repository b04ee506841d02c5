"""Sample until a question is decided: which player is first, how all rank, who stands above WARG's bar.

Looks are fixed beforehand: 4n coalitions, 8n, 16n and so on up to the cap. Designs are nested, so that a look
pays for its new coalitions only. The probability of a wrong decision, 5 percent, is shared among looks, and
within a look among the comparisons that decide (Bonferroni). A comparison has its own standard error, as a
linear combination of attributions.

Sources: P. Armitage et al., Repeated significance tests on accumulating data, *JRSS A* 132 (1969), on why
looks must share; O. J. Dunn, Multiple comparisons among means, *JASA* 56 (1961).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from boresight.explain.shapley.attribute import check_numbers, evaluate
from boresight.explain.shapley.estimator import aligned
from boresight.explain.shapley.kriging import MOST_COALITIONS, krige, kriging_design, kriging_estimate
from boresight.explain.shapley.layers import pair_differences
from boresight.explain.shapley.surface import shapley_surface
from boresight.stats.quantiles import t_reaches
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from boresight.explain.shapley.attribute import ValueFunction
    from boresight.explain.shapley.estimator import Attributions, Floats, Values
    from boresight.explain.shapley.layers import PairDesign

Until = Literal["top1", "ranking", "warg"]

ERROR_RATE = 0.05
FIRST_LOOK = 4  # coalitions a player
TAU = 1.5


@dataclass(frozen=True, eq=False)
class Stopped:
    """Where sampling stopped, and why.

    Attributes:
        until: The question.
        decided: Whether it was decided; otherwise the cap was reached.
        answer: ``top1``: the player with the largest attribution. ``ranking``: all players, largest first.
            ``warg``: 1 for each player above the bar, 0 for the others. None when undecided.
        attributions: The attributions at the last look, with their 95 percent interval where there is one.
        calls: Distinct coalitions that were evaluated, empty and grand included.
        saved: Calls that the cap would have allowed beyond these.
        looks: Coalitions at each look that was taken.
    """

    until: Until
    decided: bool
    answer: tuple[int, ...] | None
    attributions: Attributions
    calls: int
    saved: int
    looks: tuple[int, ...]


def look_budgets(n_players: int, cap: int) -> list[int]:
    """Coalitions at each look: 4n, 8n, 16n, ... below the cap, then the cap.

    Args:
        n_players: Number of players, n.
        cap: Most distinct coalitions; more than there are count as all.
    """
    cap = min(cap, 2 ** min(n_players, 64))
    budgets, budget = [], FIRST_LOOK * n_players
    while 0 < budget < cap:
        budgets.append(budget)
        budget *= 2
    return [*budgets, cap]


def attribute_until(
    value_fn: ValueFunction,
    n_players: int,
    until: Until,
    *,
    cap: int = 1_024,
    seed: int = 0,
    tau: float = TAU,
) -> Stopped:
    """Evaluate coalitions until a question is decided.

    Args:
        value_fn: As in :func:`boresight.attribute`; tokens are summed.
        n_players: Number of players, n, at least 1.
        until: The question.
        cap: Most distinct coalitions, empty and grand included.
        seed: Seed of everything random.
        tau: WARG's bar, as a multiple of an equal share of the positive attributions.

    Returns:
        The answer, or that there is none within the cap.

    Raises:
        ValueError: An option cannot hold, or ``value_fn`` returned something else than one finite row a
            coalition.
    """
    check_numbers(n_players, cap, seed)
    _check(until, n_players, cap)
    looks = look_budgets(n_players, cap)
    known: dict[bytes, float] = {}
    for budget in looks:
        design = kriging_design(n_players, budget, rng_for(seed, "stopping", until))
        values = _extend(known, value_fn, design)
        answer = answer_at(until, design, values, ERROR_RATE / len(looks), tau=tau)
        if answer is not None:
            break
    return Stopped(
        until, answer is not None, answer, kriging_estimate(design, values),
        len(known), looks[-1] - len(known), tuple(looks[: looks.index(budget) + 1]),
    )  # fmt: skip


def answer_at(
    until: Until, design: PairDesign, values: Values, error: float, *, tau: float = TAU
) -> tuple[int, ...] | None:
    """The answer that the values of a design allow, or None.

    Args:
        until: The question.
        design: The design.
        values: One number for each of its coalitions, in any form that the estimators take.
        error: Probability of a wrong answer that this look may spend.
        tau: WARG's bar.

    Raises:
        ValueError: A coalition has no value, or a value is NaN or infinite.
    """
    table = aligned(design, values)
    table = table.reshape(len(table), -1).sum(axis=1, keepdims=True)
    phi = kriging_estimate(design, table[:, 0]).attribution
    order = tuple(int(player) for player in np.argsort(-phi, kind="stable"))
    if design.complete:
        return {"top1": order[:1], "ranking": order, "warg": _above(phi, tau)}[until]
    if until == "warg":
        return _decide_warg(_Comparison(design, table), phi, error, tau)
    whole = np.eye(len(phi))
    firsts = [order[0]] * (len(order) - 1) if until == "top1" else order[:-1]
    comparisons = len(order) - 1 if until == "top1" else len(order) * (len(order) - 1) // 2
    low = _Comparison(design, table).low(whole[list(firsts)] - whole[list(order[1:])], error / comparisons)
    if (low <= 0).any():
        return None
    return order[:1] if until == "top1" else order


class _Comparison:
    """One-sided bounds of linear combinations of attributions."""

    def __init__(self, design: PairDesign, table: Floats) -> None:
        self.surface = shapley_surface(design)
        self.observed = pair_differences(table)

    def low(self, weights: Floats, error: float) -> Floats:
        """Lower bounds, shape (r,), each of which may fail with probability ``error``."""
        found = krige(self.surface.contrast(weights), self.observed)
        return np.asarray(found.value - t_reaches(found.freedom, 1 - 2 * error) * found.error)[:, 0]


def _above(phi: Floats, tau: float) -> tuple[int, ...]:
    bar = tau / len(phi) * np.maximum(phi, 0).sum()
    return tuple(int(above) for above in phi > bar)


def _decide_warg(compare: _Comparison, phi: Floats, error: float, tau: float) -> tuple[int, ...] | None:
    """Each player on its side of the bar, or None where one is too near.

    The sum of positive attributions is never less than that of the seemingly positive ones. So the latter
    show who is below the bar; for being above it, the most that wrong signs could add to the sum is allowed
    for.
    """
    n = len(phi)
    each = error / (2 * n)
    seems = np.where(phi > 0, 1.0, 0.0)
    bounds = compare.low(np.diag(np.where(phi > 0, 1.0, -1.0)), each)  # of |phi|
    missed = np.maximum(-bounds, 0).sum()
    gaps = np.eye(n) - tau / n * seems
    above = _above(phi, tau)
    signs = np.where(above, 1.0, -1.0)
    low = compare.low(gaps * signs[:, None], each) - np.where(above, tau / n * missed, 0.0)
    return None if (low <= 0).any() else above


def _extend(known: dict[bytes, float], value_fn: ValueFunction, design: PairDesign) -> Floats:
    """Values of a design's coalitions; only those that are new are asked for."""
    keys = [row.tobytes() for row in design.coalitions]
    fresh = np.array([key not in known for key in keys])
    if fresh.any():
        rows = evaluate(value_fn, design.coalitions[fresh])
        added = rows.reshape(len(rows), -1).sum(axis=1).tolist()
        known |= dict(zip([key for key, new in zip(keys, fresh, strict=True) if new], added, strict=True))
    return np.array([known[key] for key in keys])


def _check(until: str, n_players: int, cap: int) -> None:
    if until not in get_args(Until):
        raise ValueError(f"unknown question {until!r}: choose one of {', '.join(get_args(Until))}")
    if n_players < 1:
        raise ValueError("a question about players needs at least one")
    if min(cap, 2 ** min(n_players, 64)) > MOST_COALITIONS:
        raise ValueError(f"cap must be at most {MOST_COALITIONS:,} coalitions, got {cap:,}")
