"""Steps of a whole file to traces: by trace id, or by question where no trace id is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.errors import InputError
from boresight.trace.check import located
from boresight.trace.readers.source import Found
from boresight.trace.readers.steps.assemble import assemble
from boresight.trace.readers.steps.prompt import squeezed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from boresight.trace.readers.source import Source
    from boresight.trace.readers.steps.step import Step

_JOINED = "the steps carry no trace id; those with one question in common are taken for one trace"
Group = tuple[str, str, "list[Step]", tuple[str, ...]]
"""Trace id, place of the first step, the steps, and remarks."""


def traces_of(placed: Iterable[tuple[str, Step]], source: Source) -> Iterator[Found]:
    """One trace for each question whose steps hold passages; the others are left out and counted.

    Args:
        placed: Every step of the source with its place.
        source: Where they come from.

    Raises:
        InputError: If no step holds a passage.
    """
    groups, loose = _by_trace(placed)
    left_out = found = 0
    for name, place, steps, remarks in (*groups, *_by_question(loose)):
        with located(f"{source.name}, {place}: "):
            built = assemble(steps, name)
        if built is None:
            left_out += 1
            continue
        found += 1
        yield Found(place, built[0], (*remarks, *built[1]))
    if not found:
        raise InputError(
            f"{source.name} holds steps but no retrieved passages; export the retriever's spans too"
        )
    if left_out:
        questions = "1 question was" if left_out == 1 else f"{left_out:,} questions were"
        source.note(f"{questions} left out, since no step of theirs holds retrieved passages")


def _by_trace(
    placed: Iterable[tuple[str, Step]],
) -> tuple[list[Group], list[tuple[str, Step]]]:
    """Steps by trace id in the order of their first steps, and those without one."""
    groups: dict[str, tuple[str, list[Step]]] = {}
    loose: list[tuple[str, Step]] = []
    for place, step in placed:
        if step.trace:
            groups.setdefault(step.trace, (place, []))[1].append(step)
        else:
            loose.append((place, step))
    return [(name, place, steps, ()) for name, (place, steps) in groups.items()], loose


def _by_question(loose: list[tuple[str, Step]]) -> Iterator[Group]:
    """Steps without trace id, joined where their question is the same or stands in a model's prompt.

    A retriever that comes a second time with a question begins another trace.
    """
    groups: list[tuple[str, str, list[Step]]] = []
    current: dict[str, list[Step]] = {}
    for place, step in sorted(loose, key=lambda one: not one[1].query):  # those with a question come first
        question = squeezed(step.query or "") or _asked(step, current) or f"\n{place}"
        steps = current.get(question)
        if steps is None or (step.kind == "retrieve" and _has(steps, step)):
            steps = current[question] = []
            groups.append((question, place, steps))
        steps.append(step)
    for _, place, steps in groups:
        yield "", place, steps, (_JOINED,) if len(steps) > 1 else ()


def _asked(step: Step, questions: Iterable[str]) -> str:
    """The question of another step that stands last in this step's prompt, empty if there is none.

    Passages may hold questions too; a prompt puts its own behind them.
    """
    places = {
        one: max((squeezed(prompt).rfind(one) for prompt in step.prompts), default=-1) for one in questions
    }
    return max((one for one in places if places[one] >= 0), key=lambda one: places[one], default="")


def _has(steps: Iterable[Step], step: Step) -> bool:
    return any(one.kind == step.kind and one.name == step.name for one in steps)
