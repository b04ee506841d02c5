"""The trace of one question from the steps that a tool recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.trace.readers.gaps import FIELD
from boresight.trace.readers.steps.identity import Passages
from boresight.trace.readers.steps.prompt import context_in
from boresight.trace.readers.steps.rankings import Rankings, last_ranking
from boresight.trace.readers.steps.step import in_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boresight.trace.readers.steps.step import Step

_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant"}


def assemble(steps: Sequence[Step], trace: str = "") -> tuple[dict[str, Any], tuple[str, ...]] | None:
    """The object of a trace in the long form, and remarks; None if no step holds a passage.

    The question is that of the outermost step, else the retriever's; the answer is the outermost step's, else
    the last that a model gave. The context is what stands in the recorded prompts, else the last ranking.

    Args:
        steps: All steps of one question, in recorded order.
        trace: Its identity, empty if none is recorded.

    Raises:
        InputError: If a passage has no text.
    """
    ordered = in_time(list(steps))
    passages = Passages()
    stages = Rankings(ordered, passages).stages
    if not passages.all():
        return None
    context, gaps = _context(ordered, stages, passages)
    query, searched = _query(ordered)
    meta: dict[str, Any] = {"retrieval_query": searched} if searched not in {None, query} else {}
    if passages.made_ids:
        gaps.append("passage ids")
    item = {
        "id": trace or None,
        "query": query,
        "history": _history(ordered, query, [passages.text(key) for key in context]),
        "passages": passages.all(),
        "stages": stages,
        "context": context,
        "answer": _answer(ordered),
        "meta": {**meta, FIELD: gaps} if gaps else meta,
    }
    return item, tuple(passages.remarks)


def _context(
    steps: Sequence[Step], stages: list[dict[str, Any]], passages: Passages
) -> tuple[list[str], list[str]]:
    """Ids in prompt order, and the gap if they are only assumed."""
    texts = {str(passage["id"]): str(passage["text"]) for passage in passages.all()}
    by_model = [prompt for step in steps if step.kind == "generate" for prompt in step.prompts]
    found = context_in(by_model or [prompt for step in steps for prompt in step.prompts], texts)
    if not found:
        return list(last_ranking(stages)), ["context"]
    left_out = set(last_ranking(stages)) - set(found)
    if left_out:
        passages.remarks["passages of the last ranking stand in no recorded prompt word for word; "
                         "they count as left out of the context"] = None  # fmt: skip
    return found, []


def _query(steps: Sequence[Step]) -> tuple[str, str | None]:
    """The question, and what the first retriever was asked."""
    searched = next((step.query for step in steps if step.kind == "retrieve" and step.query), None)
    known = {step.id for step in steps if step.id}
    outermost = (step.query for step in steps if step.kind == "other" and step.parent not in known)
    reranked = (step.query for step in steps if step.kind == "rerank")
    others = (step.query for step in steps)
    question = next(filter(None, (*outermost, searched, *reranked, *others)), None)
    return question or next(_last_user_turns(steps), ""), searched


def _last_user_turns(steps: Sequence[Step]) -> Iterator[str]:
    for step in reversed(steps):
        turns = [turn["content"] for turn in step.turns if _ROLES.get(turn["role"]) == "user"]
        yield from turns[-1:]


def _answer(steps: Sequence[Step]) -> str | None:
    known = {step.id for step in steps if step.id}
    generated = [step.answer for step in steps if step.kind == "generate" and step.answer is not None]
    outermost = [
        step.answer
        for step in steps
        if step.kind == "other" and step.answer is not None and step.id and step.parent not in known
    ]
    others = [step.answer for step in steps if step.kind == "other" and step.answer is not None]
    return next(iter((*outermost, *reversed(generated), *others)), None)


def _history(steps: Sequence[Step], query: str, texts: list[str]) -> list[dict[str, str]]:
    """Earlier turns of the first model call that has some; instructions and passages are no history."""
    for step in steps:
        turns = [{**turn, "role": _ROLES[turn["role"]]} for turn in step.turns if turn["role"] in _ROLES]
        last = max((index for index, turn in enumerate(turns) if turn["role"] == "user"), default=0)
        earlier = [turn for turn in turns[:last] if turn["content"] and not _holds(turn["content"], texts)]
        if earlier and earlier[-1]["content"] == query:
            earlier.pop()
        if earlier:
            return earlier
    return []


def _holds(content: str, texts: list[str]) -> bool:
    """Whether a turn brings passages, so that it is part of the prompt and not of the conversation."""
    return bool(context_in([content], {str(index): text for index, text in enumerate(texts)}))
