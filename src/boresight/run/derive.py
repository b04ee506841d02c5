"""Derive the tables and the summary of a run from what it stored."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, Any, Self

from boresight.measure.citation.read import citation_cells
from boresight.measure.evidence import RESOLUTION, Evidence, RetrieverView, above_noise
from boresight.measure.registry import parse
from boresight.measure.retriever import retriever_view
from boresight.measure.summary import summarise
from boresight.outcome import Measure
from boresight.run.beats_control import ControlTotals
from boresight.run.design import EXACT, NONE, estimand_of
from boresight.run.diagnosis import Diagnosis
from boresight.run.evidence import (
    GENERATED,
    LOGPROB,
    Attribution,
    StoredRows,
    attribute_scales,
    build_evidence,
    efficiency_gap,
    interactions_of,
    restricted,
    sort_rows,
)
from boresight.run.extra_answers import StoredAnswers
from boresight.run.extra_evidence import ExtraReader
from boresight.run.funnel import FunnelTotals
from boresight.run.knowledge import KnowledgeTotals
from boresight.run.measures import needs_of
from boresight.run.passage_measures import (
    IN_PASSAGES,
    named_passage_measures,
    passage_rows,
    passage_table,
)
from boresight.run.placebo import PlaceboFloor, placebo_floor
from boresight.run.prediction import PredictionTotals
from boresight.run.retriever_totals import RetrieverTotals
from boresight.run.saliency import query_rows
from boresight.run.schemas import (
    FUNNEL,
    FUNNEL_STEPS,
    MEASURES,
    PAIRS,
    PASSAGES,
    SALIENCY,
    STAGES,
    TOKENS,
)
from boresight.run.sentences import split_results
from boresight.run.slices import Shares, slices
from boresight.store.files import write_json, write_jsonl
from boresight.store.tables import TableWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    import numpy as np
    from numpy.typing import NDArray

    from boresight.game.scales import Scale
    from boresight.game.table import ValueTable
    from boresight.models.seam import Target
    from boresight.run.directory import RunDirectory
    from boresight.run.plan import TracePlan
    from boresight.run.spec import RunSpec
    from boresight.store.values import ValueRow
    from boresight.trace import Trace

    Row = dict[str, Any]
    Scales = Mapping[Scale, Attribution | None]


@dataclass(frozen=True, slots=True)
class View:
    """One target of one trace, ready to be written.

    Attributes:
        trace: The trace.
        target: The target, or a span of the answer.
        evidence: What the measures read.
        attribution: Attributions on the scale of the run, or None.
        in_nats: Attributions in nats, which findings read, or None.
        floor: Numeric floor on that scale, or None.
        table: Its stored values.
    """

    trace: Trace
    target: Target
    evidence: Evidence
    attribution: Attribution | None
    in_nats: Attribution | None
    floor: float | None
    table: ValueTable


class RunTables:
    """The Parquet tables of a run, written side by side; they appear when the block ends without error.

    Args:
        directory: The run.
        measures: Names of the chosen measures.
    """

    def __init__(self, directory: RunDirectory, measures: Sequence[str]) -> None:
        self.passages = TableWriter(directory.table("passages"), PASSAGES)
        self.tokens = TableWriter(directory.table("tokens"), TOKENS)
        self.measures = TableWriter(directory.table("measures"), MEASURES)
        self.pairs = TableWriter(directory.table("pairs"), PAIRS)
        self.saliency = TableWriter(directory.table("saliency"), SALIENCY)
        self.funnel = TableWriter(directory.table("funnel"), FUNNEL)
        self.funnel_steps = TableWriter(directory.table("funnel_steps"), FUNNEL_STEPS)
        self.stages = TableWriter(directory.table("stages"), STAGES)
        self._named = named_passage_measures(measures)
        self._of_passages = passage_table(directory, self._named)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        for table in (
            self.passages, self.tokens, self.measures, self.pairs, self.saliency, self.funnel,
            self.funnel_steps, self.stages,
        ):  # fmt: skip
            self._stack.enter_context(table)
        if self._of_passages is not None:
            self._stack.enter_context(self._of_passages)
        return self

    def add_measures_of_passages(self, evidence: Evidence) -> None:
        """Write the measures that have one value a passage and were asked for by name."""
        if self._of_passages is not None:
            self._of_passages.add(passage_rows(evidence, self._named))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)


@dataclass(slots=True)
class Totals:
    """What adds up over the traces of a run.

    Attributes:
        diagnosis: Findings and sets.
        funnel: Good passages and the order of each stage.
        measures: Trace, name and outcome of every measure.
        shares: Shares of the answer by rank and position.
        floors: Numeric floors of the traces, by scale.
        efficiency_gap: Largest difference of a token's summed attributions to what the context changes.
        stored: Token values of an endpoint that may give bounds.
        bounded: Those of them that are bounds.
        split: Split passages, each with the sum over its sentences beside its own attribution.
        retriever: Explanations of the retriever's scores.
        knowledge: Where the answers come from.
        control: Attributions against random removal.
        prediction: Which answers are right.
    """

    diagnosis: Diagnosis
    funnel: FunnelTotals
    retriever: RetrieverTotals
    knowledge: KnowledgeTotals
    measures: list[tuple[str, str, Measure]] = field(default_factory=list)
    shares: Shares = field(default_factory=Shares)
    floors: dict[str, list[float]] = field(default_factory=lambda: {"nats": [], "probability": []})
    efficiency_gap: float = 0.0
    stored: int = 0
    bounded: int = 0
    split: list[dict[str, Any]] = field(default_factory=list)
    control: ControlTotals = field(default_factory=ControlTotals)
    prediction: PredictionTotals = field(default_factory=PredictionTotals)

    def count_bounds(self, rows: Sequence[ValueRow]) -> None:
        """Count the values of a trace that are bounds."""
        for row in rows:
            self.stored += len(row.logprobs)
            if row.lower is not None:
                self.bounded += int((row.lower < row.logprobs).sum())

    def add(self, evidence: Evidence, found: Sequence[tuple[str, Measure]]) -> None:
        """Add one trace."""
        self.measures += [(evidence.trace, name, measure) for name, measure in found]
        self.shares.add(evidence)
        self.control.add(evidence)
        self.knowledge.add(evidence)
        for scale, floor in (("nats", evidence.floor), ("probability", evidence.floor_prob)):
            if floor is not None:
                self.floors[scale].append(floor)


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
        value_kind: What the stored numbers are.
        by: Fields of ``meta`` to slice the run-level numbers by.
    """

    directory: RunDirectory
    spec: RunSpec
    traces: Sequence[Trace]
    targets: Mapping[str, Sequence[Target]]
    plans: Sequence[TracePlan]
    failures: Mapping[str, str]
    has_floor: bool
    value_kind: str = LOGPROB
    by: Sequence[str] = ()
    placebo: PlaceboFloor = field(init=False)
    extra: ExtraReader = field(init=False)

    def write(self) -> dict[str, Any]:
        """Write the derived files.

        Returns:
            The summary.
        """
        self.placebo = self._placebo_floor()
        self.extra = ExtraReader.of(
            needs_of(self.spec.measures),
            self.spec.seed,
            self.directory.generations,
            self.directory.record.get("absent", {}),
        )
        totals = Totals(
            Diagnosis(self.placebo.nats),
            FunnelTotals(self.spec, self.traces, self.placebo.nats),
            RetrieverTotals(self.directory, self.spec),
            KnowledgeTotals(self.placebo.nats, StoredAnswers.read(self.directory.generations).closed()),
        )
        with RunTables(self.directory, self.spec.measures) as tables:
            for index, plan in enumerate(self.plans):
                self._write_trace(index, plan, tables, totals)
        self.directory.record["floors"] = {
            "numeric": {scale: _spread(floors) for scale, floors in totals.floors.items()},
            "placebo": self.placebo.to_json(),
        }
        self.directory.record["efficiency_gap"] = totals.efficiency_gap
        summary = totals.diagnosis.summary(self._summary(totals))
        write_jsonl(
            self.directory.root / "findings.jsonl", [one.to_json() for one in totals.diagnosis.findings]
        )
        write_jsonl(self.directory.root / "sets.jsonl", totals.diagnosis.sets)
        write_json(self.directory.summary, summary)
        self._warn_of_lost_spans()
        self._warn_of_bounds(totals)
        for warning in totals.retriever.warnings():
            self._warn(warning)
        return summary

    def _write_trace(self, index: int, plan: TracePlan, tables: RunTables, totals: Totals) -> None:
        values = self.directory.values()
        scored = plan.status == "score" and values.is_finished(index)
        rows = values.read(index) if scored else []
        views: list[View] = list(self._views(self.traces[index], plan, rows)) if scored else []
        words: list[Row] = []
        if self.value_kind == GENERATED:
            totals.count_bounds(rows)
        for view in views:
            tables.passages.add(self._passage_rows(view))
            tables.tokens.add(self._token_rows(view))
        if views:
            answer = views[0]
            tables.pairs.add(
                totals.diagnosis.add(
                    answer.trace,
                    answer.target,
                    _of_passages(answer.evidence),
                    answer.table,
                    nats=answer.in_nats,
                    pairs=interactions_of(answer.table, plan, self.spec),
                )
            )
            words = self._write_saliency(answer, plan, rows, tables, totals)
        tables.saliency.add(totals.retriever.add(self.traces[index], words))
        evidence = views[0].evidence if views else self._nothing(self.traces[index], plan)
        evidence = replace(evidence, extra=replace(evidence.extra, saliency_curves=totals.retriever.curves))
        evidence = self._with_funnel(self.traces[index], evidence, tables, totals.funnel)
        tables.add_measures_of_passages(evidence)
        found = list(self._measured(evidence))
        tables.measures.add(_measure_row(evidence, name, measure) for name, measure in found)
        totals.add(evidence, found)
        totals.prediction.add(self.traces[index], evidence)
        for view in views:
            if view.attribution is not None and estimand_of(view.attribution.method) == "shapley":
                gap = efficiency_gap(view.table, view.attribution, self.spec.scale)
                totals.efficiency_gap = max(totals.efficiency_gap, gap)

    def _write_saliency(
        self, answer: View, plan: TracePlan, rows: Sequence[ValueRow], tables: RunTables, totals: Totals
    ) -> list[Row]:
        """Write what the words of the query and the sentences of split passages did; gives the words."""
        trace, target, floor, found = answer.trace, answer.target, answer.floor, answer.attribution
        whole = found if found is not None and estimand_of(found.method) == "shapley" else None
        sentences, lines = split_results(
            plan, trace, target, rows, self.spec.scale, attribution=whole, floor=floor
        )
        words = list(query_rows(trace, target, rows, self.spec, floor))
        tables.saliency.add([*words, *sentences])
        totals.split += lines
        return words

    def _with_funnel(
        self, trace: Trace, evidence: Evidence, tables: RunTables, totals: FunnelTotals
    ) -> Evidence:
        """Write the funnel of a trace; gives the evidence with it, for the measures."""
        targets = self.targets.get(trace.id)
        found = totals.add(
            trace,
            evidence,
            answer=targets[0].text if targets else None,
            failure=self.failures.get(trace.id),
        )
        tables.funnel.add(found.funnel_rows())
        tables.funnel_steps.add(found.step_rows())
        tables.stages.add(found.stage_rows())
        return replace(evidence, funnel=found.rows)

    def _warn_of_bounds(self, totals: Totals) -> None:
        """Say how many stored numbers are bounds, because the endpoint lists its most likely tokens only."""
        if totals.bounded:
            self._warn(
                f"{totals.bounded} of {totals.stored} token values are upper bounds, since the endpoint "
                "lists only its most likely tokens; attributions of these tokens are those of the bounds"
            )

    def _warn(self, warning: str) -> None:
        if warning not in self.directory.record["warnings"]:
            self.directory.record["warnings"].append(warning)

    def _warn_of_lost_spans(self) -> None:
        """Say how many answers hold each phrase, where not all of them do."""
        answers = [targets[0] for targets in self.targets.values()]
        for phrase in self.spec.spans:
            holding = sum(bool(span_tokens(answer, phrase)) for answer in answers)
            if holding < len(answers):
                self._warn(f"the span {phrase!r} is in {holding} of {len(answers)} answers")

    def _placebo_floor(self) -> PlaceboFloor:
        values, place = self.directory.values(), {plan.trace: index for index, plan in enumerate(self.plans)}
        done = [plan for plan in self.plans if values.is_finished(place[plan.trace])]
        return placebo_floor(
            done, lambda plan: values.read(place[plan.trace]), self.spec, has_floor=self.has_floor
        ).for_kind(self.value_kind)

    def _views(self, trace: Trace, plan: TracePlan, rows: Sequence[ValueRow]) -> Iterator[View]:
        """The targets of a scored trace, the answer first, then the spans of the answer."""
        retriever = retriever_view(trace, self.spec.stage)
        targets = [target for target in self.targets[trace.id] if target.token_ids]
        stored = [sort_rows(rows, trace.context, target.id) for target in targets]
        extra = self.extra.whole(trace, targets, [one.table for one in stored], rows)
        tabled = [one for one in stored if one.table.rows.keys() >= stored[0].table.rows.keys()]
        found = [attribute_scales(one.table, plan, self.spec, self.value_kind) for one in tabled]
        named = {target.id: target for target in targets}
        for own, scales in zip(tabled, found, strict=True):
            view = self._view(trace, plan, retriever, named[own.table.target], own, found=scales)
            first = own is stored[0]
            yield replace(view, evidence=replace(view.evidence, extra=extra)) if first else view
        for phrase in self.spec.spans:
            chosen = span_tokens(targets[0], phrase)
            if chosen:
                span = span_target(targets[0], phrase, chosen)
                own = stored[0].restricted(chosen, span.id)
                part = self._part(own, plan, found[0], chosen)
                yield self._view(trace, plan, retriever, span, own, found=part)

    def _part(
        self, stored: StoredRows, plan: TracePlan, whole: Scales, tokens: Sequence[int]
    ) -> dict[Scale, Attribution | None]:
        """Attributions of a span: those of its tokens in the answer, which add up to it."""
        alone = attribute_scales(stored.table, plan, self.spec, self.value_kind)
        return {scale: own and restricted(whole[scale] or own, tokens, own) for scale, own in alone.items()}

    def _view(
        self,
        trace: Trace,
        plan: TracePlan,
        retriever: RetrieverView,
        target: Target,
        stored: StoredRows,
        *,
        found: Scales,
    ) -> View:
        evidence = build_evidence(stored, plan, retriever, found, has_floor=self.has_floor)
        return View(
            trace, target, evidence, found[self.spec.scale], found["nats"],
            stored.floor(self.spec.scale, measured=self.has_floor), stored.table,
        )  # fmt: skip

    def _nothing(self, trace: Trace, plan: TracePlan) -> Evidence:
        """What is known of a trace without attributions: rankings and texts."""
        reason = self.failures.get(plan.trace) or plan.reason or "the trace was not scored"
        targets, retriever = self.targets.get(trace.id), retriever_view(trace, self.spec.stage)
        extra = self.extra.texts(trace, targets[0].text if targets else None)
        return Evidence(plan.trace, "answer", (), retriever=retriever, extra=extra, reason=reason)

    def _measured(self, evidence: Evidence) -> Iterator[tuple[str, Measure]]:
        """The measures of traces; those of passages are columns of their table."""
        failure = self.failures.get(evidence.trace)
        for measure in (parse(name) for name in self.spec.measures):
            if measure.family.scope == "passage":
                continue
            yield measure.name, Measure.failed(failure) if failure else measure.compute(evidence)

    def _passage_rows(self, view: View) -> Iterator[Row]:
        trace, evidence = view.trace, view.evidence
        columns = {name: parse(name).per_passage(evidence) for name in IN_PASSAGES}
        places = _stage_places(trace, self.spec.stage)
        cited = citation_cells(evidence)
        for position, passage in enumerate(trace.context):
            rank, score = places.get(passage, (None, None))
            grade = trace.relevance.get(passage)
            yield {
                "trace": trace.id,
                "passage": passage,
                "target": view.target.id,
                "method": evidence.method,
                "rank": rank,
                "retriever_score": score,
                "position": position,
                "relevant": None if grade is None else grade > 0,
                **cited.get(passage, {}),
                **_attribution_cells(view, passage, self.placebo.on(self.spec.scale)),
                **{name: column[passage].value for name, column in columns.items()},
            }

    def _token_rows(self, view: View) -> Iterator[Row]:
        scaled, target = view.attribution, view.target
        if scaled is None:
            return
        for place, passage in enumerate(view.trace.context):
            for token, (start, end) in enumerate(target.offsets):
                yield {
                    "trace": view.trace.id,
                    "passage": passage,
                    "target": target.id,
                    "method": scaled.method,
                    "token": token,
                    "text": target.text[start:end],
                    "start": start,
                    "end": end,
                    "attribution": float(scaled.tokens[place, token]),
                    "low": _cell(scaled.token_low, place, token),
                    "high": _cell(scaled.token_high, place, token),
                }

    def _summary(self, totals: Totals) -> dict[str, Any]:
        methods = [plan.method for plan in self.plans if plan.trace not in self.failures]
        return {
            "format": 1,
            "scale": self.spec.scale,
            "traces": {
                "total": len(self.plans),
                "exact": methods.count(EXACT),
                "sampled": sum(method not in (EXACT, NONE) for method in methods),
                "closed_book_only": sum(plan.status == "closed_book_only" for plan in self.plans),
                "nothing_to_score": sum(plan.status == "nothing_to_score" for plan in self.plans),
                "failed": len(self.failures),
            },
            "measures": summarise([(name, measure) for _, name, measure in totals.measures], self.spec.seed),
            "share_by_rank": totals.shares.to_json("rank", self.spec.seed),
            "share_by_position": totals.shares.to_json("position", self.spec.seed),
            "slices": slices(self.by, self.traces, totals.measures, self.spec.seed),
            "split": totals.split,
            "beats_control": totals.control.summary(self.spec.seed),
            "knowledge": totals.knowledge.summary(),
            "prediction": totals.prediction.summary(totals.measures),
            **totals.retriever.write(),
            **totals.funnel.summary(),
        }


def _of_passages(evidence: Evidence) -> Evidence:
    """What findings may read: attributions that are no Shapley values have another unit or meaning."""
    shapley = evidence.method is None or evidence.method == NONE or estimand_of(evidence.method) == "shapley"
    return evidence if shapley else replace(evidence, attribution=None, attribution_prob=None)


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


def span_target(target: Target, phrase: str, tokens: Sequence[int]) -> Target:
    """The phrase as a target of its own; offsets stay those of the whole answer."""
    return replace(
        target,
        id=f"span:{phrase}",
        token_ids=tuple(target.token_ids[token] for token in tokens),
        offsets=tuple(target.offsets[token] for token in tokens),
    )


def _stage_places(trace: Trace, stage: str | None) -> dict[str, tuple[int, float | None]]:
    """Rank and score in the retriever's stage, by passage id."""
    names = {known.name for known in trace.stages}
    ranking = trace.last_ranking(stage) if stage is None or stage in names else None
    if ranking is None:
        return {}
    return {place.id: (rank, place.score) for rank, place in enumerate(ranking.ranking)}


def _cell(table: NDArray[np.float64] | None, place: int, token: int) -> float | None:
    return None if table is None else float(table[place, token])


def _attribution_cells(view: View, passage: str, placebo: float | None) -> Row:
    scaled, floor = view.attribution, view.floor
    if scaled is None:
        return {}
    value = scaled.total[passage]
    return {
        "attribution": value,
        "low": None if scaled.low is None else scaled.low[passage],
        "high": None if scaled.high is None else scaled.high[passage],
        "above_placebo": None if placebo is None else abs(value) > max(placebo, RESOLUTION),
        "above_numeric": above_noise(value, floor),
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


def _spread(values: Sequence[float]) -> dict[str, float | int | None]:
    return {
        "median": median(values) if values else None,
        "largest": max(values, default=None),
        "traces": len(values),
    }
