"""Passage, Stage and Trace: what one question of a RAG system went through. Immutable, keyed by id.

All are checked at construction, so that a trace made in Python is as sound as one read from a file. The
message of an error begins with the field that it is about.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003  type hints of the dataclasses resolve
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from boresight.errors import InputError
from boresight.trace.check import (
    as_choice,
    as_id,
    as_integer,
    as_mapping,
    as_number,
    as_optional_text,
    as_text,
    as_texts,
    listed,
    located,
    quoted,
    repeated,
)
from boresight.trace.frozen import EMPTY, freeze
from boresight.trace.rules import as_grades, as_ids, check_context, check_passages, members

StageKind = Literal["retrieve", "fuse", "filter", "rerank", "pack"]
Role = Literal["user", "assistant", "system"]

_KINDS: tuple[str, ...] = get_args(StageKind)
_ROLES: tuple[str, ...] = get_args(Role)
_set = object.__setattr__  # the one way to finish a frozen dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that could reach the prompt.

    Attributes:
        id: Identity within the trace; every result is keyed by it. Whole numbers become strings.
        text: The text, which may be empty.
        title: The title, or None.
        metadata: Any further JSON values of the source.

    Raises:
        InputError: If a field has the wrong type.
    """

    id: str
    text: str
    title: str | None = None
    metadata: Mapping[str, Any] = EMPTY

    def __post_init__(self) -> None:
        _set(self, "id", as_id(self.id, "id"))
        _set(self, "text", as_text(self.text, "text"))
        _set(self, "title", as_optional_text(self.title, "title"))
        _set(self, "metadata", freeze(as_mapping(self.metadata, "metadata"), "metadata"))


@dataclass(frozen=True, slots=True)
class Ranked:
    """One place of a ranking.

    Attributes:
        id: Passage id; the trace need not hold its text.
        score: The score that the stage gave, finite, or None where it gave none.

    Raises:
        InputError: If a field has the wrong type, or the score is not finite.
    """

    id: str
    score: float | None = None

    def __post_init__(self) -> None:
        _set(self, "id", as_id(self.id, "id"))
        if self.score is not None:
            _set(self, "score", as_number(self.score, "score"))


@dataclass(frozen=True, slots=True)
class Stage:
    """One step between the question and the prompt, with the ranking that left it.

    Attributes:
        name: Unique within the trace.
        kind: ``retrieve``, ``fuse``, ``filter``, ``rerank`` or ``pack``.
        ranking: Best first, as the stage gave it; scores may be in any order and are never re-sorted.
        cut: How many the stage was asked to keep, or None.
        notes: What a person should know, such as a score that was not finite.

    Raises:
        InputError: If a field has the wrong type, or an id stands in the ranking twice.
    """

    name: str
    kind: StageKind
    ranking: tuple[Ranked, ...]
    cut: int | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _set(self, "name", as_id(self.name, "name"))
        _set(self, "kind", as_choice(self.kind, _KINDS, "kind"))
        _set(self, "ranking", members(self.ranking, "ranking", Ranked))
        _set(self, "notes", as_texts(self.notes, "notes"))
        if self.cut is not None:
            _set(self, "cut", as_integer(self.cut, "cut"))
        if self.cut is not None and self.cut < 0:
            raise InputError(f"cut must be 0 or more, got {self.cut}")
        twice = repeated(place.id for place in self.ranking)
        if twice is not None:
            raise InputError(f"ranking holds the id {quoted(twice)} twice; keep its best place only")


@dataclass(frozen=True, slots=True)
class Turn:
    """One earlier message of a conversation.

    Attributes:
        role: ``user``, ``assistant`` or ``system``.
        content: What was said; may be empty.

    Raises:
        InputError: If the role is another word, or the content no string.
    """

    role: str
    content: str

    def __post_init__(self) -> None:
        _set(self, "role", as_choice(self.role, _ROLES, "role"))
        _set(self, "content", as_text(self.content, "content"))


@dataclass(frozen=True, slots=True)
class Trace:
    """One question, the passages, what each stage made of them, what reached the prompt, and the answer.

    Attributes:
        id: Identity within a run.
        query: The question; may be empty.
        passages: All passages whose text is known, in any order.
        context: Ids of the passages that reached the prompt, in prompt order.
        stages: The stages in the order in which they ran.
        history: Earlier turns of the conversation.
        answer: The recorded answer; None if there is none, while ``""`` is an empty answer.
        references: Correct answers.
        relevance: Grade per passage id, 0 for not relevant; ids without text are allowed.
        meta: Any further JSON values, by which results can be sliced.

    Raises:
        InputError: If a field has the wrong type or ids contradict each other.
    """

    id: str
    query: str
    passages: tuple[Passage, ...] = ()
    context: tuple[str, ...] = ()
    stages: tuple[Stage, ...] = ()
    history: tuple[Turn, ...] = ()
    answer: str | None = None
    references: tuple[str, ...] = ()
    relevance: Mapping[str, float] = EMPTY
    meta: Mapping[str, Any] = EMPTY

    def __post_init__(self) -> None:
        with located("trace: "):
            _set(self, "id", as_id(self.id, "id"))
        with located(f"trace {quoted(self.id)}: "):
            self._check_fields()
            check_passages(self.passages)
            check_context(self.context, self.passages)
            twice = repeated(stage.name for stage in self.stages)
            if twice is not None:
                raise InputError(f"stages holds two stages named {quoted(twice)}; give each its own name")

    def _check_fields(self) -> None:
        _set(self, "query", as_text(self.query, "query"))
        _set(self, "passages", members(self.passages, "passages", Passage))
        _set(self, "context", as_ids(self.context, "context"))
        _set(self, "stages", members(self.stages, "stages", Stage))
        _set(self, "history", members(self.history, "history", Turn))
        _set(self, "answer", as_optional_text(self.answer, "answer"))
        _set(self, "references", as_texts(self.references, "references"))
        _set(self, "relevance", as_grades(self.relevance))
        _set(self, "meta", freeze(as_mapping(self.meta, "meta"), "meta"))

    @property
    def context_passages(self) -> tuple[Passage, ...]:
        """The passages that reached the prompt, in prompt order."""
        by_id = {passage.id: passage for passage in self.passages}
        return tuple(by_id[key] for key in self.context)

    def passage(self, passage_id: str) -> Passage:
        """The passage of that id.

        Raises:
            InputError: If the trace holds no such passage.
        """
        for passage in self.passages:
            if passage.id == passage_id:
                return passage
        known = listed(passage.id for passage in self.passages)
        raise InputError(f"trace {quoted(self.id)} holds no passage {quoted(passage_id)}; it holds {known}")

    def last_ranking(self, name: str | None = None) -> Stage | None:
        """The ranking that counts as the retriever's.

        Args:
            name: Name of a stage; by default the last stage before packing.

        Returns:
            The stage, or None if the trace records no ranking before packing.

        Raises:
            InputError: If no stage has that name.
        """
        if name is None:
            return next((stage for stage in reversed(self.stages) if stage.kind != "pack"), None)
        for stage in self.stages:
            if stage.name == name:
                return stage
        known = listed(stage.name for stage in self.stages)
        raise InputError(f"trace {quoted(self.id)} has no stage {quoted(name)}; it has {known}")

    def with_stage(self, stage: Stage) -> Trace:
        """The trace with one more stage at the end."""
        return replace(self, stages=(*self.stages, stage))

    def with_answer(self, text: str | None) -> Trace:
        """The trace with another answer."""
        return replace(self, answer=text)
