"""What explaining the retriever will cost: passages to explain, and a time from explaining one of them."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from boresight.errors import BoresightError
from boresight.run.execute import passage_text
from boresight.run.retriever_saliency import RETRIEVER, check_explain
from boresight.store.files import read_jsonl

if TYPE_CHECKING:
    from boresight.explain.both_sides import SidesExplainer
    from boresight.run.cost import Cost
    from boresight.run.execute import Execution


def with_explanations(cost: Cost, execution: Execution, *, timed: bool) -> Cost:
    """The price with that of the explanations that are still to be made.

    Args:
        cost: The price of scoring.
        execution: The run.
        timed: Whether to explain a passage, so that the explanations have a time.
    """
    explainer = check_explain(execution.spec, execution.encoder)
    if explainer is None or RETRIEVER not in execution.spec.explain:
        return cost
    done = sum(1 for _ in read_jsonl(execution.directory.explanations))
    waiting = execution.traces[done:]
    passages = [(trace.query, trace.passage(key)) for trace in waiting for key in trace.context]
    if not passages or not timed:
        return replace(cost, explained=len(passages))
    query, middle = sorted(passages, key=lambda one: len(one[1].text))[len(passages) // 2]
    seconds = _seconds(explainer, query, passage_text(middle))
    whole = None if seconds is None else seconds * len(passages)
    both = None if whole is None or cost.seconds is None else cost.seconds + whole
    return replace(cost, explained=len(passages), explaining_seconds=whole, seconds=both or cost.seconds)


def _seconds(explainer: SidesExplainer, query: str, text: str) -> float | None:
    """Time to explain one passage; None where that fails, as its trace will say in its turn."""
    begin = time.perf_counter()
    try:
        explainer.explain(query, {"": text})
    except (BoresightError, ValueError):
        return None
    return time.perf_counter() - begin
