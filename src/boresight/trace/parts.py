"""The parts of a trace, from JSON objects: passages, stages, turns, relevance, references and free fields."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from boresight.errors import InputError
from boresight.trace.check import (
    as_id,
    as_mapping,
    as_number,
    as_texts,
    as_tuple,
    listed,
    located,
    member,
    quoted,
)
from boresight.trace.ids import FreshIds, passage_id
from boresight.trace.mend import finite_score, mend_numbers
from boresight.trace.rules import same_content
from boresight.trace.types import Passage, Ranked, Stage, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from boresight.trace.remarks import Remarks

Item = tuple[str, dict[str, Any]]
"""A JSON object and its path."""

PASSAGE = ("id", "text", "title", "metadata", "relevant")
_STAGE = ("name", "kind", "ranking", "cut", "notes")
_RANKED = ("id", "score")
_TURN = ("role", "content")


def objects(value: object, path: str) -> list[Item]:
    """The JSON objects of a list, each with its path.

    Raises:
        InputError: If the value is no list of objects.
    """
    paths = ((f"{path}[{index}]", item) for index, item in enumerate(as_tuple(value, path)))
    return [(at, dict(as_mapping(item, at))) for at, item in paths]


def read_passages(items: list[Item], known: tuple[str, ...], remarks: Remarks) -> list[Passage]:
    """One passage an item; those without id get one from their content.

    Args:
        items: The objects.
        known: Fields that have a place of their own; all others join the metadata.
        remarks: Gains warnings.

    Raises:
        InputError: If a field is missing or has the wrong type.
    """
    ids = FreshIds(as_id(item["id"], f"{path}.id") for path, item in items if item.get("id") is not None)
    return [_passage(item, path, known, ids, remarks) for path, item in items]


def _passage(
    item: dict[str, Any], path: str, known: tuple[str, ...], ids: FreshIds, remarks: Remarks
) -> Passage:
    (text,) = _required(item, ("text",), path)
    metadata = extended("metadata", item, known, path, remarks)
    key, title = item.get("id"), item.get("title")
    with located(f"{path}."):
        return Passage(ids.fresh(passage_id(title, text)) if key is None else key, text, title, metadata)


def without_copies(passages: list[Passage], remarks: Remarks) -> list[Passage]:
    """Keep the first of passages with one id and the same content; a warning names it."""
    first: dict[str, Passage] = {}
    distinct: list[Passage] = []
    for passage in passages:
        before = first.setdefault(passage.id, passage)
        if before is passage or not same_content(before, passage):
            distinct.append(passage)
            continue
        rest = "" if before.metadata == passage.metadata else ", with its first metadata"
        remarks.add(
            f"passages holds {quoted(passage.id)} more than once with the same text; it is kept once{rest}"
        )
    return distinct


def read_stage(item: dict[str, Any], path: str, remarks: Remarks) -> Stage:
    """The stage of an object of the long form.

    Raises:
        InputError: If a field is missing or has the wrong type, or an id is ranked twice.
    """
    remarks.unknown(item, _STAGE, "stages[]")
    name, kind, ranking = _required(item, ("name", "kind", "ranking"), path)
    places = objects(ranking, f"{path}.ranking")
    for _, place in places:
        remarks.unknown(place, _RANKED, "stages[].ranking[]")
    scored = [(_required(place, ("id",), at)[0], place.get("score"), at) for at, place in places]
    ranked, lost = rank(scored, name, remarks)
    with located(f"{path}."):
        notes = as_texts(() if item.get("notes") is None else item["notes"], "notes")
        return Stage(name, kind, ranked, item.get("cut"), (*notes, *lost))


def rank(
    scored: Iterable[tuple[Any, object, str]], stage: object, remarks: Remarks
) -> tuple[tuple[Ranked, ...], list[str]]:
    """A ranking in the given order; scores that are not finite become absent.

    Args:
        scored: Passage id, score and path of each place.
        stage: Name of the stage, for the warning.
        remarks: Gains a warning.

    Returns:
        The places, and a note for each score that was not finite.
    """
    places: list[Ranked] = []
    lost: list[str] = []
    for passage, value, path in scored:
        with located(f"{path}."):
            score, was_finite = finite_score(value, "score")
            places.append(Ranked(passage, score))
        if not was_finite:
            lost.append(places[-1].id)
    if lost:
        remarks.add(
            f"stage {quoted(str(stage))} has scores that are not finite; they count as absent: {listed(lost)}"
        )
    return tuple(places), [f"score of {passage} was not finite" for passage in lost]


def read_turn(item: dict[str, Any], path: str, remarks: Remarks) -> Turn:
    """The turn of an object.

    Raises:
        InputError: If a field is missing or has the wrong type, or the role is unknown.
    """
    remarks.unknown(item, _TURN, "history[]")
    role, content = _required(item, _TURN, path)
    with located(f"{path}."):
        return Turn(role, content)


def read_relevance(labels: Iterator[tuple[object, object, str]]) -> dict[str, float]:
    """Grades by passage id; null is no label.

    Args:
        labels: Passage id, label and path of the label.

    Raises:
        InputError: If a label is neither number, true, false nor null, or two labels of a passage differ.
    """
    grades: dict[str, float] = {}
    for key, label, path in labels:
        if label is None:
            continue
        passage = as_id(key, f"the key of {path}")
        grade = as_number(int(label) if isinstance(label, bool) else label, path)
        if grades.setdefault(passage, grade) != grade:
            raise InputError(
                f"{path} contradicts another label of passage {quoted(passage)}; keep one of them"
            )
    return grades


def read_references(obj: Mapping[str, Any]) -> tuple[str, ...]:
    """Correct answers, under either of their two names.

    Raises:
        InputError: If they are no strings, or both names are used and differ.
    """
    found = {key: as_texts(obj[key], key) for key in ("references", "answers") if obj.get(key) is not None}
    if len(set(found.values())) > 1:
        raise InputError("references and answers are both given and differ; keep one of them")
    return next(iter(found.values()), ())


def extended(
    field: str, item: Mapping[str, Any], known: tuple[str, ...], path: str, remarks: Remarks
) -> dict[str, Any]:
    """A free mapping of an object, joined by those fields of the object that have no place of their own.

    Args:
        field: ``meta`` or ``metadata``.
        item: The object.
        known: Its fields that have a place.
        path: Path of the object.
        remarks: Gains a warning for numbers that are not finite; they become None.

    Raises:
        InputError: If one name is used in both places.
    """
    mended: list[str] = []
    given, home = item.get(field), member(path, field)
    own = mend_numbers(as_mapping({} if given is None else given, home), home, mended)
    others = {key: mend_numbers(item[key], member(path, key), mended) for key in item if key not in known}
    for key in others:
        if key in own:
            raise InputError(f"{member(path, key)} stands beside {member(home, key)}; keep one of them")
        near = get_close_matches(key, known, n=1, cutoff=0.8)
        if near:
            remarks.add(f"{member(path, key)} went to {field}; did you mean {near[0]}?")
    if mended:
        remarks.add(f"{listed(mended, quote=False)}: not a finite number, kept as null")
    return {**own, **others}


def _required(item: Mapping[str, Any], keys: tuple[str, ...], path: str) -> tuple[Any, ...]:
    for key in keys:
        if key not in item:
            raise InputError(f"{path}.{key} is missing; add it")
    return tuple(item[key] for key in keys)
