"""What a run will cost, said before it is spent."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from boresight.game.batches import tokens_of
from boresight.run.design import EXACT, NONE
from boresight.run.extra_cost import added_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.models.seam import Generator, Request
    from boresight.run.plan import TracePlan


@dataclass(frozen=True, slots=True)
class Cost:
    """The price of a run.

    Attributes:
        traces: Traces in the run.
        exact: Traces with all coalitions.
        sampled: Traces with a sample and intervals.
        failed: Traces that will not be scored (too long, no answer).
        coalitions: Prompts of the context game.
        calls: Prompts of any kind, and generated answers; of an endpoint, the calls that they take.
        tokens: Tokens that the engine computes, generation aside.
        at_most: Whether answers are still to be generated, so that tokens is an upper bound.
        memory_mib: Memory of the weights, or None if unknown.
        seconds: Estimated time at the measured speed, or None if it was not measured.
        added_tokens: Those of the tokens that only some measures need, by need.
        added_answers: Answers to generate that only some measures need, by need.
        explained: Passages whose scores by the retriever are still to be explained.
        explaining_seconds: Part of the estimated time that this takes, or None.
        rankings: Most rankings to find what moves passages across the retriever's cut.
        ranking_seconds: Part of the estimated time that they take at most, or None.
    """

    traces: int
    exact: int
    sampled: int
    failed: int
    coalitions: int
    calls: int
    tokens: int
    at_most: bool
    memory_mib: int | None = None
    seconds: float | None = None
    added_tokens: Mapping[str, int] = field(default_factory=dict)
    added_answers: Mapping[str, int] = field(default_factory=dict)
    explained: int = 0
    explaining_seconds: float | None = None
    rankings: int = 0
    ranking_seconds: float | None = None

    @property
    def known_seconds(self) -> float:
        """Time that explanations take, as far as it was measured; known where that of scoring is not."""
        return (self.explaining_seconds or 0.0) + (self.ranking_seconds or 0.0)

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return asdict(self)


def total_cost(
    plans: Sequence[TracePlan],
    *,
    generations: int,
    calls: int,
    at_most: bool,
    tokens_per_second: float | None,
    memory_mib: int | None,
    added_answers: Mapping[str, int] | None = None,
) -> Cost:
    """Add up the plans of a run."""
    batches = [batch for plan in plans for batch in plan.batches]
    tokens = sum(batch.tokens for batch in batches)
    return Cost(
        traces=len(plans),
        exact=sum(plan.method == EXACT for plan in plans),
        sampled=sum(plan.method not in (EXACT, NONE) for plan in plans),
        failed=sum(plan.status == "failed" for plan in plans),
        coalitions=sum(len(batch.games.get("passages", ())) for batch in batches),
        calls=calls + generations,
        tokens=tokens,
        at_most=at_most,
        memory_mib=memory_mib,
        seconds=tokens / tokens_per_second if tokens_per_second else None,
        added_tokens=added_tokens(plans),
        added_answers=added_answers or {},
    )


def measured_speed(generator: Generator, batch: Sequence[Request]) -> float:
    """Tokens a second of a batch, for the printed estimate only; no choice depends on it."""
    generator.score(batch)  # the first call of a process pays for warming up
    begin = time.perf_counter()
    generator.score(batch)
    return tokens_of(batch) / max(time.perf_counter() - begin, 1e-6)
