"""Everything about the funnel of one trace, from what a run stored about it; no model is called."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boresight.measure.evidence import noise_bar
from boresight.measure.funnel.by_stage import StageAlignment, align_stages
from boresight.measure.funnel.good import good_passages
from boresight.measure.funnel.loss import NEAR
from boresight.measure.funnel.types import FunnelRow, Generation
from boresight.measure.funnel.walk import funnel
from boresight.measure.funnel.words import answer_is_right

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from boresight.measure.evidence import Evidence
    from boresight.measure.family import BoundMeasure
    from boresight.measure.funnel.walk import Reading
    from boresight.trace import Trace


@dataclass(frozen=True, slots=True)
class TraceFunnel:
    """The funnel of one trace.

    Attributes:
        rows: One a good passage.
        stages: Alignment with each stage.
    """

    rows: tuple[FunnelRow, ...]
    stages: tuple[StageAlignment, ...]

    def funnel_rows(self) -> list[dict[str, Any]]:
        """Rows of ``funnel.parquet``."""
        return [row.to_row() for row in self.rows]

    def step_rows(self) -> list[dict[str, Any]]:
        """Rows of ``funnel_steps.parquet``."""
        return [step for row in self.rows for step in row.step_rows()]

    def stage_rows(self) -> list[dict[str, Any]]:
        """Rows of ``stages.parquet``."""
        return [stage.to_row() for stage in self.stages]


def derive_funnel(
    trace: Trace,
    evidence: Evidence | None,
    *,
    answer: str | None = None,
    placebo: float | None = None,
    cited: Mapping[str, bool] | None = None,
    right: bool | None = None,
    measures: Iterable[BoundMeasure] = (),
    named: Iterable[str] = (),
    least_grade: float | None = None,
    read: Reading | None = None,
    exclude: Collection[str] = (),
    near: float = NEAR,
) -> TraceFunnel:
    """The funnel of one trace, ready for the tables.

    Args:
        trace: The trace, also one that failed or was not scored.
        evidence: Stored numbers of its answer; None where there are none.
        answer: The scored answer; by default the recorded one.
        placebo: Placebo floor of the run, nats, or None.
        cited: Whether the answer cites each passage, where citations were read.
        right: Whether the answer is right; by default whether it holds a reference.
        measures: Measures of alignment to take against every stage.
        named: Ids of good passages that the user names.
        least_grade: The lowest label that counts as relevant; by default any above 0.
        read: See :func:`~boresight.measure.funnel.walk.funnel`.
        exclude: Names of stages that the audit added, which are no part of the funnel; alignment is taken
            with them all the same.
        near: See :func:`~boresight.measure.funnel.walk.funnel`.
    """
    text = trace.answer if answer is None else answer
    generation = Generation(
        attribution=None if evidence is None or evidence.reason else evidence.attribution,
        floor=_floor(evidence, placebo),
        cited=cited,
        answer_right=answer_is_right(text, trace.references) if right is None else right,
    )
    good = good_passages(trace, named, least_grade)
    return TraceFunnel(
        funnel(trace, good, generation, read=read, exclude=exclude, near=near),
        () if evidence is None else align_stages(trace, evidence, measures),
    )


def _floor(evidence: Evidence | None, placebo: float | None) -> float:
    """The larger floor: twice the numeric one, the placebo one, or the resolution of stored rows."""
    return max(noise_bar(evidence.floor if evidence else None), placebo or 0.0)
