"""A trace as a JSON object in the long form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.trace.frozen import thaw

if TYPE_CHECKING:
    from boresight.trace.types import Passage, Stage, Trace


def trace_to_dict(trace: Trace) -> dict[str, Any]:
    """The long form of a trace: dictionaries, lists and JSON scalars that nothing else refers to.

    Reading it back gives an equal trace.
    """
    return {
        "id": trace.id,
        "query": trace.query,
        "history": [{"role": turn.role, "content": turn.content} for turn in trace.history],
        "passages": [_passage(passage) for passage in trace.passages],
        "stages": [_stage(stage) for stage in trace.stages],
        "context": list(trace.context),
        "answer": trace.answer,
        "references": list(trace.references),
        "relevance": dict(trace.relevance),
        "meta": thaw(trace.meta),
    }


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "id": passage.id,
        "text": passage.text,
        "title": passage.title,
        "metadata": thaw(passage.metadata),
    }


def _stage(stage: Stage) -> dict[str, Any]:
    return {
        "name": stage.name,
        "kind": stage.kind,
        "ranking": [{"id": place.id, "score": place.score} for place in stage.ranking],
        "cut": stage.cut,
        "notes": list(stage.notes),
    }
