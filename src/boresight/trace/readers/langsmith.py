"""LangChain run trees, as LangSmith exports them and tracers hold them: nested, or one run a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from boresight.trace.check import located
from boresight.trace.readers.documents import documents_of
from boresight.trace.readers.messages import answer_of, question_of, turns_of
from boresight.trace.readers.steps import Step, StepKind
from boresight.trace.readers.steps.groups import traces_of
from boresight.trace.readers.values import as_list, as_mapping_or_empty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boresight.trace.readers.source import Found, Source

_KINDS: dict[str, StepKind] = {"retriever": "retrieve", "llm": "generate", "chat_model": "generate"}


def fits(source: Source) -> bool:
    """Whether the first record is a run."""
    return {"run_type", "inputs"} <= set(source.first("runs"))


def read(source: Source) -> Iterator[Found]:
    """One trace for each root run that holds passages.

    Raises:
        InputError: If no run holds a passage, or one holds a passage without text.
    """
    yield from traces_of(_steps(source), source)


def _steps(source: Source) -> Iterator[tuple[str, Step]]:
    for place, run in source.objects("runs"):
        with located(f"{source.name}, {place}: "):
            steps = list(steps_of(run))
        yield from ((place, step) for step in steps)


def steps_of(run: Mapping[str, Any], trace: str = "") -> Iterator[Step]:
    """The steps of a run and of all runs in it.

    Args:
        run: A run as an object.
        trace: Identity of the root run; the run's own if empty.

    Raises:
        InputError: If a document has no text.
    """
    inputs, outputs = as_mapping_or_empty(run.get("inputs")), as_mapping_or_empty(run.get("outputs"))
    kind = _KINDS.get(str(run.get("run_type")), "other")
    name, own = str(run.get("name") or kind), str(run.get("id") or "")
    trace = trace or str(run.get("trace_id") or own)
    documents = documents_of(outputs.get("documents")) if kind == "retrieve" else []
    if kind == "other" and _is_compressor(inputs, outputs):
        kind, documents = "rerank", documents_of(outputs["output"])
    yield Step(
        name=name,
        kind=kind,
        id=own,
        parent=str(run.get("parent_run_id") or ""),
        trace=trace,
        start=_start(run.get("start_time")),
        query=None if kind == "generate" else question_of(inputs),
        documents=documents,
        given=documents_of(inputs.get("documents")) if kind == "rerank" else [],
        prompts=_prompts(inputs) if kind == "generate" else _filled(run, outputs),
        turns=turns_of(inputs.get("messages")) if kind == "generate" else [],
        answer=_answer(kind, outputs),
    )
    for child in as_list(run.get("child_runs")):
        yield from steps_of(as_mapping_or_empty(child), trace)


def _is_compressor(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> bool:
    """Whether a step took documents and gave documents, as rerankers do that are plain runnables."""
    given, left = as_list(inputs.get("documents")), as_list(outputs.get("output"))
    return bool(given and left) and all(map(_is_document, (*given, *left)))


def _is_document(value: object) -> bool:
    if hasattr(value, "page_content"):
        return True
    return isinstance(value, Mapping) and (
        "page_content" in value or "page_content" in value.get("kwargs", {})
    )


def _prompts(inputs: Mapping[str, Any]) -> list[str]:
    return [turn["content"] for key in ("messages", "prompts") for turn in turns_of(inputs.get(key))]


def _filled(run: Mapping[str, Any], outputs: Mapping[str, Any]) -> list[str]:
    """What a filled template gives, for chains whose model is a plain function."""
    if run.get("run_type") != "prompt":
        return []
    output: Any = outputs.get("output")
    if hasattr(output, "to_string"):
        return [str(output.to_string())]
    return [turn["content"] for turn in turns_of([as_mapping_or_empty(output)])]


def _answer(kind: StepKind, outputs: Mapping[str, Any]) -> str | None:
    if kind in {"retrieve", "rerank"}:
        return None
    for batch in as_list(outputs.get("generations"))[:1]:
        first = next(iter(as_list(batch)), None)
        return answer_of(first)
    return answer_of(_with_text(outputs))


def _with_text(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs with the text of a message object in its place."""
    return {key: getattr(held, "content", held) for key, held in outputs.items()}


def _start(value: object) -> str | float | None:
    if isinstance(value, str | int | float):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else None
