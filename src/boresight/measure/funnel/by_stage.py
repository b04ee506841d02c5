"""Alignment with the generator by stage: where does the order stop matching what the answer rests on?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict

from boresight.measure.retriever import retriever_view
from boresight.stats.bootstrap import mean_interval, paired_interval
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from boresight.measure.evidence import Evidence
    from boresight.measure.family import BoundMeasure
    from boresight.outcome import Measure
    from boresight.stats.interval import Interval
    from boresight.trace import Trace


@dataclass(frozen=True, slots=True)
class StageAlignment:
    """One measure of one trace, with one stage as the retriever.

    Attributes:
        trace: Trace id.
        step: Place of the stage in the trace, from 0.
        stage: Name of the stage.
        stage_kind: Kind of the stage.
        measure: Name of the measure.
        outcome: Its value, or why there is none.
    """

    trace: str
    step: int
    stage: str
    stage_kind: str
    measure: str
    outcome: Measure

    def to_row(self) -> dict[str, Any]:
        """The row of ``stages.parquet``."""
        found = self.outcome
        return {
            "trace": self.trace,
            "step": self.step,
            "stage": self.stage,
            "stage_kind": self.stage_kind,
            "measure": self.measure,
            "value": found.value,
            "state": found.state,
            "reason": found.reason,
            "chance": found.chance,
            "minimum": found.minimum,
        }


class StageMean(TypedDict):
    """A measure at a stage over a run.

    ``value`` is the mean over the traces where it is defined, ``low`` and ``high`` its 95 percent bootstrap
    interval; ``change`` the mean difference to the last stage before that has a value anywhere, over the
    traces where both are defined, with its paired interval and the number of those traces. None where there
    is none.
    """

    stage: str
    stage_kind: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    defined: int
    undefined: int
    failed: int
    change: float | None
    change_low: float | None
    change_high: float | None
    pairs: int


def align_stages(
    trace: Trace, evidence: Evidence, measures: Iterable[BoundMeasure], exclude: Collection[str] = ()
) -> tuple[StageAlignment, ...]:
    """Measures of alignment with every recorded stage in the place of the retriever.

    Measures that do not read the retriever would be the same at every stage and are passed over. A stage that
    lacks a passage of the context, or a score that the measure reads, makes it undefined there, with the
    reason.

    Args:
        trace: The trace.
        evidence: Its stored numbers; its own view of the retriever is not read.
        measures: The measures, such as WARG at several tau.
        exclude: Names of stages to leave out.
    """
    chosen = [one for one in measures if one.needs.retriever_scores or one.needs.retriever_ranks]
    return tuple(
        StageAlignment(trace.id, step, stage.name, stage.kind, measure.name, measure.compute(seen))
        for step, stage in enumerate(trace.stages)
        if stage.name not in exclude
        for seen in [replace(evidence, retriever=retriever_view(trace, stage.name))]
        for measure in chosen
    )


def summarise_alignment(rows: Iterable[StageAlignment], seed: int) -> list[StageMean]:
    """The table over all stages of a run.

    Args:
        rows: Rows of all traces, those of a trace in the order of its stages.
        seed: Seed of the run.

    Returns:
        One entry a measure and stage, stages in order of their place in the traces.
    """
    groups: dict[tuple[str, str], list[StageAlignment]] = {}
    for row in rows:
        groups.setdefault((row.measure, row.stage), []).append(row)
    order = sorted(groups, key=lambda key: max(row.step for row in groups[key]))
    found = []
    for measure in dict.fromkeys(measure for measure, _ in groups):
        before: dict[str, float] = {}
        for key in (key for key in order if key[0] == measure):
            found.append(_mean(groups[key], before, seed))
            before = _values(groups[key]) or before
    return found


def _mean(rows: Sequence[StageAlignment], before: dict[str, float], seed: int) -> StageMean:
    values, first = _values(rows), rows[0]
    states = [row.outcome.state for row in rows]
    mean: Interval[float] | None = (
        mean_interval(list(values.values()), rng_for(seed, "funnel", first.measure, first.stage))
        if values
        else None
    )
    change = paired_interval(values, before, rng_for(seed, "funnel change", first.measure, first.stage))
    return StageMean(
        stage=first.stage,
        stage_kind=first.stage_kind,
        measure=first.measure,
        value=mean.value if mean else None,
        low=mean.low if mean else None,
        high=mean.high if mean else None,
        defined=states.count("defined"),
        undefined=states.count("undefined"),
        failed=states.count("failed"),
        change=change.difference.value,
        change_low=change.difference.low,
        change_high=change.difference.high,
        pairs=change.pairs,
    )


def _values(rows: Iterable[StageAlignment]) -> dict[str, float]:
    return {row.trace: row.outcome.value for row in rows if row.outcome.value is not None}
