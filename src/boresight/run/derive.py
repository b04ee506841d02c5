"""Derive the tables and the summary of a run from what it stored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from boresight.measure.evidence import RESOLUTION, Evidence
from boresight.measure.registry import BoundMeasure, parse
from boresight.measure.retriever import retriever_view
from boresight.measure.summary import summarise
from boresight.measure.utility import gain, harm, leave_one_out, share
from boresight.outcome import Measure
from boresight.run.evidence import Attribution, StoredRows, attribute_rows, build_evidence, sort_rows
from boresight.run.schemas import MEASURES, PASSAGES, TOKENS
from boresight.store.files import write_json
from boresight.store.tables import TableWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boresight.models.seam import Target
    from boresight.run.directory import RunDirectory
    from boresight.run.plan import TracePlan
    from boresight.run.spec import RunSpec
    from boresight.trace import Trace

    Row = dict[str, Any]


@dataclass(slots=True)
class Derivation:
    """Everything that the derived files are made from.

    Attributes:
        directory: The run.
        spec: Its settings.
        traces: The audited traces.
        targets: Targets by trace id.
        plans: Plans, one a trace, in order.
        failures: Reasons by trace id.
        has_floor: Whether the generator's numbers carry rounding noise.
    """

    directory: RunDirectory
    spec: RunSpec
    traces: Sequence[Trace]
    targets: Mapping[str, Sequence[Target]]
    plans: Sequence[TracePlan]
    failures: Mapping[str, str]
    has_floor: bool

    def write(self) -> dict[str, Any]:
        """Write the derived files.

        Returns:
            The summary.
        """
        measures = [parse(name) for name in self.spec.measures]
        per_trace: list[tuple[str, Measure]] = []
        floors: dict[str, list[float]] = {"nats": [], "probability": []}
        values = self.directory.values()
        with (
            TableWriter(self.directory.table("passages"), PASSAGES) as passages,
            TableWriter(self.directory.table("tokens"), TOKENS) as tokens,
            TableWriter(self.directory.table("measures"), MEASURES) as table,
        ):
            for index, plan in enumerate(self.plans):
                trace = self.traces[index]
                evidence = self._nothing(trace, plan)
                if plan.status == "score" and values.is_finished(index):
                    stored = sort_rows(values.read(index), trace.context, "answer")
                    evidence = self._evidence(trace, plan, stored)
                    target = self.targets[trace.id][0]
                    passages.add(self._passage_rows(trace, plan, stored, evidence))
                    passages.add(self._span_rows(trace, plan, stored, target))
                    tokens.add(self._token_rows(trace, plan, stored, target))
                    _collect(floors, evidence)
                found = list(self._measured(measures, evidence))
                table.add(_measure_row(evidence, name, measure) for name, measure in found)
                per_trace += found
        self.directory.record["floors"] = {"numeric": {key: _spread(one) for key, one in floors.items()}}
        summary = self._summary(per_trace)
        write_json(self.directory.summary, summary)
        return summary

    def _nothing(self, trace: Trace, plan: TracePlan) -> Evidence:
        reason = self.failures.get(trace.id) or plan.reason or "the trace was not scored"
        return Evidence(trace.id, "answer", trace.context, reason=reason)

    def _evidence(self, trace: Trace, plan: TracePlan, stored: StoredRows) -> Evidence:
        view = retriever_view(trace, self.spec.stage)
        return build_evidence(stored, plan, self.spec, view, has_floor=self.has_floor)

    def _measured(
        self, measures: Sequence[BoundMeasure], evidence: Evidence
    ) -> Iterator[tuple[str, Measure]]:
        failure = self.failures.get(evidence.trace)
        for measure in measures:
            yield str(measure), Measure.failed(failure) if failure else measure.compute(evidence)

    def _passage_rows(
        self, trace: Trace, plan: TracePlan, stored: StoredRows, evidence: Evidence
    ) -> Iterator[Row]:
        scaled = attribute_rows(stored.table, plan, self.spec, self.spec.scale)
        floor = stored.floor(self.spec.scale, measured=self.has_floor)
        columns = {
            "share": share(evidence),
            "leave_one_out": leave_one_out(evidence),
            "gain": gain(evidence),
            "harm": harm(evidence),
        }
        places = _stage_places(trace, self.spec.stage)
        for position, passage in enumerate(trace.context):
            rank, score = places.get(passage, (None, None))
            grade = trace.relevance.get(passage)
            yield {
                "trace": trace.id,
                "passage": passage,
                "target": evidence.target,
                "method": plan.method,
                "rank": rank,
                "retriever_score": score,
                "position": position,
                "relevant": None if grade is None else grade > 0,
                **_attribution_cells(scaled, passage, floor),
                **{name: column[passage].value for name, column in columns.items()},
            }

    def _span_rows(
        self, trace: Trace, plan: TracePlan, stored: StoredRows, target: Target
    ) -> Iterator[Row]:
        for phrase in self.spec.spans:
            chosen = span_tokens(target, phrase)
            if chosen:
                part = stored.restricted(chosen)
                evidence = replace(self._evidence(trace, plan, part), target=f"span:{phrase}")
                yield from self._passage_rows(trace, plan, part, evidence)

    def _token_rows(
        self, trace: Trace, plan: TracePlan, stored: StoredRows, target: Target
    ) -> Iterator[Row]:
        scaled = attribute_rows(stored.table, plan, self.spec, self.spec.scale)
        if scaled is None:
            return
        for place, passage in enumerate(trace.context):
            for token, (start, end) in enumerate(target.offsets):
                yield {
                    "trace": trace.id,
                    "passage": passage,
                    "target": target.id,
                    "method": plan.method,
                    "token": token,
                    "text": target.text[start:end],
                    "start": start,
                    "end": end,
                    "attribution": float(scaled.tokens[place, token]),
                    "low": None if scaled.token_low is None else float(scaled.token_low[place, token]),
                    "high": None if scaled.token_high is None else float(scaled.token_high[place, token]),
                }

    def _summary(self, per_trace: Sequence[tuple[str, Measure]]) -> dict[str, Any]:
        methods = [plan.method for plan in self.plans if plan.trace not in self.failures]
        return {
            "format": 1,
            "scale": self.spec.scale,
            "traces": {
                "total": len(self.plans),
                "exact": methods.count("exact"),
                "sampled": methods.count("permutation"),
                "closed_book_only": sum(plan.status == "closed_book_only" for plan in self.plans),
                "nothing_to_score": sum(plan.status == "nothing_to_score" for plan in self.plans),
                "failed": len(self.failures),
            },
            "measures": summarise(per_trace, self.spec.seed),
        }


def span_tokens(target: Target, phrase: str) -> list[int]:
    """Tokens of the target that overlap an occurrence of the phrase."""
    found: list[tuple[int, int]] = []
    begin = target.text.find(phrase)
    while phrase and begin >= 0:
        found.append((begin, begin + len(phrase)))
        begin = target.text.find(phrase, begin + len(phrase))
    return [
        token
        for token, (start, end) in enumerate(target.offsets)
        if any(start < stop and end > first for first, stop in found)
    ]


def _stage_places(trace: Trace, stage: str | None) -> dict[str, tuple[int, float | None]]:
    """Rank and score in the retriever's stage, by passage id."""
    names = {known.name for known in trace.stages}
    ranking = trace.last_ranking(stage) if stage is None or stage in names else None
    if ranking is None:
        return {}
    return {place.id: (rank, place.score) for rank, place in enumerate(ranking.ranking)}


def _attribution_cells(scaled: Attribution | None, passage: str, floor: float | None) -> Row:
    if scaled is None:
        return {}
    value = scaled.total[passage]
    return {
        "attribution": value,
        "low": None if scaled.low is None else scaled.low[passage],
        "high": None if scaled.high is None else scaled.high[passage],
        "above_numeric": None if floor is None else abs(value) > max(2 * floor, RESOLUTION),
    }


def _measure_row(evidence: Evidence, name: str, measure: Measure) -> Row:
    return {
        "trace": evidence.trace,
        "measure": name,
        "target": evidence.target,
        "value": measure.value,
        "low": measure.low,
        "high": measure.high,
        "state": measure.state,
        "reason": measure.reason,
        "chance": measure.chance,
        "minimum": measure.minimum,
    }


def _collect(floors: dict[str, list[float]], evidence: Evidence) -> None:
    for key, value in (("nats", evidence.floor), ("probability", evidence.floor_prob)):
        if value is not None:
            floors[key].append(value)


def _spread(values: Sequence[float]) -> dict[str, float | int | None]:
    return {
        "median": median(values) if values else None,
        "largest": max(values, default=None),
        "traces": len(values),
    }
