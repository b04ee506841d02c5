"""Results of LangChain's ``create_retrieval_chain`` and ``RetrievalQA``, in memory or as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.trace.check import located
from boresight.trace.readers.documents import documents_of, json_values
from boresight.trace.readers.messages import answer_of, turns_of
from boresight.trace.readers.source import Found
from boresight.trace.readers.values import as_list, first_of, rest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boresight.trace.readers.source import Source

_QUERY = ("input", "question", "query")
_DOCUMENTS = ("context", "source_documents", "documents")
_ANSWER = ("answer", "result", "output", "generation")
_HISTORY = ("chat_history", "history")
_ROLES = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "system": "system"}


def fits(source: Source) -> bool:
    """Whether the first object has a question and a list of LangChain documents."""
    return is_result(source.record)


def is_result(item: Mapping[str, Any]) -> bool:
    """Whether an object is what such a chain returns."""
    documents = as_list(first_of(item, _DOCUMENTS)) if any(key in item for key in _QUERY) else []
    return bool(documents) and all(map(_is_document, documents))


def _is_document(value: object) -> bool:
    if isinstance(value, dict):
        return "page_content" in value or "page_content" in (value.get("kwargs") or {})
    return hasattr(value, "page_content")


def read(source: Source) -> Iterator[Found]:
    """One trace a result."""
    for place, item in source.objects():
        with located(f"{source.name}, {place}: "):
            yield Found(place, trace_of(item))


def trace_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """The short form of a chain's result: its documents in order, which are also the context.

    Args:
        result: The dictionary that ``invoke`` returned.

    Raises:
        InputError: If a document has no text.
    """
    answer = first_of(result, _ANSWER)
    turns = turns_of(first_of(result, _HISTORY))
    return {
        "id": result.get("id"),
        "query": first_of(result, _QUERY),
        "passages": documents_of(first_of(result, _DOCUMENTS)),
        "answer": answer_of(getattr(answer, "content", answer)),
        "history": [{**turn, "role": _ROLES.get(turn["role"], "user")} for turn in turns],
        "meta": json_values(rest_of(result, _QUERY, _DOCUMENTS, _ANSWER, _HISTORY, ("id",))),
    }
