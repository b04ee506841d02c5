"""A trace by explicit calls, for pipelines of one's own."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, get_args

from boresight.errors import InputError
from boresight.trace.capture.sink import TraceFile
from boresight.trace.check import as_choice, as_text
from boresight.trace.ids import FreshIds
from boresight.trace.readers.documents import as_document
from boresight.trace.readers.gaps import FIELD
from boresight.trace.readers.steps.identity import Passages
from boresight.trace.types import StageKind, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


class Recording:
    """One question on its way through a pipeline; made by :func:`capture`."""

    def __init__(self, query: str, fields: dict[str, Any]) -> None:
        self._query = as_text(query, "query")
        self._fields = fields
        self._passages = Passages()
        self._names = FreshIds()
        self._stages: list[dict[str, Any]] = []
        self._context: list[str] | None = None
        self._answer: str | None = None

    def stage(self, name: str, kind: StageKind, passages: Iterable[Any], cut: int | None = None) -> None:
        """Record what left a stage.

        Args:
            name: What the stage is called; a repeated name gets ``#2`` and on.
            kind: ``retrieve``, ``fuse``, ``filter``, ``rerank`` or ``pack``.
            passages: Best first: texts, objects with ``text`` and as far as known ``id`` and ``score``, pairs
                of passage and score, LangChain documents or LlamaIndex nodes.
            cut: How many the stage was to keep.

        Raises:
            InputError: If the kind is unknown or a passage has no text.
        """
        as_choice(kind, get_args(StageKind), "kind")
        places = self._passages.ranking([as_document(passage) for passage in passages])
        stage = {"name": self._names.fresh(name), "kind": kind, "ranking": places}
        self._stages.append(stage if cut is None else {**stage, "cut": cut})

    def context(self, passages: Iterable[Any]) -> None:
        """Record the passages that reach the prompt, in prompt order; without it, the last stage counts.

        Raises:
            InputError: If a passage has no text.
        """
        places = self._passages.ranking([as_document(passage) for passage in passages])
        self._context = [place["id"] for place in places]

    def answer(self, text: str) -> None:
        """Record the answer.

        Raises:
            InputError: If it is no string.
        """
        self._answer = as_text(text, "answer")

    def finish(self) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The object of the trace in the long form, and remarks.

        Raises:
            InputError: If neither a stage nor a context was recorded.
        """
        if not self._stages and self._context is None:
            raise InputError(
                f"nothing was recorded for {self._query!r}; call stage() or context() at least once"
            )
        gaps = ["passage ids"] if self._passages.made_ids else []
        context = self._context
        if context is None:
            context, gaps = [place["id"] for place in self._stages[-1]["ranking"]], [*gaps, "context"]
        meta = {**dict(self._fields.pop("meta") or {}), **({FIELD: gaps} if gaps else {})}
        item = {
            **self._fields,
            "query": self._query,
            "passages": self._passages.all(),
            "stages": self._stages,
            "context": context,
            "answer": self._answer,
            "meta": meta,
        }
        return item, tuple(self._passages.remarks)


@contextmanager
def capture(
    target: str | Path | TraceFile,
    query: str,
    *,
    trace_id: str | None = None,
    history: Iterable[Mapping[str, str] | Turn] = (),
    references: str | Iterable[str] = (),
    relevance: Mapping[str, float] | None = None,
    meta: Mapping[str, Any] | None = None,
) -> Iterator[Recording]:
    """Record one question; the trace is written when the block ends, and not if it raises.

    Args:
        target: JSONL file that the trace is added to, or a :class:`TraceFile`.
        query: The question.
        trace_id: Identity of the trace; made from the query when None.
        history: Earlier turns.
        references: Correct answers.
        relevance: Grade per passage id.
        meta: Further JSON values.

    Yields:
        The recording; call its ``stage``, ``context`` and ``answer``.

    Raises:
        InputError: If something has the wrong type, or nothing was recorded.
    """
    turns = [
        {"role": turn.role, "content": turn.content} if isinstance(turn, Turn) else turn for turn in history
    ]
    fields = {
        "id": trace_id,
        "history": turns,
        "references": references if isinstance(references, str) else list(references),
        "relevance": relevance,
        "meta": meta,
    }
    recording = Recording(query, fields)
    yield recording
    sink = target if isinstance(target, TraceFile) else TraceFile(target)
    sink.add(*recording.finish())
