"""Before anything is spent: does every prompt fit, and what will the run cost?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.errors import ScoringError
from boresight.game.batches import as_batch
from boresight.game.targets import ANSWER, known_target
from boresight.models.packing import PackedBatch
from boresight.models.seam import Metered, Target
from boresight.run.cost import Cost, measured_speed, total_cost
from boresight.run.explain_cost import with_explanations
from boresight.run.extra import is_extra, table_targets
from boresight.run.extra_cost import added_answers
from boresight.run.plan import CLOSED, FLOOR, TracePlan, rows_of
from boresight.store.files import read_json, read_jsonl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.models.seam import Request
    from boresight.run.execute import Execution
    from boresight.trace import Trace

SPEED_SAMPLE = 4_000  # no prompt longer than this is scored just to estimate the time


def preflight(execution: Execution, *, timed: bool) -> tuple[Cost, list[TracePlan]]:
    """Plan every trace, an answer still to be generated taken at its longest.

    Args:
        execution: The run.
        timed: Whether to score a prompt twice, so that the price has a time.

    Returns:
        The price, and the plan of each trace.

    Raises:
        WindowError: A prompt does not fit and the spec says to refuse.
    """
    if execution.directory.plan.exists():
        stored = read_json(execution.directory.plan)["traces"]
        plans = [TracePlan.from_json(plan) for plan in stored]
        cost = total_cost(
            plans,
            generations=0,
            calls=_calls(execution, plans),
            at_most=False,
            tokens_per_second=None,
            memory_mib=_memory(execution),
        )
        return with_explanations(cost, execution, timed=timed), plans
    execution.progress.phase("reading prompts", len(execution.traces))
    plans = []
    for trace in execution.traces:
        plans.append(_estimate(execution, trace))
        execution.progress.advance()
    plans = execution.with_placebos(plans)
    answers, closed = _waiting(execution)
    others = added_answers(execution)
    calls = _calls(execution, plans)
    execution.speed = _speed(execution, plans) if timed else None
    execution.targets.clear()
    execution.failures.clear()
    cost = total_cost(
        plans,
        generations=answers + closed + sum(others.values()),
        calls=calls,
        at_most=answers > 0,
        tokens_per_second=execution.speed,
        memory_mib=_memory(execution),
        added_answers=others,
    )
    return with_explanations(cost, execution, timed=timed), plans


def _calls(execution: Execution, plans: list[TracePlan]) -> int:
    """Prompts to score, or the calls that they take of an endpoint."""
    if not isinstance(execution.generator, Metered):
        return sum(batch.calls for plan in plans for batch in plan.batches)
    total = 0
    for trace, plan in zip(execution.traces, plans, strict=True):
        count = sum(batch.calls for batch in plan.batches if not is_extra(batch))
        known = table_targets(execution.targets.get(trace.id, ()), execution.needs)
        targets = [target for target in known if target.token_ids]
        each = 1  # of a resumed run, whose targets are not read yet
        if count and targets:
            each = execution.generator.calls_for(execution.game(trace).closed_book_request(targets))
        total += count * each + execution.extra_calls(trace, plan, execution.generator)
    return total


def _waiting(execution: Execution) -> tuple[int, int]:
    """How many answers, and how many closed-book answers, are still to be generated."""
    lines = list(read_jsonl(execution.directory.generations))
    done = {(line["trace"], line["purpose"]) for line in lines}
    answers = sum(trace.answer is None and (trace.id, ANSWER) not in done for trace in execution.traces)
    asked = [one for one in execution.traces if one.context and execution.asks_closed_book]
    return answers, sum((trace.id, CLOSED) not in done for trace in asked)


def _estimate(execution: Execution, trace: Trace) -> TracePlan:
    try:
        answer = known_target(execution.generator, trace, ANSWER, end=execution.spec.score_end)
        others = list(execution.other_targets(trace))
    except ScoringError as error:
        execution.failures[trace.id] = str(error)
        return execution.plan_one(trace)
    longest = execution.spec.max_new_tokens
    placeholder = Target(ANSWER, "generated", " " * longest, (0,) * longest, ((0, 0),) * longest)
    execution.targets[trace.id] = [answer or placeholder, *others]
    plan = execution.plan_one(trace)
    if plan.status == "closed_book_only":
        execution.warnings.append(
            f"trace {trace.id!r}: its context is empty, so it is audited closed book only"
        )
    if plan.status != "failed":
        parts = execution.game(trace).parts(execution.targets[trace.id][0].thoughts)
        execution.warnings += [f"trace {trace.id!r}: {warning}" for warning in parts.warnings]
    return plan


def _speed(execution: Execution, plans: list[TracePlan]) -> float | None:
    """Speed on the first planned prompts of moderate length; None where there are none."""
    if execution.generator.capabilities().side_by_side:
        return None  # calls to an endpoint may cost money, and nobody has agreed yet
    sample = _sample(execution, plans)
    try:
        return measured_speed(execution.generator, sample) if sample else None
    except ScoringError:
        return None  # the trace will fail with its own message when its turn comes


def _sample(execution: Execution, plans: list[TracePlan]) -> Sequence[Request]:
    """A prompt, or as many as fill a pack, as the engine in use scores them."""
    able = execution.generator.capabilities()
    for trace, plan in zip(execution.traces, plans, strict=True):
        own = [batch for batch in plan.batches if FLOOR not in batch.games]
        if own and plan.longest <= SPEED_SAMPLE:
            known = table_targets(execution.targets[trace.id], execution.needs)
            targets = [target for target in known if target.token_ids]
            requests = [row.request for row in rows_of(execution.game(trace), targets, own[0])]
            batch = as_batch(requests, able)
            if not isinstance(batch, PackedBatch):
                return requests[-1:]
            asking = {ask.request for ask in batch.packs[0].asks}
            return as_batch([requests[index] for index in sorted(asking)] or requests, able)
    return ()


def _memory(execution: Execution) -> int | None:
    weights = execution.generator.describe().get("weights_mib")
    return None if weights is None else int(weights)
