"""Where a whole run loses its good passages: counts and rates by stage and by kind, with Wilson intervals."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypedDict

from boresight.measure.funnel.types import LOSS_KINDS
from boresight.stats.wilson import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boresight.measure.funnel.types import FunnelRow, LossKind

    Key = tuple[str | None, str | None]


class Rate(TypedDict):
    """``count`` of ``of`` good passages, with the 95 percent Wilson interval; None where ``of`` is 0."""

    count: int
    of: int
    value: float | None
    low: float | None
    high: float | None


class StageLosses(TypedDict):
    """What one stage lost.

    ``lost`` is out of all good passages, ``of_entered`` out of those that came as far as this stage (at a
    retriever: those of which it recorded anything), ``kinds`` counts how. ``unsure`` counts those whose
        survival hung on the order of a tie.
    """

    stage: str | None
    stage_kind: str | None
    lost: Rate
    of_entered: Rate
    kinds: dict[str, int]
    unsure: int


class FunnelSummary(TypedDict):
    """The funnel of a run: how many good passages, where they were lost, how far the others came.

    ``traces_without_good`` have no good passage and say nothing. Each of the four rates of the way
    (``retrieved``, ``in_context``, ``used``, ``cited``) is over the good passages of which it is known. An
    interval treats good passages as independent; those of one trace are not quite, so it is a little narrow.
    """

    good: int
    traces: int
    traces_without_good: int
    good_by: dict[str, int]
    retrieved: Rate
    in_context: Rate
    used: Rate
    cited: Rate
    kinds: dict[LossKind, Rate]
    stages: list[StageLosses]


def summarise_funnel(rows: Iterable[FunnelRow], traces_without_good: int = 0) -> FunnelSummary:
    """Sum up the good passages of a run.

    Args:
        rows: One row a good passage, of all traces.
        traces_without_good: How many traces had none.
    """
    all_rows = list(rows)
    kinds = Counter(row.loss.kind for row in all_rows if row.loss)
    return FunnelSummary(
        good=len(all_rows),
        traces=len({row.trace for row in all_rows}),
        traces_without_good=traces_without_good,
        good_by=dict(Counter(by for row in all_rows for by in row.good.by)),
        retrieved=_share([was_retrieved(row) for row in all_rows]),
        in_context=_share([row.in_context for row in all_rows]),
        used=_share([row.above_floor for row in all_rows]),
        cited=_share([row.cited for row in all_rows]),
        kinds={kind: _rate(kinds[kind], len(all_rows)) for kind in LOSS_KINDS if kinds[kind]},
        stages=_stages(all_rows),
    )


def was_retrieved(row: FunnelRow) -> bool | None:
    """Whether a retriever kept the passage; None where no retriever recorded what it found."""
    known = [step.survived for step in row.steps if step.kind == "retrieve" and step.survived is not None]
    if any(known):
        return True
    unknown = row.loss is not None and row.loss.kind == "not_recorded"
    return False if known and not unknown else None


def _stages(rows: Sequence[FunnelRow]) -> list[StageLosses]:
    """Losses by stage, in the order in which the traces met the stages; the unknown stage last."""
    return [_stage(key, rows) for key in _order(rows)]


def _stage(key: Key, rows: Sequence[FunnelRow]) -> StageLosses:
    own = [row for row in rows if _lost_at(row, key)]
    kinds = Counter(row.loss.kind for row in own if row.loss)
    return StageLosses(
        stage=key[0],
        stage_kind=key[1],
        lost=_rate(len(own), len(rows)),
        of_entered=_rate(len(own), sum(_entered(row, key) for row in rows)),
        kinds={kind: kinds[kind] for kind in LOSS_KINDS if kinds[kind]},
        unsure=sum(step.tied_at_cut for row in rows for step in row.steps if (step.stage, step.kind) == key),
    )


def _lost_at(row: FunnelRow, key: Key) -> bool:
    return row.loss is not None and (row.loss.stage, row.loss.stage_kind) == key


def _entered(row: FunnelRow, key: Key) -> bool:
    """Whether the stage could have lost the passage; every retriever could have found it."""
    if key[1] == "retrieve":
        return any(step.kind == "retrieve" and step.survived is not None for step in row.steps)
    return _lost_at(row, key) or any(
        step.survived is True for step in row.steps if (step.stage, step.kind) == key
    )


def _order(rows: Sequence[FunnelRow]) -> list[Key]:
    """Every stage by its latest place in any trace; joint retrievers first, the unknown stage last."""
    place: dict[Key, int] = {}
    for row in rows:
        for index, step in enumerate(row.steps):
            if step.kind != "citation":
                key = (step.stage, step.kind)
                place[key] = max(index, place.get(key, 0))
    last = len(place) + max(place.values(), default=0)
    for loss in (row.loss for row in rows if row.loss):
        place.setdefault((loss.stage, loss.stage_kind), -1 if loss.stage else last)
    return sorted(place, key=place.__getitem__)


def _share(known: Iterable[bool | None]) -> Rate:
    values = [value for value in known if value is not None]
    return _rate(sum(values), len(values))


def _rate(count: int, of: int) -> Rate:
    found = wilson_interval(count, of)
    return Rate(count=count, of=of, value=found.value, low=found.low, high=found.high)
