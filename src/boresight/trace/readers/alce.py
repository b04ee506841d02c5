"""ALCE and MIRAGE: a question, its documents, and an answer that cites them by number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.trace.check import located
from boresight.trace.readers.documents import as_document
from boresight.trace.readers.source import Found
from boresight.trace.readers.values import as_list, first_of, rest_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boresight.trace.readers.source import Source

_QUERY = ("question", "query")
_DOCS = "docs"
_ANSWER = ("output", "generated_answer", "response")
_ID = ("id", "sample_id", "example_id", "qid")
_REFERENCE = ("answer", "claims", "answers")


def fits(source: Source) -> bool:
    """Whether the first record, or the first of ``data``, has a question and docs."""
    first = source.first("data")
    return _DOCS in first and any(key in first for key in _QUERY)


def read(source: Source) -> Iterator[Found]:
    """One trace a record. ``output`` is the answer of a model; ``answer`` is the reference of the data set.

    Citations such as ``[2]`` count the documents from 1 in their order, which is the order of the context.
    """
    for place, record in source.objects("data"):
        with located(f"{source.name}, {place}: "):
            yield Found(place, _trace(record))


def _trace(record: Mapping[str, Any]) -> dict[str, Any]:
    output = first_of(record, _ANSWER)
    name = first_of(record, _ID)
    return {
        "id": None if name is None else str(name),
        **({"query": first_of(record, _QUERY)} if first_of(record, _QUERY) is not None else {}),
        "passages": [as_document(item) for item in as_list(record.get(_DOCS))],
        "answer": output[0] if isinstance(output, list) and output else output,
        "references": _references(record),
        "meta": rest_of(record, _QUERY, _ANSWER, _ID, ("answer", _DOCS)),
    }


def _references(record: Mapping[str, Any]) -> list[str]:
    """The long answer; QAMPARI and others have short answers, of which some are lists of spellings."""
    answers = as_list(first_of(record, _REFERENCE))
    return [text for item in answers for text in as_list(item) if isinstance(text, str) and text]
