"""The stages of a trace in order, each with what could have entered it; made once for all passages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from boresight.measure.funnel.places import StageView, view_stage
from boresight.trace import Ranked

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from boresight.trace import Stage, Trace


@dataclass(frozen=True, slots=True)
class Gate:
    """A stage and the way into it.

    Attributes:
        view: The stage.
        before: The one stage whose ranking entered; None where there is none or several retrievers fed it.
        gap: Whether something between the two is missing: the ranking of a stage, a source of passages that
            none gave before, a fusion of several retrievers.
    """

    view: StageView
    before: StageView | None
    gap: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """The whole funnel of a trace.

    Attributes:
        trace: The trace.
        gates: Its stages.
        context: Place of each passage of the context; None where the context is not recorded.
        stranger: The first stage (or ``context``) that holds a passage which no stage before gave, so that a
            source is missing from the record; None where everything came from somewhere.
    """

    trace: Trace
    gates: tuple[Gate, ...]
    context: dict[str, int] | None
    stranger: str | None

    @property
    def retrievers(self) -> tuple[StageView, ...]:
        """The retrievers that everything began with."""
        views = [gate.view for gate in self.gates]
        first = next((place for place, view in enumerate(views) if not view.retrieves), len(views))
        return tuple(views[:first])


def lay_out(trace: Trace, exclude: Collection[str] = ()) -> Layout:
    """The funnel of a trace.

    Retrievers add to what is in the funnel, so several next to each other are parallel; every other stage
    passes on a part of what it got. The context is what packing kept, whatever the packing stage recorded.

    Args:
        trace: The trace.
        exclude: Names of stages that were no part of the pipeline, such as one that an audit added.
    """
    stages = [stage for stage in trace.stages if stage.name not in exclude]
    context = {key: place for place, key in enumerate(trace.context)}
    recorded = bool(context) or _ends_empty(stages)
    views = [_view(stages, place, context) for place in range(len(stages))]
    return Layout(trace, tuple(_gates(views)), context if recorded else None, _stranger(views, context))


def _ends_empty(stages: Sequence[Stage]) -> bool:
    return bool(stages) and stages[-1].kind == "pack" and not stages[-1].ranking


def _view(stages: Sequence[Stage], place: int, context: dict[str, int]) -> StageView:
    stage, later = stages[place], stages[place + 1 :]
    if not later and stage.kind == "pack" and context:
        packed = stage.ranking or tuple(map(Ranked, context))
        return view_stage(replace(stage, ranking=packed), frozenset(context))
    if not stage.ranking and (context or any(after.ranking for after in later)):
        alone = sum(one.kind == "retrieve" for one in stages) == 1
        if stage.kind != "retrieve" or alone:
            return view_stage(stage, frozenset(), recorded=False)
    return view_stage(stage)


def _gates(views: Sequence[StageView]) -> list[Gate]:
    gates: list[Gate] = []
    before: StageView | None = None
    known: set[str] = set()
    fed, gap = 0, False
    for view in views:
        strange = bool(view.spots.keys() - known)
        unfused = fed > 1 and view.kind != "fuse"
        gates.append(Gate(view, before, not view.retrieves and (gap or strange or unfused)))
        if not view.recorded:
            gap = True
            continue
        known.update(view.spots)
        fed = fed + 1 if view.retrieves else 1
        before, gap = view if fed == 1 else None, False
    return gates


def _stranger(views: Sequence[StageView], context: dict[str, int]) -> str | None:
    known: set[str] = set()
    for view in views:
        if not view.retrieves and view.spots.keys() - known:
            return view.name
        known.update(view.spots)
    return "context" if views and context.keys() - known else None
