"""The two forms of a trace, from a JSON object to a :class:`Trace`.

The long form holds ``stages`` and ``context``. The short form holds ``passages`` in rank order: one retrieve stage
whose order is also the context.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from boresight.errors import InputError
from boresight.trace.check import as_id, as_mapping, as_number, as_text, as_texts, as_tuple, located
from boresight.trace.ids import FreshIds, passage_id, trace_id
from boresight.trace.mend import finite_score, mend_numbers, mend_text
from boresight.trace.types import Passage, Ranked, Stage, Trace, Turn, check_passages, listed, same_content

_TOP = frozenset(
    ["id", "query", "history", "passages", "stages", "context", "answer", "answers", "references", "relevance", "meta"]
)
_PASSAGE = frozenset(["id", "text", "title", "metadata", "relevant"])
_STAGE = frozenset(["name", "kind", "ranking", "cut", "notes"])
_RANKED = frozenset(["id", "score"])
_TURN = frozenset(["role", "content"])


@dataclass(frozen=True, slots=True)
class Parsed:
    """A trace with what a person should know about its reading.

    Attributes:
        trace: The trace.
        warnings: Sentences that begin with the field they are about, without the trace's name.
        id_given: Whether the source gave the trace id.
    """

    trace: Trace
    warnings: tuple[str, ...]
    id_given: bool


def trace_from_dict(obj: Mapping[str, Any], where: str = "") -> Trace:
    """The trace of a JSON object in the long or the short form.

    What had to be mended or left out is told by :func:`warnings.warn`.

    Args:
        obj: The object; in the long form it holds ``stages`` or ``context``.
        where: What the object is, such as file and line; put before every message.

    Raises:
        InputError: If the object is no sound trace; the message names the field and the fix.
    """
    parsed = parse_trace(obj, where)
    prefix = f"{where}: " if where else ""
    for text in parsed.warnings:
        warnings.warn(f"{prefix}trace {parsed.trace.id!r}: {text}", UserWarning, stacklevel=2)
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
    with located(f"{where}: " if where else ""):
        if not isinstance(obj, Mapping):
            as_mapping(obj, "a trace")
        mended: list[str] = []
        parser = _Parser(mend_text(obj, mended))
        query, name, given = parser.identity(FreshIds() if ids is None else ids)
        with located(f"trace {name!r}: "):
            fields = parser.fields()
        if mended:
            parser.warn(f"{listed(mended)}: lone surrogates were replaced by U+FFFD")
        return Parsed(Trace(name, query, **fields), tuple(parser.warnings), given)


class _Parser:
    """Reads the fields of one object, which is plain JSON without lone surrogates, and collects warnings."""

    def __init__(self, obj: dict[str, Any]) -> None:
        self._obj = {key: value for key, value in obj.items() if value is not None}
        self._is_long = "stages" in self._obj or "context" in self._obj
        self._ignored: dict[str, set[str]] = {}
        self._grades: dict[str, float] = {}
        self._scores: dict[str, float | None] = {}
        self._not_finite: list[str] = []
        self.warnings: list[str] = []

    def warn(self, text: str) -> None:
        """Add a warning once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def identity(self, ids: FreshIds) -> tuple[str, str, bool]:
        """Query, id, and whether the source gave the id."""
        if "query" not in self._obj:
            raise InputError("query is missing; every trace needs one")
        query = as_text(self._obj["query"], "query")
        if not query:
            self.warn("query is empty")
        if "id" in self._obj:
            return query, as_id(self._obj["id"], "id"), True
        return query, ids.fresh(trace_id(query)), False

    def fields(self) -> dict[str, Any]:
        """All other arguments of :class:`Trace`."""
        passages = self._passages()
        check_passages(passages)
        self._relevance()
        long = self._is_long
        fields = {
            "passages": passages,
            "stages": self._stages() if long else (self._retrieve_stage(passages),),
            "context": self._context() if long else [passage.id for passage in passages],
            "history": self._history(),
            "answer": self._obj.get("answer"),
            "references": self._references(),
            "relevance": self._grades,
            "meta": self._extended("meta", self._obj, _TOP, ""),
        }
        self._warn_of_ignored()
        return fields

    def _passages(self) -> tuple[Passage, ...]:
        if "passages" not in self._obj and not self._is_long:
            self.warn("passages is missing, so only closed book can be audited")
        items = _objects(self._obj, "passages", "")
        given = {as_id(item["id"], f"{path}.id") for path, item in items if item.get("id") is not None}
        ids = FreshIds(given)
        passages = [self._passage(item, path, ids) for path, item in items]
        return self._without_copies(passages) if self._is_long else tuple(passages)

    def _passage(self, item: dict[str, Any], path: str, ids: FreshIds) -> Passage:
        known = _PASSAGE if self._is_long else _PASSAGE | {"score"}
        text, title = _required(item, "text", path), item.get("title")
        with located(f"{path}."):
            metadata = self._extended("metadata", item, known, f"{path}.")
            key = item.get("id")
            key = ids.fresh(passage_id(title, text)) if key is None else as_id(key, "id")
            passage = Passage(key, text, title, metadata)
            if not self._is_long:
                self._scores[key] = self._score(item, key, "score")
        self._grade(key, item.get("relevant"), f"{path}.relevant")
        return passage

    def _without_copies(self, passages: list[Passage]) -> tuple[Passage, ...]:
        """Keep the first of passages that agree in id and content; the others are for the checks to refuse."""
        kept: dict[str, Passage] = {}
        distinct: list[Passage] = []
        for passage in passages:
            before = kept.setdefault(passage.id, passage)
            if before is not passage and same_content(before, passage):
                lost = "" if before.metadata == passage.metadata else ", with the metadata of the first"
                self.warn(f"passages holds {passage.id!r} twice with the same text; it is kept once{lost}")
            else:
                distinct.append(passage)
        return tuple(distinct)

    def _score(self, item: dict[str, Any], passage: str, path: str) -> float | None:
        score, not_finite = finite_score(item.get("score"), path)
        if not_finite:
            self._not_finite.append(passage)
        return score

    def _score_notes(self, stage: object) -> list[str]:
        """Notes on the scores of the ranking read last, and a warning about them."""
        lost, self._not_finite = self._not_finite, []
        if lost:
            self.warn(f"stage {stage!r}: scores that are not finite count as absent: {listed(lost)}")
        return [f"score of {passage} was not finite" for passage in lost]

    def _grade(self, passage: str, value: object, path: str) -> None:
        """Record a relevance label; null is none."""
        if value is None:
            return
        grade = as_number(int(value) if isinstance(value, bool) else value, path)
        if self._grades.setdefault(passage, grade) != grade:
            raise InputError(f"{path} contradicts another label of {passage!r}; keep one of them")

    def _relevance(self) -> None:
        for key, value in as_mapping(self._obj.get("relevance", {}), "relevance").items():
            self._grade(as_id(key, "a key of relevance"), value, f"relevance.{key}")

    def _retrieve_stage(self, passages: tuple[Passage, ...]) -> Stage:
        ranking = tuple(Ranked(passage.id, self._scores[passage.id]) for passage in passages)
        return Stage("retrieve", "retrieve", ranking, notes=tuple(self._score_notes("retrieve")))

    def _context(self) -> tuple[Any, ...]:
        if "context" not in self._obj:
            raise InputError("context is missing beside stages; add the ids of the passages that reached the prompt")
        return as_tuple(self._obj["context"], "context")

    def _stages(self) -> list[Stage]:
        return [self._stage(item, path) for path, item in _objects(self._obj, "stages", "")]

    def _stage(self, item: dict[str, Any], path: str) -> Stage:
        self._note_unknown(item, _STAGE, "stages[]")
        name, kind, _ = (_required(item, key, path) for key in ("name", "kind", "ranking"))
        ranking = [self._ranked(place, at) for at, place in _objects(item, "ranking", f"{path}.")]
        with located(f"{path}."):
            notes = as_texts(item.get("notes") or [], "notes")
            return Stage(name, kind, tuple(ranking), item.get("cut"), (*notes, *self._score_notes(name)))

    def _ranked(self, item: dict[str, Any], path: str) -> Ranked:
        self._note_unknown(item, _RANKED, "stages[].ranking[]")
        with located(f"{path}."):
            passage = as_id(item.get("id"), "id")
            return Ranked(passage, self._score(item, passage, "score"))

    def _history(self) -> list[Turn]:
        turns = []
        for path, item in _objects(self._obj, "history", ""):
            self._note_unknown(item, _TURN, "history[]")
            role, content = (_required(item, key, path) for key in ("role", "content"))
            with located(f"{path}."):
                turns.append(Turn(role, content))
        return turns

    def _references(self) -> tuple[str, ...]:
        """Correct answers, under either of their two names."""
        found = {key: as_texts(self._obj[key], key) for key in ("references", "answers") if key in self._obj}
        if len(set(found.values())) > 1:
            raise InputError("answers and references are both given and differ; keep one of them")
        return next(iter(found.values()), ())

    def _extended(self, field: str, item: dict[str, Any], known: frozenset[str], path: str) -> dict[str, Any]:
        """The free mapping ``field`` of ``item``, joined by the fields that have no other place."""
        free = dict(as_mapping({} if item.get(field) is None else item[field], field))
        for key in item.keys() - known:
            if key in free:
                raise InputError(f"{key} is given beside {field}.{key}; keep one of them")
        ...

    def _note_unknown(self, item: dict[str, Any], known: frozenset[str], path: str) -> None:
        """Remember fields that have no place, for one warning a kind of object."""
        unknown = [str(key) for key in item if key not in known]
        if unknown:
            self._ignored.setdefault(path, set()).update(unknown)
