"""Spans with OpenInference attributes: Phoenix exports of several ages, and OTLP JSON.

Attribute names: the OpenInference semantic conventions (Arize AI, ``spec/semantic_conventions.md``). Spans of
one trace may stand far apart in a file, so all are read before the first trace is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.trace.check import located
from boresight.trace.readers.attributes import at, nested, otlp_attributes
from boresight.trace.readers.documents import Document, documents_of
from boresight.trace.readers.messages import answer_of, question_of, turns_of
from boresight.trace.readers.rows import rows
from boresight.trace.readers.steps import Step, StepKind
from boresight.trace.readers.steps.groups import traces_of
from boresight.trace.readers.values import as_list, as_mapping_or_empty, unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from boresight.trace.readers.source import Found, Source

_KINDS: dict[str, StepKind] = {"RETRIEVER": "retrieve", "RERANKER": "rerank", "LLM": "generate"}
_OTLP = ("resourceSpans", "resource_spans")
_SCOPES = ("scopeSpans", "scope_spans", "instrumentationLibrarySpans")


_LISTS = ("data", "spans")
_SIGNS = {"span_kind", "spanKind", "spankind", "context", "kind", "parent_id", "span_id"}


def fits(source: Source) -> bool:
    """Whether the first record is a span with attributes, or an OTLP envelope."""
    record = source.first(*_LISTS)
    if any(key in record for key in (*_OTLP, *_SCOPES)) or "traceId" in record:
        return True
    named = {key.split(".")[0] for key in (*record, *source.columns)}
    span = "name" in named and "attributes" in named
    return span and bool(named & _SIGNS)


def read(source: Source) -> Iterator[Found]:
    """One trace for each trace id that holds passages.

    Raises:
        InputError: If no span holds a passage, or one holds a passage without text.
    """
    yield from traces_of(_steps(source), source)


def _steps(source: Source) -> Iterator[tuple[str, Step]]:
    for place, record in rows(source) if source.columns else source.objects(*_OTLP, *_LISTS):
        with located(f"{source.name}, {place}: "):
            steps = [_step(nested(span)) for span in _spans(record)]
        yield from ((place, step) for step in steps)


def _spans(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The spans of a line: itself, or those of an OTLP envelope with their attributes as an object."""
    scopes = [scope for key in _SCOPES for scope in as_list(record.get(key))]
    if not scopes:
        resources = [item for key in _OTLP for item in as_list(record.get(key))]
        if resources:
            for resource in resources:
                yield from _spans(as_mapping_or_empty(resource))
            return
        yield _otlp_span(record) if isinstance(record.get("attributes"), list) else record
    for scope in scopes:
        spans = as_list(as_mapping_or_empty(scope).get("spans"))
        yield from (_otlp_span(as_mapping_or_empty(span)) for span in spans)


def _otlp_span(span: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": span.get("name"),
        "context": {"trace_id": span.get("traceId"), "span_id": span.get("spanId")},
        "parent_id": span.get("parentSpanId"),
        "start_time": _nanoseconds(span.get("startTimeUnixNano")),
        "attributes": otlp_attributes(span.get("attributes")),
    }


def _nanoseconds(value: object) -> int | None:
    return int(value) if isinstance(value, str | int) and str(value).isdecimal() else None


def _step(span: Mapping[str, Any]) -> Step:
    attributes = nested(as_mapping_or_empty(span.get("attributes")))
    named = at(attributes, "openinference.span.kind") or span.get("span_kind") or span.get("spanKind")
    kind = _KINDS.get(str(named).rsplit(".", 1)[-1].upper(), "other")
    if kind == "other" and at(attributes, "retrieval.documents"):
        kind = "retrieve"
    start = _first(span, "start_time", "startTime")
    return Step(
        name=str(span.get("name") or kind),
        kind=kind,
        id=_identity(_first(span, "context.span_id", "context.spanId", "span_id", "id")),
        parent=_identity(_first(span, "parent_id", "parentId")),
        trace=_identity(_first(span, "context.trace_id", "context.traceId", "trace_id")),
        start=start if isinstance(start, str | int | float) else None,
        query=_query(attributes, kind),
        documents=_documents(attributes, kind),
        given=_documents_at(attributes, "reranker.input_documents"),
        cut=_whole(at(attributes, "reranker.top_k")),
        prompts=_prompts(attributes) if kind == "generate" else [],
        turns=turns_of(at(attributes, "llm.input_messages")) if kind == "generate" else [],
        answer=_answer(attributes, kind),
    )


def _first(span: Mapping[str, Any], *paths: str) -> Any:
    """What stands at the first of several paths that holds something."""
    return next((found for path in paths if isinstance(found := at(span, path), str | int | float)), None)


def _identity(value: object) -> str:
    return "" if value is None else str(value)


def _whole(value: object) -> int | None:
    """A count, which some exporters write as 2.0."""
    return int(value) if isinstance(value, int | float) and value >= 0 and value == int(value) else None


def _documents(attributes: object, kind: StepKind) -> list[Document]:
    path = "reranker.output_documents" if kind == "rerank" else "retrieval.documents"
    return _documents_at(attributes, path) if kind in {"retrieve", "rerank"} else []


def _documents_at(attributes: object, path: str) -> list[Document]:
    with located(f"{path}: "):
        return documents_of(nested(unpacked(at(attributes, path))))


def _query(attributes: object, kind: StepKind) -> str | None:
    if kind == "rerank" and isinstance(at(attributes, "reranker.query"), str):
        return str(at(attributes, "reranker.query"))
    if kind == "generate":
        return question_of(as_mapping_or_empty(at(attributes, "llm.prompt_template.variables")))
    value = at(attributes, "input.value")
    found = question_of(value)
    return str(value) if found is None and kind == "retrieve" and isinstance(value, str) else found


def _prompts(attributes: object) -> list[str]:
    """All texts that reached the model: messages, prompts, or what was filled into a template."""
    turns = [turn["content"] for turn in turns_of(at(attributes, "llm.input_messages"))]
    plain = [turn["content"] for turn in turns_of(at(attributes, "llm.prompts"))]
    if turns or plain:
        return turns or plain
    variables = as_mapping_or_empty(at(attributes, "llm.prompt_template.variables"))
    filled = [text for text in variables.values() if isinstance(text, str)]
    value = at(attributes, "input.value")
    return filled or ([value] if isinstance(value, str) else [])


def _answer(attributes: object, kind: StepKind) -> str | None:
    if kind in {"retrieve", "rerank"}:
        return None
    turns = turns_of(at(attributes, "llm.output_messages"))
    if turns:
        return turns[-1]["content"]
    value = at(attributes, "output.value")
    found = answer_of(value)
    return str(value) if found is None and kind == "generate" and isinstance(value, str) else found
