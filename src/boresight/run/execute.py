"""Execute a run: rank, generate, plan, score. Each step is stored as it is done and skipped on resume."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from boresight.errors import CallError, InputError, ModelError, ScoringError, SpecError, WindowError
from boresight.game.context_game import ContextGame
from boresight.game.targets import (
    ABSTENTION,
    ANSWER,
    REFERENCE,
    generated_target,
    known_target,
    named_targets,
)
from boresight.models.prompts import style_named
from boresight.models.seam import Generation, Metered, Request, Target
from boresight.run.evidence import SIMILARITY
from boresight.run.extra import ExtraGames, absent_reasons, is_extra, table_targets
from boresight.run.extra_answers import StoredAnswers, ask_for, wanted_answers
from boresight.run.placebo import PlaceboPlanner, guest_game
from boresight.run.plan import (
    CLOSED,
    FLOOR,
    PASSAGES,
    Batch,
    TracePlan,
    check_window,
    plan_trace,
    requests_of,
)
from boresight.run.value_rows import value_row
from boresight.store.files import append_jsonl, read_json, read_jsonl, write_json
from boresight.trace import Passage, Ranked, Stage, Trace, trace_to_dict
from boresight.trace.forms import parse_trace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boresight.game.needs import Needs
    from boresight.models.rankers.seam import Ranker
    from boresight.models.seam import Generator
    from boresight.run.directory import RunDirectory
    from boresight.run.progress import Progress
    from boresight.run.spec import RunSpec
    from boresight.store.values import ValueRow


SIMILARITY_NOTE = (
    "this endpoint gives no log-probabilities: values are similarities (0 to 1) of answers that were "
    "generated again, so read every nats as similarity, and the floors as the noise of sampling"
)


@dataclass(slots=True)
class Execution:
    """One run in progress.

    Attributes:
        directory: Where everything is stored.
        spec: The settings.
        needs: What the chosen measures read.
        generator: The generator.
        encoder: The ranker of ``--retriever``, or None.
        traces: The traces, with the ranker's stage once :meth:`rank` has run.
        progress: Told what happens.
        speed: Tokens a second as measured before the run, or None; for the estimate of its time only.
    """

    directory: RunDirectory
    spec: RunSpec
    needs: Needs
    generator: Generator
    encoder: Ranker | None
    traces: list[Trace]
    progress: Progress
    targets: dict[str, list[Target]] = field(default_factory=dict)
    plans: list[TracePlan] = field(default_factory=list)
    failures: dict[str, str] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    speed: float | None = None

    def game(self, trace: Trace) -> ContextGame:
        """The context game of a trace under the run's settings."""
        style = replace(style_named(self.spec.style), labels=self.spec.labels)
        targets = self.targets.get(trace.id)
        return ContextGame(
            self.generator,
            trace,
            style=style,
            target=targets[0] if targets else None,
            max_new_tokens=self.spec.max_new_tokens,
            score_end=self.spec.score_end,
        )

    # 1. the retriever -------------------------------------------------------------------------------------

    def rank(self) -> None:
        """Score all passages with the encoder as a new stage, and store the traces."""
        stored = [parse_trace(line).trace for line in read_jsonl(self.directory.traces)]
        self.traces[: len(stored)] = stored
        self.progress.phase("retriever" if self.encoder else "traces", len(self.traces))
        self.progress.advance(len(stored))
        with self.directory.timed("retriever"):
            for index in range(len(stored), len(self.traces)):
                if self.encoder is not None:
                    self.traces[index] = with_encoder_stage(self.traces[index], self.encoder)
                append_jsonl(self.directory.traces, [trace_to_dict(self.traces[index])])
                self.progress.advance()

    # 2. the targets ---------------------------------------------------------------------------------------

    def fix_targets(self) -> None:
        """Fix every target of every trace: recorded, or generated greedily where none is recorded."""
        for line in read_jsonl(self.directory.targets):
            self.targets.setdefault(line["trace"], []).append(target_from_json(line))
        generations = self._stored_generations(ANSWER)
        todo = [trace for trace in self.traces if trace.id not in self.targets]
        self.progress.phase("answers", len(self.traces))
        self.progress.advance(len(self.traces) - len(todo))
        with self.directory.timed("generation"):
            for trace in todo:
                self._fix(trace, generations.get(trace.id))
                self.progress.advance()

    def _fix(self, trace: Trace, stored: dict[str, Any] | None) -> None:
        try:
            targets = list(self._targets(trace, stored))
        except ScoringError as error:
            self.failures[trace.id] = str(error)
            return
        except WindowError as error:
            self.failures[trace.id] = self._too_long(error)
            return
        self.targets[trace.id] = targets
        append_jsonl(self.directory.targets, [_target_to_json(trace.id, target) for target in targets])

    def _too_long(self, error: WindowError) -> str:
        if self.spec.too_long == "refuse":
            raise error
        return str(error).partition(";")[0]  # the advice behind it was taken

    def _targets(self, trace: Trace, stored: dict[str, Any] | None) -> Iterator[Target]:
        end = self.spec.score_end
        answer = known_target(self.generator, trace, ANSWER, end=end)
        if answer is None:
            generation = _generation_from_json(stored) if stored else self._generate(trace)
            answer = generated_target(self.generator, trace, generation, end=end)
        yield answer
        yield from self.other_targets(trace)

    def other_targets(self, trace: Trace) -> Iterator[Target]:
        """The targets beside the answer that the measures need and the trace has."""
        absent = absent_reasons(self.generator, self.needs)
        names = self.needs.targets - {ANSWER}
        names |= {REFERENCE} if self.needs.contrastive else set()
        names |= {ABSTENTION} if self.needs.abstention and ABSTENTION not in absent else set()
        for target_id in named_targets(names, trace):
            target = known_target(self.generator, trace, target_id, end=self.spec.score_end)
            if target is not None:
                yield target

    def _generate(self, trace: Trace) -> Generation:
        game = self.game(trace)
        check_window(game, (), self.spec.max_new_tokens)
        return self.ask(game.generation_request(), "1" * len(trace.context), ANSWER)

    def ask(self, request: Request, coalition: str, purpose: str) -> Generation:
        """Generate, and store what for: ``ANSWER``, which is audited, ``CLOSED``, or what a measure reads."""
        self.directory.count(calls=0 if self._counts_itself else 1)
        generation = self.generator.generate(request, self.spec.max_new_tokens)
        line = _generation_to_json(request, coalition, purpose, generation)
        append_jsonl(self.directory.generations, [line])
        return generation

    def _stored_generations(self, purpose: str) -> dict[str, dict[str, Any]]:
        lines = read_jsonl(self.directory.generations)
        return {line["trace"]: line for line in lines if line["purpose"] == purpose}

    def answer_closed_book(self) -> None:
        """Let the model answer each question without passages, to be shown beside the answer.

        Nothing depends on it, so a question that cannot be answered so is a warning.
        """
        done = self._stored_generations(CLOSED)
        scored = {trace for trace, targets in self.targets.items() if targets[0].token_ids}
        todo = [one for one in self.traces if one.context and one.id in scored and one.id not in done]
        self.progress.phase("closed book", len(todo) + len(done))
        self.progress.advance(len(done))
        with self.directory.timed("generation"):
            for trace in todo if self.asks_closed_book else ():
                try:
                    self.ask(self.game(trace).closed_book_request(()), "", CLOSED)
                except (ScoringError, WindowError) as error:
                    self.directory.record["warnings"].append(f"trace {trace.id!r}, closed book: {error}")
                self.progress.advance()

    @property
    def asks_closed_book(self) -> bool:
        """Whether each question is also answered without passages."""
        return self.spec.closed_book_answers or self.needs.closed_book_answer

    def answer_for_measures(self) -> None:
        """Generate the answers that only measures read; one that cannot be had is a warning."""
        if not (self.needs.order_answers or self.needs.single_answers):
            return
        stored = StoredAnswers.read(self.directory.generations)
        scored = [one for one in self.traces if one.id in self.targets and self.targets[one.id][0].token_ids]
        self.progress.phase("answers for measures", len(scored))
        with self.directory.timed("generation"):
            for trace in scored:
                generated = self.targets[trace.id][0].kind == "generated"
                wanted = wanted_answers(trace, self.needs, self.spec.seed, generated=generated)
                game = self.game(trace)
                notes = [ask_for(one, game, self.ask) for one in stored.missing(wanted)]
                self.directory.record["warnings"] += filter(None, notes)
                self.progress.advance()

    # 3. the plan ------------------------------------------------------------------------------------------

    def make_plan(self) -> None:
        """Decide methods and batches of every trace, and fix them in ``plan.json``."""
        if self.directory.plan.exists():
            stored = read_json(self.directory.plan)
            self.plans = [TracePlan.from_json(plan) for plan in stored["traces"]]
            self._record_planned()
            return
        self.progress.phase("plan", len(self.traces))
        for trace in self.traces:
            self.plans.append(self.plan_one(trace))
            self.progress.advance()
        self.plans = self.with_placebos(self.plans)
        absent = absent_reasons(self.generator, self.needs)
        self.directory.record |= {"absent": absent} if absent else {}
        write_json(self.directory.plan, {"traces": [plan.to_json() for plan in self.plans]})
        self._record_planned()

    def _record_planned(self) -> None:
        planned = sum(plan.tokens + plan.extra_tokens for plan in self.plans)
        self.directory.record["tokens"]["planned"] = planned
        if self.speed:
            self.directory.record["seconds"]["scoring_planned"] = round(planned / self.speed, 3)
        self.directory.save()

    def with_placebos(self, plans: Sequence[TracePlan]) -> list[TracePlan]:
        """Add the guests of the placebo floor; a generator without rounding has no floors to measure."""
        if not self.generator.capabilities().has_floor:
            return list(plans)
        targets = {trace: table_targets(targets, self.needs) for trace, targets in self.targets.items()}
        return PlaceboPlanner(self.traces, targets, self.spec, self.game).add(plans)

    def plan_one(self, trace: Trace) -> TracePlan:
        """Plan one trace whose targets are fixed."""
        if trace.id in self.failures:
            return TracePlan(trace.id, "failed", reason=self.failures[trace.id], players=len(trace.context))
        has_floor = self.generator.capabilities().has_floor
        game, targets = self.game(trace), table_targets(self.targets[trace.id], self.needs)
        try:
            plan = plan_trace(game, targets, self.needs, self.spec, has_floor=has_floor)
            return self._extra(trace, game).added_to(plan)
        except ScoringError as error:
            reason = str(error)
        except WindowError as error:
            reason = self._too_long(error)
        return TracePlan(trace.id, "failed", reason=reason, players=len(trace.context))

    def _extra(self, trace: Trace, game: ContextGame) -> ExtraGames:
        targets = [target for target in self.targets[trace.id] if target.token_ids]
        return ExtraGames(game, targets, self.needs, self.spec.seed)

    def extra_calls(self, trace: Trace, plan: TracePlan, metered: Metered) -> int:
        """Calls to an endpoint for the rows that only some measures read."""
        batches = [batch for batch in plan.batches if is_extra(batch)]
        if not batches or trace.id not in self.targets:  # of a resumed run, whose targets are not read yet
            return sum(batch.calls for batch in batches)
        return self._extra(trace, self.game(trace)).calls(batches, metered.calls_for)

    # 4. the values ----------------------------------------------------------------------------------------

    def score(self) -> None:
        """Score all planned batches that are not stored yet."""
        known = self.directory.record["warnings"]
        if self.generator.capabilities().value_kind == SIMILARITY and SIMILARITY_NOTE not in known:
            known.append(SIMILARITY_NOTE)
        values = self.directory.values()
        self.progress.phase("scoring", sum(plan.tokens + plan.extra_tokens for plan in self.plans))
        self.failures |= {plan.trace: plan.reason or "" for plan in self.plans if plan.status == "failed"}
        with self.directory.timed("scoring"):
            for index, plan in enumerate(self.plans):
                if values.is_finished(index):
                    self.progress.advance(plan.tokens + plan.extra_tokens)
                elif plan.trace not in self.failures:
                    self._score_trace(index, plan)
        self.directory.record["failures"] = self.failures
        self.directory.save()

    def _score_trace(self, index: int, plan: TracePlan) -> None:
        values = self.directory.values()
        game = self.game(self.traces[index])
        guest = self._guest(self.traces[index], plan)
        targets = [one for one in table_targets(self.targets[plan.trace], self.needs) if one.token_ids]
        extra = self._extra(self.traces[index], game)
        missing: list[CallError] = []
        for number, batch in enumerate(plan.batches):
            if not values.has_batch(index, number):
                in_game = len(batch.games.get(PASSAGES, ()))
                calls = 0 if self._counts_itself else batch.calls
                self.directory.count(calls=calls, coalitions=in_game, tokens=batch.tokens)
                try:
                    if is_extra(batch):
                        rows = extra.score(batch, number)
                    else:
                        rows = self._score_batch(requests_of(game, targets, batch, guest), batch, number)
                    values.write_batch(index, number, rows)
                except CallError as error:
                    missing.append(error)
                except ScoringError as error:
                    self.failures[plan.trace] = str(error)
                    return
            self.progress.advance(batch.tokens)
        if missing:
            self.failures[plan.trace] = _missing(missing, len(plan.batches))
        else:
            values.finish(index, len(plan.batches))

    @property
    def _counts_itself(self) -> bool:
        return isinstance(self.generator, Metered)

    def _guest(self, trace: Trace, plan: TracePlan) -> ContextGame | None:
        """The game with the placebo, if the trace has one."""
        if plan.placebo is None:
            return None
        return guest_game(trace, plan.placebo, {one.id: one for one in self.traces}, self.game)

    def _score_batch(self, requests: Sequence[Request], batch: Batch, number: int) -> list[ValueRow]:
        again = FLOOR in batch.games
        able = self.generator.capabilities()
        together = again and able.packs is None  # of packs, the second scoring is alone
        scored = self.generator.score_together(requests) if together else self.generator.score(requests)
        return [
            value_row(row, one, target_id, number, repeat=int(again))
            for row, one in zip(batch.rows, scored, strict=True)
            for target_id in one.logprobs
        ]


def with_encoder_stage(trace: Trace, encoder: Ranker) -> Trace:
    """The trace with one more stage: all its passages, ranked by the encoder.

    A stage of the encoder's name that is there already is kept; :func:`check_stage` lets it get here only
    where the caller knows that this encoder made it.

    Equal scores stand in the order of the context, then of the texts, so that neither the ids nor the order
    of ``passages`` in the file change a rank.
    """
    if _has_stage(trace, encoder.name):
        return trace
    texts = {passage.id: passage_text(passage) for passage in trace.passages}
    try:
        scores = encoder.score(trace.query, texts)
    except ModelError as error:
        raise ModelError(f"trace {trace.id!r}: {error}") from error
    place = {passage: position for position, passage in enumerate(trace.context)}
    ranking = sorted(
        scores.items(), key=lambda item: (-item[1], place.get(item[0], len(place)), texts[item[0]])
    )
    return trace.with_stage(Stage(encoder.name, "retrieve", tuple(Ranked(*place) for place in ranking)))


def _has_stage(trace: Trace, name: str) -> bool:
    return any(stage.name == name for stage in trace.stages)


def _refuse_taken(trace: Trace, name: str) -> None:
    if _has_stage(trace, name):
        raise InputError(
            f"trace {trace.id!r} already has a stage called {name!r}; rename it, or leave --retriever out"
        )


def passage_text(passage: Passage) -> str:
    """What an encoder reads of a passage: title and text."""
    return f"{passage.title}\n{passage.text}" if passage.title else passage.text


def check_stage(traces: Sequence[Trace], stage: str | None, encoder: Ranker | None) -> None:
    """Refuse a ``--stage`` that no trace has or will have, and an encoder whose name is taken.

    Raises:
        SpecError: Names the stages that there are.
        InputError: A trace has a stage of the encoder's name.
    """
    for trace in traces if encoder is not None else ():
        _refuse_taken(trace, encoder.name if encoder else "")
    if stage is None or not traces:
        return
    own = set() if encoder is None else {encoder.name}
    names = sorted({known.name for trace in traces for known in trace.stages} | own)
    if stage not in names:
        raise SpecError(f"no trace has a stage called {stage!r}; there is {', '.join(names) or 'none'}")


def _missing(errors: Sequence[CallError], batches: int) -> str:
    """Why a trace is not finished although its other batches are stored."""
    return (
        f"{len(errors)} of {batches} batches lack values, and the same command asks for these again; "
        f"the first: {errors[0]}"
    )


def _target_to_json(trace_id: str, target: Target) -> dict[str, Any]:
    line: dict[str, Any] = {
        "trace": trace_id,
        "target": target.id,
        "kind": target.kind,
        "text": target.text,
        "token_ids": list(target.token_ids),
        "offsets": [list(span) for span in target.offsets],
    }
    return line if target.thoughts is None else {**line, "thoughts": target.thoughts}


def target_from_json(line: dict[str, Any]) -> Target:
    """A target from its line in ``targets.jsonl``."""
    spans = tuple((start, end) for start, end in line["offsets"])
    ids = tuple(line["token_ids"])
    return Target(line["target"], line["kind"], line["text"], ids, spans, line.get("thoughts"))


def _generation_to_json(
    request: Request, coalition: str, purpose: str, generation: Generation
) -> dict[str, Any]:
    return {
        "trace": request.trace,
        "game": request.game,
        "purpose": purpose,
        "coalition": coalition,
        "order": list(request.order),
        "text": generation.text,
        "token_ids": list(generation.token_ids),
        "finished": generation.finished,
        "offsets": [list(span) for span in generation.offsets],
        "thoughts": generation.thoughts,
    }


def _generation_from_json(line: dict[str, Any]) -> Generation:
    spans = tuple((start, end) for start, end in line["offsets"])
    return Generation(line["text"], tuple(line["token_ids"]), line["finished"], spans, line["thoughts"])
