"""The two forms of a trace, from a JSON object to a :class:`Trace`.

The long form holds ``context`` and usually ``stages``. The short form holds ``passages`` in rank order, which
means one retrieve stage whose order is also the context.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boresight.errors import InputError
from boresight.trace.check import as_id, as_mapping, as_text, describe, listed, located, member, quoted
from boresight.trace.ids import FreshIds, trace_id
from boresight.trace.mend import mend_text
from boresight.trace.parts import (
    PASSAGE,
    Item,
    extended,
    objects,
    rank,
    read_passages,
    read_references,
    read_relevance,
    read_stage,
    read_turn,
    without_copies,
)
from boresight.trace.remarks import Remarks
from boresight.trace.rules import check_passages
from boresight.trace.types import Passage, Stage, Trace

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHORT = ("id", "query", "history", "passages", "answer", "answers", "references", "relevance", "meta")
_LONG = (*_SHORT, "stages", "context")


@dataclass(frozen=True, slots=True)
class Parsed:
    """A trace with what a person should know about its reading.

    Attributes:
        trace: The trace.
        warnings: Sentences that begin with the field they are about, without the name of the trace.
    """

    trace: Trace
    warnings: tuple[str, ...]


def trace_from_dict(obj: Mapping[str, Any], where: str = "") -> Trace:
    """The trace of a JSON object in the long or the short form.

    What had to be mended or left out is told by :func:`warnings.warn`.

    Args:
        obj: The object; in the long form it holds ``context``.
        where: What the object is, such as file and line; put before every message.

    Raises:
        InputError: If the object is no sound trace; the message names the field and the fix.
    """
    parsed = parse_trace(obj, where)
    prefix = f"{where}: " if where else ""
    for sentence in parsed.warnings:
        warnings.warn(f"{prefix}trace {quoted(parsed.trace.id)}: {sentence}", UserWarning, stacklevel=2)
    return parsed.trace


def parse_trace(obj: object, where: str = "", ids: FreshIds | None = None) -> Parsed:
    """As :func:`trace_from_dict`, with the warnings as values.

    Args:
        obj: The object.
        where: What the object is.
        ids: Trace ids that are taken, for the name of a trace without id.

    Raises:
        InputError: If the object is no sound trace.
    """
    remarks = Remarks()
    with located(f"{where}: " if where else ""):
        plain = _plain(obj, remarks)
        query, name = _identity(plain, ids or FreshIds(), remarks)
        with located(f"trace {quoted(name)}: "):
            fields = _fields(plain, remarks)
        return Parsed(Trace(name, query, **fields), remarks.sentences())


def _plain(obj: object, remarks: Remarks) -> dict[str, Any]:
    """The object without lone surrogates, and without those of our fields that are null."""
    mended: list[str] = []
    if not isinstance(obj, Mapping):
        raise InputError(f"a trace must be an object, got {describe(obj)}; write one JSON object a line")
    plain = mend_text(obj, mended)
    if mended:
        remarks.add(f"{listed(mended, quote=False)}: lone surrogates were replaced by U+FFFD")
    return {key: value for key, value in plain.items() if value is not None or key not in _LONG}


def _identity(obj: dict[str, Any], ids: FreshIds, remarks: Remarks) -> tuple[str, str]:
    """Query and id."""
    if "query" not in obj:
        raise InputError("query is missing; every trace needs one")
    query = as_text(obj["query"], "query")
    if not query:
        remarks.add("query is empty")
    if "id" in obj:
        return query, as_id(obj["id"], "id")
    return query, ids.fresh(trace_id(query))


def _fields(obj: dict[str, Any], remarks: Remarks) -> dict[str, Any]:
    """All arguments of :class:`Trace` but id and query."""
    items = objects(obj.get("passages", ()), "passages")
    form = _long_form if "stages" in obj or "context" in obj else _short_form
    return {
        **form(obj, items, remarks),
        "history": [
            read_turn(item, path, remarks) for path, item in objects(obj.get("history", ()), "history")
        ],
        "answer": obj.get("answer"),
        "references": read_references(obj),
        "meta": extended("meta", obj, _LONG, "", remarks),
    }


def _long_form(obj: dict[str, Any], items: list[Item], remarks: Remarks) -> dict[str, Any]:
    if "context" not in obj:
        raise InputError(
            "context is missing beside stages; add the ids of the passages that reached the prompt"
        )
    passages = read_passages(items, PASSAGE, remarks)
    distinct = without_copies(passages, remarks)
    check_passages(distinct)
    return {
        "passages": distinct,
        "context": obj["context"],
        "stages": [
            read_stage(item, path, remarks) for path, item in objects(obj.get("stages", ()), "stages")
        ],
        "relevance": read_relevance(_labels(obj, items, passages)),
    }


def _short_form(obj: dict[str, Any], items: list[Item], remarks: Remarks) -> dict[str, Any]:
    if "passages" not in obj:
        remarks.add("passages is missing, so there is no context to audit, only closed book")
    passages = read_passages(items, (*PASSAGE, "score"), remarks)
    check_passages(passages)
    scored = [
        (passage.id, item.get("score"), path) for passage, (path, item) in zip(passages, items, strict=True)
    ]
    ranking, notes = rank(scored, "retrieve", remarks)
    return {
        "passages": passages,
        "context": [passage.id for passage in passages],
        "stages": [Stage("retrieve", "retrieve", ranking, notes=tuple(notes))],
        "relevance": read_relevance(_labels(obj, items, passages)),
    }


def _labels(
    obj: dict[str, Any], items: list[Item], passages: list[Passage]
) -> Iterator[tuple[object, object, str]]:
    """Every relevance label with its passage id and path: those of the mapping, then those on passages."""
    for key, label in as_mapping(obj.get("relevance", {}), "relevance").items():
        yield key, label, member("relevance", key)
    for passage, (path, item) in zip(passages, items, strict=True):
        yield passage.id, item.get("relevant"), f"{path}.relevant"
