"""LlamaIndex responses with their source nodes, in memory or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import InputError
from boresight.trace.check import located
from boresight.trace.readers.documents import documents_of, json_values
from boresight.trace.readers.source import Found
from boresight.trace.readers.values import as_mapping_or_empty, first_of, rest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boresight.trace.readers.source import Source

_QUERY = ("query", "question", "query_str", "input")
_ANSWER = ("response", "answer")
_NODES = "source_nodes"


def fits(source: Source) -> bool:
    """Whether the first object has source nodes, beside it or in its response."""
    return _NODES in source.record or _NODES in as_mapping_or_empty(source.record.get("response"))


def read(source: Source) -> Iterator[Found]:
    """One trace a response, which does not hold its question: that has to stand beside it as ``query``."""
    for place, item in source.objects():
        with located(f"{source.name}, {place}: "):
            yield Found(place, _short_form(item))


def _short_form(item: Mapping[str, Any]) -> dict[str, Any]:
    inner = as_mapping_or_empty(item.get("response"))
    fields = {**item, **inner} if _NODES in inner else dict(item)
    return {
        "id": fields.get("id"),
        **({"query": first_of(item, _QUERY)} if any(key in item for key in _QUERY) else {}),
        "passages": documents_of(fields.get(_NODES)),
        "answer": first_of(fields, _ANSWER),
        "meta": rest_of(fields, _QUERY, _ANSWER, (_NODES, "id")),
    }


def trace_of(response: Any, query: str) -> dict[str, Any]:
    """The short form of a LlamaIndex response object: its nodes in order, which are also the context.

    Args:
        response: What a query engine or chat engine returned.
        query: The question; a response does not hold it.

    Raises:
        InputError: If it has no source nodes, or a node has no text.
    """
    nodes = getattr(response, _NODES, None)
    if nodes is None:
        raise InputError("the response has no source_nodes; give what a query engine returned")
    return {
        "query": query,
        "passages": documents_of(list(nodes)),
        "answer": str(response),
        "meta": json_values(getattr(response, "metadata", None) or {}),
    }
