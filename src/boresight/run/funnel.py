"""The funnel of a run: where good passages were lost, and the order of each stage, from stored numbers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.measure.citation.read import cited_in
from boresight.measure.funnel import TraceFunnel, derive_funnel, summarise_alignment, summarise_funnel
from boresight.measure.registry import parse
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from boresight.measure.evidence import Evidence
    from boresight.measure.family import BoundMeasure
    from boresight.measure.funnel import FunnelRow, StageAlignment
    from boresight.run.spec import RunSpec
    from boresight.trace import Trace

USUAL = {"warg": 1.5, "warg_prob": 1.5, "warg_rbo": 0.9, "warg_rbo_norm": 0.9}
"""The setting of a measure that is taken at every stage, where a run has several of them."""


@dataclass(slots=True)
class FunnelTotals:
    """The funnel of a run, trace by trace.

    Attributes:
        spec: The settings of the run.
        traces: The traces of the run.
        placebo: Its placebo floor in nats, or None.
    """

    spec: RunSpec
    traces: Sequence[Trace]
    placebo: float | None
    _rows: list[FunnelRow] = field(default_factory=list)
    _stages: list[StageAlignment] = field(default_factory=list)
    _without: int = 0

    def add(
        self, trace: Trace, evidence: Evidence, *, answer: str | None, failure: str | None
    ) -> TraceFunnel:
        """The funnel of one trace, counted in.

        Args:
            trace: The trace, also one that failed or was not scored.
            evidence: What is stored about its answer.
            answer: The answer that was to be scored; None where there is none, or only a recorded one.
            failure: Why the trace failed, or None.
        """
        found = derive_funnel(
            trace,
            evidence,
            answer=answer,
            placebo=self.placebo,
            cited=cited_in(trace.answer if answer is None else answer, trace.context),
            measures=stage_measures(self.spec.measures),
            named=named_in(trace, self.spec.good, self.traces),
            least_grade=self.spec.least_grade,
            exclude=added_stages(trace, self.spec),
        )
        if failure is not None:
            failed = [replace(one, outcome=Measure.failed(failure)) for one in found.stages]
            found = replace(found, stages=tuple(failed))
        self._rows += found.rows
        self._stages += found.stages
        self._without += not found.rows
        return found

    def summary(self) -> dict[str, Any]:
        """The entries ``funnel`` and ``stages`` of the run's summary."""
        return {
            "funnel": summarise_funnel(self._rows, self._without),
            "stages": summarise_alignment(self._stages, self.spec.seed),
        }


def added_stages(trace: Trace, spec: RunSpec) -> tuple[str, ...]:
    """Names of the stages that the audit appended: they ranked the passages, and lost none."""
    return () if spec.retriever is None else tuple(stage.name for stage in trace.stages[-1:])


def stage_measures(names: Iterable[str]) -> list[BoundMeasure]:
    """The measures that are taken at every stage: of each one of the run, its usual setting or its first."""
    chosen: dict[str, BoundMeasure] = {}
    for measure in map(parse, names):
        name = measure.family.name
        if name not in chosen or measure.parameter == USUAL.get(name, measure):
            chosen[name] = measure
    return list(chosen.values())


def named_in(trace: Trace, good: Sequence[str], traces: Sequence[Trace]) -> list[str]:
    """The ids of ``--good`` that are about one trace.

    Args:
        trace: The trace.
        good: ``ID``, good wherever a trace holds it, or ``TRACE=ID``, good in that trace, held or not.
        traces: All traces; if there is one, every id is about it.
    """
    known = {one.id for one in traces} if good else set()
    found = []
    for name in good:
        owned = owner(name, known)
        if owned is None:
            if len(traces) == 1 or name in _held(trace):
                found.append(name)
        elif owned[0] == trace.id:
            found.append(owned[1])
    return found


def check_good(good: Sequence[str], traces: Sequence[Trace]) -> None:
    """Refuse a named passage that is about no trace.

    Raises:
        SpecError: Names it, and how to say which trace it is about.
    """
    if len(traces) == 1:
        return
    known = {trace.id for trace in traces}
    plain = {name for name in good if owner(name, known) is None}
    for trace in traces if plain else ():
        plain -= _held(trace)
    missing = next((name for name in good if name in plain), None)
    if missing is not None:
        raise SpecError(
            f"no trace holds a passage {missing!r}; "
            "for one that was never retrieved write TRACE=PASSAGE, with the ids of both"
        )


def owner(name: str, traces: Collection[str]) -> tuple[str, str] | None:
    """Trace and passage of ``TRACE=ID``; None where what stands before no ``=`` is a trace id."""
    places = (place for place, letter in enumerate(name) if letter == "=")
    place = next((place for place in places if name[:place] in traces), None)
    return None if place is None else (name[:place], name[place + 1 :])


def _held(trace: Trace) -> set[str]:
    """Every passage id that occurs in a trace."""
    ranked = {place.id for stage in trace.stages for place in stage.ranking}
    return ranked | {passage.id for passage in trace.passages}
