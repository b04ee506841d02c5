"""Traces of LlamaIndex pipelines, by its instrumentation (``pip install "boresight[llama-index]"``).

    from boresight.trace.capture.llama_index import LlamaIndexCapture
    handler = LlamaIndexCapture("traces.jsonl").attach()
    engine.query(question)

Retrievers come with nodes and scores, rerankers with what they were given and what they kept. LlamaIndex
swallows what a handler raises, so faults are kept in ``file.problems``.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from boresight.errors import BoresightError, InputError
from boresight.trace.capture.sink import TraceFile
from boresight.trace.readers.documents import documents_of
from boresight.trace.readers.messages import turns_of
from boresight.trace.readers.steps import Step, assemble

try:
    from llama_index.core.instrumentation import get_dispatcher
    from llama_index.core.instrumentation.event_handlers import BaseEventHandler
    from llama_index.core.instrumentation.span import SimpleSpan
    from llama_index.core.instrumentation.span_handlers import BaseSpanHandler
    from llama_index.core.schema import NodeWithScore
    from pydantic import PrivateAttr
except ImportError as missing:
    raise BoresightError(
        'llama-index-core is not installed; run: pip install "boresight[llama-index]"'
    ) from missing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from inspect import BoundArguments
    from pathlib import Path

_UUID = 5  # parts of a UUID; a span's id is its name with one behind it
_PACKERS = {"LongContextReorder"}
"""Postprocessors that lay out the prompt, which says nothing about what is relevant."""


class LlamaIndexCapture:
    """Listens to LlamaIndex and writes one trace for each outermost call that retrieved passages.

    Args:
        target: JSONL file that traces are added to, a :class:`TraceFile`, or None to keep them in memory.

    Attributes:
        file: Where the traces go; ``file.traces`` and ``file.problems`` can be read.
    """

    def __init__(self, target: str | Path | TraceFile | None = None) -> None:
        self.file = target if isinstance(target, TraceFile) else TraceFile(target)
        self._open: dict[str, Step] = {}
        self._done: dict[str, list[Step]] = {}
        self._spans, self._events = _Spans(), _Events()
        self._spans.set_capture(self)
        self._events.set_capture(self)

    def attach(self) -> LlamaIndexCapture:
        """Begin to listen; returns itself."""
        dispatcher = get_dispatcher()
        dispatcher.add_span_handler(self._spans)
        dispatcher.add_event_handler(self._events)
        return self

    def detach(self) -> None:
        """Stop listening."""
        dispatcher = get_dispatcher()
        dispatcher.span_handlers = [one for one in dispatcher.span_handlers if one is not self._spans]
        dispatcher.event_handlers = [one for one in dispatcher.event_handlers if one is not self._events]

    def enter(self, span: str, parent: str | None, arguments: Mapping[str, Any]) -> None:
        """Remember a call that began, with the nodes that it was given."""
        above = self._open.get(parent or "")
        step = Step(
            name=span.rsplit("-", _UUID)[0],
            id=span,
            parent="" if above is None else above.id,
            trace=span if above is None else above.trace,
            start=time.monotonic(),
            query=_query(arguments),
        )
        if "postprocess_nodes" in step.name and _are_nodes(arguments.get("nodes")):
            step.kind, step.given = "postprocess", documents_of(arguments["nodes"])
        self._open[span] = step

    def leave(self, span: str, result: object = None) -> None:
        """Take in a call that ended; with the outermost one the trace is whole."""
        step = self._open.pop(span, None)
        if step is None:
            return
        if _are_nodes(result):
            step.documents = documents_of(result)
            step.kind = "retrieve" if step.kind == "other" else step.kind
            if step.name.split(".")[0] in _PACKERS:
                step.kind = "pack"
        elif step.trace == span and result is not None and hasattr(result, "source_nodes"):
            step.answer = _said(result)
        steps = self._done.setdefault(step.trace, [])
        steps.append(step)
        if step.trace == span:
            self._write(self._done.pop(span))

    def _write(self, steps: list[Step]) -> None:
        try:
            built = assemble(steps)
            if built is not None:
                self.file.add(*built)
        except InputError as error:
            self.file.problems.append(f"{steps[-1].name}: {error}")

    def note(self, event: Any) -> None:
        """Add what an event says to its call."""
        step, name = self._open.get(event.span_id or ""), event.class_name()
        if step is None:
            return
        if name in {"LLMCompletionStartEvent", "LLMChatStartEvent"}:
            step.kind = "generate"
            step.turns = turns_of(getattr(event, "messages", None))
            step.prompts = [turn["content"] for turn in step.turns] or [str(getattr(event, "prompt", ""))]
        elif name == "LLMPredictStartEvent":  # models of one's own often report no call but this
            step.kind = "generate"
            step.turns = turns_of(event.template.format_messages(**(event.template_args or {})))
            step.prompts = [turn["content"] for turn in step.turns]
        elif name == "LLMPredictEndEvent":
            step.answer = str(event.output)
        elif name == "LLMCompletionEndEvent":
            step.answer = event.response.text
        elif name == "LLMChatEndEvent" and event.response is not None:
            step.answer = event.response.message.content
        elif name == "ReRankStartEvent":
            step.kind, step.cut = "rerank", event.top_n


def _are_nodes(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(node, NodeWithScore) for node in value)


def _query(arguments: Mapping[str, Any]) -> str | None:
    """The question in the arguments of a call: a text or a query bundle."""
    for name in ("str_or_query_bundle", "query_bundle", "query", "message", "query_str"):
        value = arguments.get(name)
        text = value if isinstance(value, str) else getattr(value, "query_str", None)
        if text:
            return str(text)
    return None


def _said(response: Any) -> str | None:
    """The text of a finished response; a stream that nobody has read yet has none."""
    text = getattr(response, "response", None)
    return text if isinstance(text, str) else None


class _Spans(BaseSpanHandler[SimpleSpan]):
    """Hands the calls to the capture."""

    _capture: LlamaIndexCapture = PrivateAttr()

    def set_capture(self, capture: LlamaIndexCapture) -> None:
        self._capture = capture

    def new_span(
        self,
        id_: str,
        bound_args: BoundArguments,
        instance: Any | None = None,  # noqa: ARG002 - the library's signature
        parent_span_id: str | None = None,
        tags: dict[str, Any] | None = None,  # noqa: ARG002
        **_: Any,
    ) -> SimpleSpan:
        self._capture.enter(id_, parent_span_id, bound_args.arguments)
        return SimpleSpan(id_=id_, parent_id=parent_span_id)

    def prepare_to_exit_span(
        self,
        id_: str,
        bound_args: BoundArguments,  # noqa: ARG002
        instance: Any | None = None,  # noqa: ARG002
        result: Any | None = None,
        **_: Any,
    ) -> SimpleSpan | None:
        self._capture.leave(id_, result)
        return self.open_spans.get(id_)

    def prepare_to_drop_span(
        self,
        id_: str,
        bound_args: BoundArguments,  # noqa: ARG002
        instance: Any | None = None,  # noqa: ARG002
        err: BaseException | None = None,  # noqa: ARG002
        **_: Any,
    ) -> SimpleSpan | None:
        self._capture.leave(id_)
        return self.open_spans.get(id_)


class _Events(BaseEventHandler):
    """Hands the events to the capture."""

    _capture: LlamaIndexCapture = PrivateAttr()

    def set_capture(self, capture: LlamaIndexCapture) -> None:
        self._capture = capture

    def handle(self, event: Any, **_: Any) -> None:
        self._capture.note(event)
