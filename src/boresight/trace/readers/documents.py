"""Passages of other tools in our fields, from JSON, pairs with a score, or the objects of two libraries.

Objects are known by their attributes, so neither library is imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from boresight.errors import InputError
from boresight.trace.check import as_id, as_optional_text, describe
from boresight.trace.readers.values import as_mapping_or_empty, first_of, is_absent, number, rest_of, unpacked
from boresight.trace.types import Passage

TEXT = ("text", "page_content", "content", "contents", "passage", "passage_text", "body")
ID = ("id", "id_", "_id", "node_id", "passage_id", "pid", "chunk_id")
DOCUMENT_ID = ("doc_id", "docid", "document_id")
TITLE = ("title",)
SCORE = ("score", "relevance_score", "similarity")
METADATA = ("metadata", "meta", "extra_info")
_OURS = ("relevant",)
_PAIR = 2

Document = dict[str, Any]
"""A passage as in the short form: text, and what is recorded of id, title, score and metadata."""


def as_document(value: object) -> Document:
    """The passage that a value holds.

    Args:
        value: A text, an object, a pair of passage and score, a LangChain document, a LlamaIndex node with or
            without score, or a :class:`Passage`.

    Raises:
        InputError: If there is no text in it.
    """
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, Passage):
        fields = {"id": value.id, "text": value.text, "title": value.title, "metadata": dict(value.metadata)}
        return {key: held for key, held in fields.items() if held not in (None, {})}
    if isinstance(value, tuple | list) and len(value) == _PAIR:
        return {**as_document(value[0]), "score": number(_plain(value[1]))}
    if isinstance(value, Mapping):
        return _of_mapping({str(key): item for key, item in value.items()})
    return _of_object(value)


def _of_mapping(item: dict[str, Any]) -> Document:
    for wrapper in ("node", "document"):
        if isinstance(item.get(wrapper), Mapping):
            inner = as_document(item[wrapper])
            return inner if item.get("score") is None else {**inner, "score": number(item["score"])}
    if isinstance(item.get("kwargs"), Mapping) and "lc" in item:  # a serialised LangChain object
        return _of_mapping({str(key): held for key, held in item["kwargs"].items()})
    if isinstance(item.get("text_resource"), Mapping):  # a LlamaIndex node
        item = {**item, "text": item["text_resource"].get("text")}
        return _fields({key: item.get(key) for key in (*ID, "text", "metadata")}, keep_rest=False)
    library = item.get("type") == "Document" or "class_name" in item
    return _fields(item, keep_rest=not library)


def _fields(item: Mapping[str, Any], *, keep_rest: bool) -> Document:
    text = first_of(item, TEXT)
    if not isinstance(text, str):
        raise InputError(f"a passage must have a text, got {describe(text)}")
    metadata = as_mapping_or_empty(first_of(item, METADATA))
    if keep_rest:
        metadata |= rest_of(item, TEXT, ID, TITLE, SCORE, METADATA, _OURS)
    document: Document = {
        "id": _identity(item),
        "text": text,
        "title": as_optional_text(first_of(item, TITLE) or None, "title"),
        "score": number(_score(item)),
        "metadata": metadata,
        "relevant": item.get("relevant"),
    }
    if document["score"] is None and metadata.get("relevance_score") is not None:  # LangChain's rerankers
        document["score"] = number(metadata["relevance_score"])
    return {key: held for key, held in document.items() if held is not None and held != {}}


def _identity(item: Mapping[str, Any]) -> str | None:
    """The id; a blank one is none."""
    name = first_of(item, ID)
    return None if name is None or name == "" else as_id(name, "id")


def _score(item: Mapping[str, Any]) -> object:
    """The score as it is given; one that is not a number stays, so that its stage can say so."""
    return next((item[name] for name in SCORE if item.get(name) is not None), None)


def _of_object(value: Any) -> Document:
    if hasattr(value, "page_content"):  # LangChain
        return _fields(
            {
                "id": getattr(value, "id", None),
                "text": value.page_content,
                "metadata": json_values(value.metadata),
            },
            keep_rest=False,
        )
    node = getattr(value, "node", value)
    if hasattr(node, "get_content"):  # LlamaIndex
        return _fields(
            {
                "id": node.node_id,
                "text": node.get_content(),
                "metadata": json_values(node.metadata),
                "score": _plain(getattr(value, "score", None)),
            },
            keep_rest=False,
        )
    raise InputError(f"a passage must be a text, an object or a library's document, got {describe(value)}")


def json_values(value: object) -> Any:
    """The same value with what JSON cannot hold as its text, for the metadata of library objects."""
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, Mapping):
        return {str(key): json_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [json_values(item) for item in value]
    return _plain(value) if hasattr(value, "item") else str(value)


def _plain(value: Any) -> Any:
    """A numpy or torch scalar as a number."""
    return value.item() if hasattr(value, "item") else value


def documents_of(value: object) -> list[Document]:
    """All passages of a list, or of a string that holds one.

    Raises:
        InputError: If one has no text.
    """
    held = unpacked(value)
    if is_absent(held):
        return []
    if isinstance(held, str) and held.lstrip().startswith("[{"):
        raise InputError("a list of passages is neither JSON nor a Python list; export it as JSON")
    items = held if isinstance(held, list | tuple) else [held]
    return [as_document(item) for item in items]
