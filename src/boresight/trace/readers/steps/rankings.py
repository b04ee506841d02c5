"""The stages of one trace from its steps: inner steps first, and what a step only handed on left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.trace.ids import FreshIds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boresight.trace.readers.steps.identity import Passages, Place
    from boresight.trace.readers.steps.step import Step

_RANKING = ("retrieve", "rerank", "postprocess", "pack")


class Rankings:
    """Collects stages in the order in which the rankings came to be.

    A retriever that calls others (an ensemble, a compressor) is recorded as a step around theirs: the inner
    ones hold the candidates, and the outer one what left the stage.
    """

    def __init__(self, steps: Sequence[Step], passages: Passages) -> None:
        self.stages: list[dict[str, Any]] = []
        self._passages = passages
        self._names = FreshIds()
        self._steps = {step.id: step for step in steps if step.id}
        ranking = [step for step in steps if step.kind in _RANKING]
        self._inner: dict[int, list[Step]] = {}
        for step in ranking:
            outer = self._outer(step)
            self._inner.setdefault(0 if outer is None else id(outer), []).append(step)
        for step in self._inner.get(0, ()):
            self._add(step)

    def _outer(self, step: Step) -> Step | None:
        """The nearest ranking step around a step."""
        seen = {id(step)}
        around = self._steps.get(step.parent)
        while around is not None and id(around) not in seen:
            if around.kind in _RANKING:
                return around
            seen.add(id(around))
            around = self._steps.get(around.parent)
        return None

    def _add(self, step: Step) -> list[Place]:
        """Add the stages of a step, inner ones first; what left it."""
        inner = [self._add(one) for one in self._inner.get(id(step), ())]
        if step.kind != "retrieve":
            return self._add_after(step, inner)
        places = self._passages.ranking(step.documents)
        if not any(_ids(places) == _ids(one) for one in inner):  # else the outer step handed them on
            self._put(step, _kind(places, inner), places)
        return places

    def _add_after(self, step: Step, inner: list[list[Place]]) -> list[Place]:
        """Add the stage of a step that was given a ranking, and that ranking where no stage holds it."""
        given = self._passages.ranking(step.given)
        before = [*inner, *(stage["ranking"] for stage in self.stages[-1:])]
        if given and not any(_ids(given) == _ids(one) for one in before):
            note = f"recorded as what {step.name} was given; how it came to be is not recorded"
            self._put(step, _kind(given, before[-1:]), given, name=f"{step.name} input", note=note)
        places = self._passages.ranking(step.documents)
        if step.kind == "postprocess":
            self._put(step, "filter" if _only_filtered(given, places) else "rerank", places)
        else:
            self._put(step, step.kind, places)
        return places

    def _put(self, step: Step, kind: str, places: list[Place], name: str = "", note: str = "") -> None:
        cut = {} if step.cut is None or name else {"cut": step.cut}
        notes = {"notes": [note]} if note else {}
        label = self._names.fresh(name or step.name.strip() or kind)
        self.stages.append({"name": label, "kind": kind, "ranking": places, **cut, **notes})


def _kind(places: list[Place], before: Sequence[list[Place]]) -> str:
    """What made a ranking of others: fused several, filtered one, or gave it another order."""
    if len(before) > 1:
        return "fuse"
    if not before:
        return "retrieve"
    names = set(_ids(places))
    return "filter" if [key for key in _ids(before[0]) if key in names] == _ids(places) else "rerank"


def _only_filtered(given: list[Place], left: list[Place]) -> bool:
    """Whether places were taken out and nothing else changed, neither order nor scores."""
    names = set(_ids(left))
    return [place for place in given if place["id"] in names] == left


def _ids(places: Sequence[Place]) -> list[str]:
    return [place["id"] for place in places]


def last_ranking(stages: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Passage ids of the last stage, best first; none without stages."""
    yield from _ids(stages[-1]["ranking"]) if stages else ()
