"""TruLens events in the OpenTelemetry form: JSON Lines, or the CSV of its event table.

Attribute names: TruLens ``trulens.otel.semconv.trace.SpanAttributes``. TruLens records texts only, so
passages have no ids and no scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import InputError
from boresight.trace.check import located
from boresight.trace.readers.documents import documents_of
from boresight.trace.readers.messages import question_of
from boresight.trace.readers.rows import rows
from boresight.trace.readers.steps import Step, StepKind
from boresight.trace.readers.steps.groups import traces_of
from boresight.trace.readers.values import as_list, as_mapping_or_empty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boresight.trace.readers.source import Found, Source

_PREFIX = "ai.observability."
_KINDS: dict[str, StepKind] = {"retrieval": "retrieve", "reranking": "rerank", "generation": "generate"}
_ARGUMENTS = f"{_PREFIX}call.kwargs."


def fits(source: Source) -> bool:
    """Whether the first event has record attributes."""
    return "record_attributes" in source.record or "record_attributes" in source.columns


def read(source: Source) -> Iterator[Found]:
    """One trace for each record that holds retrieved contexts.

    Raises:
        InputError: If no event holds a passage.
    """
    steps = list(_steps(source))
    _mark_model_calls([step for _, step in steps])
    yield from traces_of(steps, source)


def _steps(source: Source) -> Iterator[tuple[str, Step]]:
    placed = rows(source) if source.columns else source.objects()
    for place, fields in placed:
        with located(f"{source.name}, {place}: "):
            attributes = as_mapping_or_empty(fields.get("record_attributes"))
            if not attributes:
                raise InputError("record_attributes is missing; export the whole event table")
            step = _step(fields, attributes)
        yield place, step


def _step(event: dict[str, Any], attributes: dict[str, Any]) -> Step:
    identity, record = as_mapping_or_empty(event.get("trace")), as_mapping_or_empty(event.get("record"))
    named = str(attributes.get(f"{_PREFIX}span_type"))
    function = str(attributes.get(f"{_PREFIX}call.function") or record.get("name") or named)
    kind = _KINDS.get(named, "other")
    return Step(
        name=".".join(function.split(".")[-2:]),
        kind=kind,
        id=str(identity.get("span_id") or event.get("event_id") or ""),
        parent=str(identity.get("parent_id") or record.get("parent_span_id") or ""),
        trace=str(attributes.get(f"{_PREFIX}record_id") or identity.get("trace_id") or ""),
        start=event.get("start_timestamp") if isinstance(event.get("start_timestamp"), str) else None,
        query=_query(attributes, named),
        documents=documents_of(_contexts(attributes, kind)),
        given=documents_of(attributes.get(f"{_PREFIX}reranking.input_context_texts")),
        cut=_whole(attributes.get(f"{_PREFIX}reranking.top_n")),
        prompts=list(_texts({key: held for key, held in attributes.items() if key.startswith(_ARGUMENTS)})),
        answer=_answer(attributes, named),
    )


def _contexts(attributes: dict[str, Any], kind: StepKind) -> object:
    if kind == "retrieve":
        return attributes.get(f"{_PREFIX}retrieval.retrieved_contexts")
    if kind == "rerank":
        return attributes.get(f"{_PREFIX}reranking.output_context_texts")
    return None


def _query(attributes: dict[str, Any], named: str) -> str | None:
    fields = {"record_root": "record_root.input", "retrieval": "retrieval.query_text",
              "reranking": "reranking.query_text"}  # fmt: skip
    return question_of(attributes.get(f"{_PREFIX}{fields[named]}")) if named in fields else None


def _answer(attributes: dict[str, Any], named: str) -> str | None:
    field = "record_root.output" if named == "record_root" else "call.return"
    value = attributes.get(f"{_PREFIX}{field}")
    return value if isinstance(value, str) and named in {"record_root", "generation"} else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _texts(value: object) -> Iterator[str]:
    """All texts in the arguments of a call."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    else:
        for item in as_list(value) if isinstance(value, list) else ():
            yield from _texts(item)


def _mark_model_calls(steps: list[Step]) -> None:
    """Where no event is a generation, the innermost calls that are given a text count as the model's."""
    generating = {step.trace for step in steps if step.kind == "generate"}
    callers = {step.parent for step in steps}
    for step in steps:
        if step.kind == "other" and step.trace not in generating and step.id not in callers and step.prompts:
            step.kind = "generate"
