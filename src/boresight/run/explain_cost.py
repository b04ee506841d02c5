"""What explaining the retriever will cost: passages and rankings, and a time from explaining one of them."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from boresight.errors import BoresightError
from boresight.game.query_game import words_of
from boresight.run.execute import passage_text
from boresight.run.retriever_removals import FEWEST, RANKINGS, REMOVALS
from boresight.run.retriever_saliency import RETRIEVER, check_explain
from boresight.run.saliency_curves import curves_of
from boresight.store.files import read_jsonl
from boresight.trace.sentences import sentences_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from boresight.explain.both_sides import SidesExplainer
    from boresight.models.rankers.seam import Ranker
    from boresight.run.cost import Cost
    from boresight.run.execute import Execution
    from boresight.trace import Passage, Trace

    Asked = tuple[str, Passage]

AT_THE_CUT = 2  # passages


def with_explanations(cost: Cost, execution: Execution, *, timed: bool) -> Cost:
    """The price with that of the explanations that are still to be made.

    Args:
        cost: The price of scoring.
        execution: The run.
        timed: Whether to explain and score a passage, so that the explanations have a time.
    """
    explainer = check_explain(execution.spec, execution.encoder)
    if execution.encoder is None or not execution.spec.explain:
        return cost
    if explainer is not None and RETRIEVER in execution.spec.explain:
        cost = _with_saliency(cost, execution, explainer, timed=timed)
    if REMOVALS in execution.spec.explain:
        cost = _with_removals(cost, execution, execution.encoder, timed=timed)
    return replace(cost, seconds=None if cost.seconds is None else cost.seconds + cost.known_seconds)


def _with_saliency(cost: Cost, execution: Execution, explainer: SidesExplainer, *, timed: bool) -> Cost:
    waiting = _waiting(execution, execution.directory.explanations)
    passages = [(trace.query, trace.passage(key)) for trace in waiting for key in trace.context]
    if not passages or not timed:
        return replace(cost, explained=len(passages))
    query, text = _middle(passages)

    def explain() -> None:
        found = explainer.explain(query, {"": text})
        if execution.needs.saliency_curves:
            for read in explainer.passage_texts(query, {"": text}).values():
                curves_of(read, found[""].passage.tokens, execution.spec.seed, "")

    seconds = _seconds(explain)
    whole = None if seconds is None else seconds * len(passages)
    return replace(cost, explained=len(passages), explaining_seconds=whole)


def _with_removals(cost: Cost, execution: Execution, ranker: Ranker, *, timed: bool) -> Cost:
    waiting = [
        one for one in _waiting(execution, execution.directory.removals) if len(one.passages) >= FEWEST
    ]
    bounds = [most_rankings(trace) for trace in waiting]
    rankings = sum(asked + read for asked, read in bounds)
    if not waiting or not timed:
        return replace(cost, rankings=rankings)
    middle = sorted(waiting, key=lambda one: len(one.passages))[len(waiting) // 2]
    texts = {one.id: passage_text(one) for one in middle.passages}
    seconds = _seconds(lambda: ranker.score(middle.query, texts))
    listwise = bool(ranker.describe().get("listwise"))
    scored = sum(
        asked * len(trace.passages) + read * (len(trace.passages) if listwise else 1)
        for trace, (asked, read) in zip(waiting, bounds, strict=True)
    )
    return replace(
        cost, rankings=rankings, ranking_seconds=None if seconds is None else seconds / len(texts) * scored
    )


def most_rankings(trace: Trace) -> tuple[int, int]:
    """Most rankings with words of the query removed, and with sentences of a passage, to find all removals.

    A passage takes no more than there are sets to remove; which passages beside those of the context are
    tried depends on ranks that nobody knows yet, so the longest are taken.

    Args:
        trace: The trace; all its passages will be ranked.
    """
    own = set(trace.context)
    texts = {one.id: _sets(len(sentences_of(passage_text(one)))) for one in trace.passages}
    others = sorted((most for key, most in texts.items() if key not in own), reverse=True)
    tried = [texts[key] for key in own] + others[:AT_THE_CUT]
    return _sets(len(words_of(trace.query))) * len(tried), sum(tried)


def _sets(units: int) -> int:
    """The ranking as it is and one for each set of units that can be removed, as far as the search goes."""
    return min(max(RANKINGS, 3 * units), max(1 << units, 2) - 1)


def _waiting(execution: Execution, stored: Path) -> Sequence[Trace]:
    return execution.traces[sum(1 for _ in read_jsonl(stored)) :]


def _middle(passages: Sequence[Asked]) -> tuple[str, str]:
    """Query and text of the passage of middle length."""
    query, passage = sorted(passages, key=lambda one: len(one[1].text))[len(passages) // 2]
    return query, passage_text(passage)


def _seconds(step: Callable[[], object]) -> float | None:
    """Time that a step takes; None where it fails, as its trace will say in its turn."""
    try:
        step()  # the first call of a process pays for warming up
        begin = time.perf_counter()
        step()
    except (BoresightError, ValueError):
        return None
    return time.perf_counter() - begin
