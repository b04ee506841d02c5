"""A trace from a question and its passages, without a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.trace.check import as_tuple
from boresight.trace.forms import trace_from_dict
from boresight.trace.types import Passage, Trace, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


def quick_trace(
    *,
    query: str,
    passages: Iterable[str | Mapping[str, Any] | Passage],
    answer: str | None = None,
    trace_id: str | None = None,
    history: Iterable[Mapping[str, str] | Turn] = (),
    references: str | Iterable[str] = (),
    relevance: Mapping[str, float] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Trace:
    """The trace of one question whose passages all reached the prompt, in rank order (the short form).

    Args:
        query: The question.
        passages: Best first: texts, objects as in the short form (``text``, ``id``, ``title``, ``score``,
            ``relevant``...), or passages.
        answer: The recorded answer, or None to have one generated.
        trace_id: Identity of the trace; made from the query when None.
        history: Earlier turns.
        references: Correct answers.
        relevance: Grade per passage id.
        meta: Further JSON values.

    Raises:
        InputError: If something has the wrong type or ids contradict each other.
    """
    return trace_from_dict(
        {
            "id": trace_id,
            "query": query,
            "passages": [_passage_object(passage) for passage in as_tuple(passages, "passages")],
            "history": [_turn_object(turn) for turn in as_tuple(history, "history")],
            "answer": answer,
            "references": references if isinstance(references, str) else as_tuple(references, "references"),
            "relevance": relevance,
            "meta": meta,
        }
    )


def _passage_object(passage: object) -> object:
    if isinstance(passage, str):
        return {"text": passage}
    if isinstance(passage, Passage):
        fields = ("id", "text", "title", "metadata")
        return {field: getattr(passage, field) for field in fields}
    return passage


def _turn_object(turn: object) -> object:
    return {"role": turn.role, "content": turn.content} if isinstance(turn, Turn) else turn
