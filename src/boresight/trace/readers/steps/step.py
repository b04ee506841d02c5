"""One recorded step of a pipeline, whatever tool recorded it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from boresight.trace.readers.documents import Document

StepKind = Literal["retrieve", "rerank", "postprocess", "pack", "generate", "other"]
"""``postprocess`` filters or reranks, which its rankings tell; ``other`` is whatever makes no ranking."""


@dataclass(slots=True)
class Step:
    """A span, event or run, in the words that matter for a trace.

    Attributes:
        name: What the tool calls it.
        kind: What it did.
        id: Its identity, empty if none is recorded.
        parent: Identity of the step that it is part of, empty if none is.
        trace: Identity of the question that it belongs to, empty if none is recorded.
        start: When it began, as text or number of one kind in one file; None if not recorded.
        query: The question that it was given, None if that cannot be told.
        documents: The passages that left it, best first.
        given: The passages that a reranker was given.
        cut: How many it was asked to keep.
        prompts: Texts that reached a model.
        turns: Chat messages that reached a model, ``{"role", "content"}``.
        answer: What it returned, as text.
    """

    name: str
    kind: StepKind = "other"
    id: str = ""
    parent: str = ""
    trace: str = ""
    start: str | float | None = None
    query: str | None = None
    documents: list[Document] = field(default_factory=list)
    given: list[Document] = field(default_factory=list)
    cut: int | None = None
    prompts: list[str] = field(default_factory=list)
    turns: list[dict[str, str]] = field(default_factory=list)
    answer: str | None = None


def in_time(steps: list[Step]) -> list[Step]:
    """The steps by the time when they began, in the recorded order if a time is missing."""
    texts = [step.start for step in steps if isinstance(step.start, str)]
    numbers = [step.start for step in steps if isinstance(step.start, int | float)]
    if len(texts) == len(steps) or len(numbers) == len(steps):
        return sorted(steps, key=lambda step: step.start)  # type: ignore[arg-type,return-value]
    return steps
