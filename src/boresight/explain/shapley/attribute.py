"""Attributions of any value function: choose a method, spend the budget, report what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from boresight.explain.shapley.banzhaf import BanzhafEstimator
from boresight.explain.shapley.estimate import Estimate
from boresight.explain.shapley.estimator import Bools, finite_values
from boresight.explain.shapley.exact import ExactEstimator, efficiency_gap, is_affordable
from boresight.explain.shapley.kriging import MOST_COALITIONS, KrigingEstimator
from boresight.explain.shapley.loo import LeaveOneOutEstimator
from boresight.explain.shapley.montecarlo import MonteCarloEstimator
from boresight.explain.shapley.permutation import PermutationEstimator
from boresight.explain.shapley.regression import KernelEstimator, LeverageEstimator
from boresight.explain.shapley.surrogate import ContextCiteEstimator, LimeEstimator
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from boresight.explain.shapley.estimator import Attributions, Design, Estimator, Floats

ValueFunction = Callable[[Bools], ArrayLike]

ESTIMATORS: dict[str, Estimator[Any]] = {
    "exact": ExactEstimator(),
    "kriging": KrigingEstimator(),
    "leverage": LeverageEstimator(),
    "permutation": PermutationEstimator(),
    "kernel": KernelEstimator(),
    "mcshap": MonteCarloEstimator(paired=False),
    "pmcshap": MonteCarloEstimator(paired=True),
    "loo": LeaveOneOutEstimator(),
    "banzhaf": BanzhafEstimator(),
    "lime": LimeEstimator(),
    "contextcite": ContextCiteEstimator(),
}
DEFAULT_BUDGET = 1_024  # of method "auto"
ROWS_PER_CALL = 256


def attribute(
    value_fn: ValueFunction,
    n_players: int,
    method: str = "auto",
    budget: int | None = None,
    seed: int = 0,
) -> Estimate:
    """Attribute the value of a game to its players.

    Args:
        value_fn: Takes coalitions, bool (m, n), and gives their values, (m,) or (m, T). It is called with at
            most 256 coalitions at once and never twice with the same one.
        n_players: Number of players, n.
        method: A name in ``ESTIMATORS``, or ``auto``: exact when all 2^n coalitions fit the budget, else the
            sampling method with the least measured error (:func:`sampling_method`).
        budget: Most distinct coalitions, empty and grand included. By default 1,024, or what the method is
            published with; for ``exact`` as many as 20 players need.
        seed: Seed of everything random. NumPy's global state is neither read nor changed.

    Returns:
        The attributions, with an interval where they were sampled.

    Raises:
        ValueError: An option cannot hold, the budget is too small, or ``value_fn`` returned something else
            than one finite row a coalition.

    Example:
        >>> attribute(lambda coalitions: coalitions.any(axis=1), n_players=2).values.tolist()
        [0.5, 0.5]
    """
    _check_method(method, ESTIMATORS)
    check_numbers(n_players, budget, seed)
    if method == "auto":
        budget = DEFAULT_BUDGET if budget is None else budget
        method = "exact" if is_affordable(n_players, budget) else sampling_method(budget)
    estimator = ESTIMATORS[method]
    budget = estimator.default_budget if budget is None else budget
    design = estimator.design(n_players, budget, rng_for(seed, "attribute", method))
    values = evaluate(value_fn, design.coalitions)
    found = estimator.estimate(design, values)
    return Estimate(
        estimand=estimator.estimand,
        method=method,
        values=found.attribution,
        low=found.low,
        high=found.high,
        calls=len(design.coalitions),
        diagnostics={
            "budget": budget,
            "seed": seed,
            **design.diagnostics,
            **({"efficiency_gap": _gap(design, values, found)} if estimator.estimand == "shapley" else {}),
            "interval": found.reason or "95 percent",
        },
        n_players=n_players,
    )


def sampling_method(budget: int) -> str:
    """The method that ``auto`` samples with: the one with the least error in benchmarks/estimators.py.

    Args:
        budget: Most distinct coalitions.
    """
    return "kriging" if budget <= MOST_COALITIONS else "leverage"


def shapley(
    value_fn: ValueFunction,
    n_players: int,
    method: str = "auto",
    budget: int | None = None,
    seed: int = 0,
) -> Estimate:
    """Shapley values of the players of a game: :func:`attribute`, Shapley methods only.

    Args:
        value_fn: As in :func:`attribute`.
        n_players: Number of players, n.
        method: ``auto`` or a method whose estimand is the Shapley value.
        budget: Most distinct coalitions, empty and grand included.
        seed: Seed of everything random.

    Returns:
        The Shapley values, with an interval where they were sampled.

    Raises:
        ValueError: As in :func:`attribute`.
    """
    _check_method(method, [name for name, known in ESTIMATORS.items() if known.estimand == "shapley"])
    return attribute(value_fn, n_players, method, budget, seed)


def _check_method(method: str, known: Iterable[str]) -> None:
    names = ["auto", *known]
    if method not in names:
        raise ValueError(f"unknown method {method!r}: choose one of {', '.join(names)}")


def check_numbers(n_players: int, budget: int | None, seed: int) -> None:
    """Refuse what is no number of players, no budget or no seed.

    Raises:
        ValueError: Names the option.
    """
    if not _is_whole(n_players) or n_players < 0:
        raise ValueError(f"n_players must be a whole number, 0 or more, got {n_players!r}")
    if budget is not None and (not _is_whole(budget) or budget < 1):
        raise ValueError(f"budget must be a whole number of coalitions, 1 or more, got {budget!r}")
    if not _is_whole(seed):
        raise ValueError(f"seed must be a whole number, got {seed!r}")


def _is_whole(number: object) -> bool:
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def evaluate(value_fn: ValueFunction, coalitions: Bools) -> Floats:
    """Values of all coalitions, shape (m,) or (m, T), asked for block by block, each coalition once.

    Raises:
        ValueError: ``value_fn`` returned something else than one finite row a coalition.
    """
    blocks: list[Floats] = []
    for start in range(0, len(coalitions), ROWS_PER_CALL):
        asked = coalitions[start : start + ROWS_PER_CALL].copy()  # the caller may scribble on it
        block = finite_values(value_fn(asked)).copy()  # and may reuse its buffer
        tokens = blocks[0].shape[1:] if blocks else block.shape[1:]
        if block.shape != (len(asked), *tokens):
            raise ValueError(
                f"value_fn must return the shape (m,) or (m, T), the same T at every call: "
                f"for {len(asked)} coalitions it returned {block.shape}"
            )
        blocks.append(block)
    return np.concatenate(blocks)


def _gap(design: Design, values: Floats, found: Attributions) -> float:
    sizes = design.coalitions.sum(axis=1)
    return efficiency_gap(values[[sizes.argmin(), sizes.argmax()]], found.attribution)
