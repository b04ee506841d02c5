"""RAGChecker: inputs, and outputs with checked claims; one object with ``results``, or JSON Lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.trace.check import located
from boresight.trace.readers.documents import DOCUMENT_ID, as_document
from boresight.trace.readers.source import Found
from boresight.trace.readers.steps.identity import Passages
from boresight.trace.readers.values import as_list, first_of, rest_of, text_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boresight.trace.readers.source import Source

_CONTEXT = "retrieved_context"
_USED = ("query_id", "query", "gt_answer", "response", _CONTEXT)


def fits(source: Source) -> bool:
    """Whether the first record, or the first of ``results``, has a query and retrieved context."""
    return {"query", _CONTEXT} <= set(source.first("results"))


def read(source: Source) -> Iterator[Found]:
    """One trace a record; claims and metrics go to ``meta``, and means over the file are left out."""
    for place, record in source.objects("results"):
        if set(record) <= {"overall_metrics"}:
            source.note(f"{place} holds means over the file and no trace, so it was passed over")
            continue
        with located(f"{source.name}, {place}: "):
            yield _found(place, record)


def _found(place: str, record: Mapping[str, Any]) -> Found:
    passages = Passages()
    documents = [_document(item) for item in as_list(record.get(_CONTEXT))]
    order = passages.ranking(documents)
    texts = {passage["id"]: passage for passage in passages.all()}
    item = {
        "id": record.get("query_id"),
        **({"query": record["query"]} if "query" in record else {}),
        "passages": [texts[place["id"]] for place in order],
        "answer": record.get("response"),
        "references": text_list(record.get("gt_answer")),
        "meta": rest_of(record, _USED),
    }
    return Found(place, item, tuple(passages.remarks))


def _document(item: object) -> dict[str, Any]:
    """A passage whose id is that of its document, as far as that tells passages apart."""
    document = as_document(item)
    name = first_of(item, DOCUMENT_ID) if isinstance(item, dict) else None
    if name is None:
        return document
    metadata = rest_of(document.get("metadata", {}), DOCUMENT_ID)
    return {
        **rest_of(document, ("metadata",)),
        "id": str(name),
        **({"metadata": metadata} if metadata else {}),
    }
