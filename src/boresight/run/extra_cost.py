"""What the rows and answers that only some measures read add to the price of a run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from boresight.run.extra import EXTRA_GAMES, is_extra
from boresight.run.extra_answers import ORDER_ANSWER, SINGLE_ANSWER, StoredAnswers, wanted_answers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.run.execute import Execution
    from boresight.run.plan import TracePlan

_NEEDS = {ORDER_ANSWER: "order_answers", SINGLE_ANSWER: "single_answers"}


def added_tokens(plans: Sequence[TracePlan]) -> dict[str, int]:
    """Tokens of each kind of such rows, in a fixed order; a kind that nothing needs has no entry."""
    found: Counter[str] = Counter()
    for batch in (batch for plan in plans for batch in plan.batches if is_extra(batch)):
        found[next(iter(batch.games))] += batch.tokens
    return {name: found[name] for name in EXTRA_GAMES if name in found}


def added_answers(execution: Execution) -> dict[str, int]:
    """Answers of each kind that are still to be generated for measures."""
    if not (execution.needs.order_answers or execution.needs.single_answers):
        return {}
    stored, found = StoredAnswers.read(execution.directory.generations), Counter[str]()
    for trace in execution.traces:
        wanted = wanted_answers(trace, execution.needs, execution.spec.seed, generated=trace.answer is None)
        found.update(_NEEDS[one.purpose] for one in stored.missing(wanted))
    return {name: found[name] for name in _NEEDS.values() if name in found}
