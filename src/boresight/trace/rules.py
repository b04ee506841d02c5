"""What must hold among the fields of a trace; each message begins with the field that it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import InputError
from boresight.trace.check import as_id, as_mapping, as_number, as_tuple, describe, member, quoted, repeated
from boresight.trace.frozen import FrozenDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.trace.types import Passage


def members(value: object, path: str, kind: type) -> tuple[Any, ...]:
    """A tuple whose members are all of one of our types."""
    found = as_tuple(value, path)
    for index, item in enumerate(found):
        if not isinstance(item, kind):
            raise InputError(f"{path}[{index}] must be a {kind.__name__}, got {describe(item)}")
    return found


def as_ids(value: object, path: str) -> tuple[str, ...]:
    """Passage ids in the given order."""
    return tuple(as_id(item, f"{path}[{index}]") for index, item in enumerate(as_tuple(value, path)))


def as_grades(value: object) -> FrozenDict:
    """Relevance as finite floats; true and false count as 1 and 0."""
    grades: dict[str, float] = {}
    for key, grade in as_mapping(value, "relevance").items():
        passage_id = as_id(key, "a key of relevance")
        if passage_id in grades:
            raise InputError(f"relevance holds the id {quoted(passage_id)} twice; keep one grade")
        number = int(grade) if isinstance(grade, bool) else grade
        grades[passage_id] = as_number(number, member("relevance", passage_id))
    return FrozenDict(grades)


def check_passages(passages: Sequence[Passage]) -> None:
    """Refuse an id that stands for two passages."""
    first: dict[str, int] = {}
    for index, passage in enumerate(passages):
        before = first.setdefault(passage.id, index)
        if before == index:
            continue
        both = f"passages[{before}] and passages[{index}] share the id {quoted(passage.id)}"
        if same_content(passages[before], passage):
            raise InputError(
                f"{both}; an id may stand in a trace or context once, so take one out or leave the ids out"
            )
        raise InputError(f"{both} but differ in text or title; give each its own id, or leave the ids out")


def check_context(context: tuple[str, ...], passages: tuple[Passage, ...]) -> None:
    """Refuse ids that the context repeats, or whose text is unknown."""
    twice = repeated(context)
    if twice is not None:
        raise InputError(f"context holds the id {quoted(twice)} twice; a copy of a passage needs its own id")
    known = {passage.id for passage in passages}
    for index, passage_id in enumerate(context):
        if passage_id not in known:
            raise InputError(
                f"context[{index}] is {quoted(passage_id)}, which passages lacks; add it there or take it out"
            )


def same_content(one: Passage, other: Passage) -> bool:
    """Whether two passages have the same text and title (no title is the empty title)."""
    return one.text == other.text and (one.title or "") == (other.title or "")
