"""What a trace of another tool's file does not record: noted in the trace and told to the person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.trace.readers.source import Found

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FIELD = "not_recorded"
"""Name of the list in ``meta``."""

_CONSEQUENCES = {
    "query": "it is empty",
    "answer": "the model will generate one",
    "passage ids": "they are made from the texts",
    "passages": "there is no context to audit, only closed book",
    "passage texts": "their places in the rankings are kept",
    "ranking": "measures of the retriever are undefined",
    "scores": "score measures are undefined, rank measures work",
    "context": "the last ranking counts as the context",
    "prompt": "nothing was generated from these rankings, so no passage stands in a context",
}


def with_gaps(found: Found) -> Found:
    """The same trace with what it lacks in ``meta.not_recorded`` and one remark for each gap.

    Args:
        found: A trace in the short or long form; ``meta.not_recorded`` may hold what only its reader saw.
    """
    if not isinstance(found.item, dict):
        return found
    meta = dict(found.item.get("meta") or {})
    gaps = list(dict.fromkeys((*meta.get(FIELD, ()), *_gaps(found.item))))
    if not gaps:
        return found
    remarks = (f"not recorded: {gap}; {_CONSEQUENCES[gap]}" for gap in gaps)
    return Found(found.place, {**found.item, "meta": {**meta, FIELD: gaps}}, (*found.remarks, *remarks))


def _gaps(item: Mapping[str, Any]) -> Iterator[str]:
    passages = item.get("passages") or []
    if not item.get("query"):
        yield "query"
    if item.get("answer") is None:
        yield "answer"
    if any(passage.get("id") is None for passage in passages if isinstance(passage, dict)):
        yield "passage ids"
    if "context" in item:
        yield from _long_gaps(item, passages)
    elif passages and _scores(passages) == 0:
        yield "scores"
    if not passages and not item.get("stages"):
        yield "passages"


def _long_gaps(item: Mapping[str, Any], passages: list[Any]) -> Iterator[str]:
    rankings = [stage["ranking"] for stage in item.get("stages") or ()]
    known = {passage.get("id") for passage in passages}
    if not rankings and passages:
        yield "ranking"
    if any(ranking and _scores(ranking) == 0 for ranking in rankings):
        yield "scores"
    if any(place["id"] not in known for ranking in rankings for place in ranking):
        yield "passage texts"


def _scores(places: Iterable[Any]) -> int:
    return sum(isinstance(place, dict) and place.get("score") is not None for place in places)
