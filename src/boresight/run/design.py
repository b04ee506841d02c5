"""How the attributions of a trace are computed: the method, and the coalitions that it samples."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from boresight.errors import SpecError
from boresight.explain.shapley import ESTIMATORS, sampling_method
from boresight.game.context_game import MOST_EXACT_PLAYERS
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from boresight.explain.shapley.estimator import Design
    from boresight.run.spec import RunSpec

EXACT, NONE, AUTO = "exact", "none", "auto"
CONTEXTCITE = "contextcite"  # reads log-probabilities only, and answers in log-odds
COALITIONS = "coalitions"  # what a design draws, unless it is for another game


def choose_method(spec: RunSpec, trace_id: str, n: int, exact_tokens: int) -> str:
    """The method of a trace: the one asked for, else exact within the token cap, else the best sampler.

    Where a sample of the budget would hold every coalition anyway, it is exact whatever the cap says.

    Raises:
        SpecError: All coalitions of more than 16 passages were asked for.
    """
    if (spec.exact or spec.method == EXACT) and n > MOST_EXACT_PLAYERS:
        raise SpecError(
            f"trace {trace_id!r} has {n} passages, that is 2^{n} coalitions; "
            f"exact values go up to {MOST_EXACT_PLAYERS}"
        )
    if spec.exact or spec.method != AUTO:
        return EXACT if spec.exact else spec.method
    if n > MOST_EXACT_PLAYERS:
        return sampling_method(budget_of(spec, AUTO, n))
    fits = exact_tokens <= spec.max_tokens_per_trace or 1 << n <= spec.coalitions_sampled(n)
    return EXACT if fits else sampling_method(budget_of(spec, AUTO, n))


def budget_of(spec: RunSpec, method: str, n: int) -> int:
    """Coalitions that a method may ask for: ``--budget``, else what it is published with, at most 8n."""
    if method in (AUTO, EXACT) or spec.method == AUTO:
        return max(spec.coalitions_sampled(n), 2 * n)
    if spec.budget is not None:
        return spec.budget
    return min(spec.coalitions_sampled(n), ESTIMATORS[method].default_budget)


@lru_cache(maxsize=4)  # plan, placebo and tables ask for the design of one trace after the other
def design_for(spec: RunSpec, trace_id: str, method: str, n: int, purpose: str = COALITIONS) -> Design:
    """The seeded design of a sampled game; the same whenever it is asked for.

    Raises:
        SpecError: The budget is too small for the method.
    """
    estimator = ESTIMATORS[method]
    try:
        found: Design = estimator.design(n, budget_of(spec, method, n), rng_for(spec.seed, trace_id, purpose))
    except ValueError as error:
        raise SpecError(f"trace {trace_id!r}: {error} (--budget, or another --method)") from error
    return found


def estimand_of(method: str) -> str:
    """What a method's numbers aim at, such as ``shapley``."""
    return str(ESTIMATORS[method].estimand)
