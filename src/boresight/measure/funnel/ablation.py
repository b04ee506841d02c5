"""Counterfactual ablation of stages: change one, run the pipeline again, read what it does to the end.

Tracing says which stage lost a passage; only a changed run says whether that mattered. Context and answers
are compared on the same traces, so the intervals are those of paired differences. No model is called here:
the answer comes from a function that the caller gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from boresight.errors import ScoringError
from boresight.measure.funnel.good import good_passages
from boresight.measure.funnel.words import answer_is_right
from boresight.stats.bootstrap import PairedInterval, paired_interval
from boresight.stats.random import rng_for
from boresight.stats.wilson import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from boresight.measure.funnel.pipeline import Change, Pipeline
    from boresight.stats.interval import Interval
    from boresight.trace import Trace

    Goods = Callable[[Trace], Sequence[str]]
    AnswerOf = Callable[[Trace], "Answered"]


@dataclass(frozen=True, slots=True)
class Answered:
    """What the generator makes of a context; whatever was not computed is None.

    Attributes:
        reference_logprob: Log-probability of the reference answer, nats (of several, the caller's choice).
        text: The answer that it generates.
    """

    reference_logprob: float | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does to one measure.

    Attributes:
        measure: ``good_in_context`` (share of the good passages), ``any_good``, ``reciprocal_rank`` (of the
            first good passage in the context), ``context_changed``, ``reference_logprob`` (nats),
            ``answer_right``, or ``answer_changed``.
        before: Mean over the compared traces without the change; None when there is none.
        after: Mean with it.
        change: Mean difference, after minus before, with its paired bootstrap interval and counts.
    """

    measure: str
    before: float | None
    after: float | None
    change: PairedInterval

    def to_json(self) -> dict[str, Any]:
        """The effect as JSON values."""
        found = self.change.difference
        return {
            "measure": self.measure,
            "before": self.before,
            "after": self.after,
            "change": found.value,
            "low": found.low,
            "high": found.high,
            "traces": self.change.pairs,
            "reason": found.reason,
        }


@dataclass(frozen=True, slots=True)
class Ablation:
    """One change and its effects.

    Attributes:
        change: The change.
        effects: Its effects, one a measure that any trace has.
        recovered: Share of the good passages missing from the context that the change brings in, with
            Wilson's interval; undefined when none was missing.
        missing: How many good passages were missing.
        displaced: How many good passages the change drives out.
        failed: Why the answer could not be had, by trace id; these traces count for the context only.
    """

    change: Change
    effects: tuple[Effect, ...]
    recovered: Interval[float | None]
    missing: int
    displaced: int
    failed: Mapping[str, str]

    def to_json(self) -> dict[str, Any]:
        """The ablation as JSON values."""
        return {
            "change": self.change.name,
            "stage": self.change.stage,
            "effects": [effect.to_json() for effect in self.effects],
            "recovered": {
                "value": self.recovered.value,
                "low": self.recovered.low,
                "high": self.recovered.high,
                "of": self.missing,
            },
            "displaced": self.displaced,
            "failed": dict(self.failed),
        }


@dataclass(frozen=True, slots=True)
class _Outcome:
    """One run of one trace."""

    trace: Trace
    good: tuple[str, ...]
    answered: Answered | None
    failure: str | None = None


def ablate(
    pipeline: Pipeline,
    traces: Sequence[Trace],
    changes: Iterable[Change],
    *,
    answer_of: AnswerOf | None = None,
    good_of: Goods | None = None,
    seed: int = 0,
) -> tuple[Ablation, ...]:
    """Change one stage at a time and compare with the unchanged pipeline, trace by trace.

    Stages before the changed one are not run again, and where the context stays the same the answer is not
    asked for again, so that nothing but the change can make a difference.

    Args:
        pipeline: The pipeline.
        traces: The traces whose queries are asked.
        changes: The changes, each tried alone.
        answer_of: From a trace with its new context to the references' log-probability and the answer.
            Without it only the context is compared. A :class:`ScoringError` is counted, and its trace left
            out.
        good_of: Good passages of a trace, best first; by default labelled or with a reference answer.
        seed: Seed of the intervals and of the decoys.

    Raises:
        SpecError: The pipeline cannot make a change; nothing was run.
    """
    wanted = tuple(changes)
    for change in wanted:
        pipeline.check(change)
    goods = good_of or _good_ids
    before = [_outcome(pipeline.run(trace), tuple(goods(trace)), answer_of) for trace in traces]
    return tuple(
        _compare(change, before, [_changed(pipeline, change, one, answer_of, seed) for one in before], seed)
        for change in wanted
    )


def retrieval_values(trace: Trace, good: Sequence[str]) -> dict[str, float]:
    """Measures of a context by its good passages; empty when the trace has none.

    Args:
        trace: A trace with its context.
        good: Ids of its good passages.

    Returns:
        ``good_in_context`` is recall, ``any_good`` success, ``reciprocal_rank`` 1 / (1 + place of the first
        good passage), 0 when the context has none.

    Source: E. Voorhees, The TREC-8 question answering track report (1999), for the last.
    """
    if not good:
        return {}
    places = [place for place, key in enumerate(trace.context) if key in set(good)]
    return {
        "good_in_context": len(places) / len(set(good)),
        "any_good": float(bool(places)),
        "reciprocal_rank": 1 / (1 + places[0]) if places else 0.0,
    }


def _good_ids(trace: Trace) -> list[str]:
    return [one.passage for one in good_passages(trace)]


def _outcome(trace: Trace, good: tuple[str, ...], answer_of: AnswerOf | None) -> _Outcome:
    try:
        return _Outcome(trace, good, answer_of(trace) if answer_of else None)
    except ScoringError as error:
        return _Outcome(trace, good, None, str(error))


def _changed(
    pipeline: Pipeline, change: Change, before: _Outcome, answer_of: AnswerOf | None, seed: int
) -> _Outcome:
    first = before.good if change.kind == "inject" else _decoys(change, before, seed)
    trace = pipeline.run(before.trace, change, first, before.trace)
    if trace.context == before.trace.context:
        return _Outcome(trace, before.good, before.answered, before.failure)
    return _outcome(trace, before.good, answer_of)


def _decoys(change: Change, before: _Outcome, seed: int) -> tuple[str, ...]:
    """As many passages that the stage cut as there are good ones, or all of them; none of them good."""
    stage = next(stage for stage in before.trace.stages if stage.name == change.stage)
    cut = [place.id for place in stage.ranking[stage.cut :] if place.id not in before.good]
    if change.kind != "decoy" or stage.cut is None:
        return ()
    rng = rng_for(seed, before.trace.id, "decoys")
    return tuple(cut[place] for place in rng.permutation(len(cut))[: len(before.good)])


def _compare(change: Change, before: Sequence[_Outcome], after: Sequence[_Outcome], seed: int) -> Ablation:
    first = {one.trace.id: _values(one, one) for one in before}
    second = {one.trace.id: _values(one, base) for one, base in zip(after, before, strict=True)}
    names = dict.fromkeys(name for values in first.values() for name in values)
    missing, brought, displaced = _passages(before, after)
    return Ablation(
        change,
        tuple(_effect(name, change, first, second, seed) for name in names),
        wilson_interval(brought, missing),
        missing,
        displaced,
        {one.trace.id: one.failure for one in (*before, *after) if one.failure is not None},
    )


def _values(one: _Outcome, base: _Outcome) -> dict[str, float]:
    """Every number of a run of a trace; ``base`` is its run without the change."""
    values = retrieval_values(one.trace, one.good)
    values["context_changed"] = float(one.trace.context != base.trace.context)
    if one.answered is None or base.answered is None:
        return values
    if one.answered.reference_logprob is not None:
        values["reference_logprob"] = one.answered.reference_logprob
    right = answer_is_right(one.answered.text, one.trace.references)
    if right is not None:
        values["answer_right"] = float(right)
    if one.answered.text is not None:
        values["answer_changed"] = float(one.answered.text != base.answered.text)
    return values


def _passages(before: Sequence[_Outcome], after: Sequence[_Outcome]) -> tuple[int, int, int]:
    """Good passages missing before, brought in, and driven out."""
    missing = brought = displaced = 0
    for old, new in zip(before, after, strict=True):
        good, had, has = set(old.good), set(old.trace.context), set(new.trace.context)
        missing += len(good - had)
        brought += len((good - had) & has)
        displaced += len((good & had) - has)
    return missing, brought, displaced


def _effect(
    name: str,
    change: Change,
    first: Mapping[str, Mapping[str, float]],
    second: Mapping[str, Mapping[str, float]],
    seed: int,
) -> Effect:
    old = {trace: values[name] for trace, values in first.items() if name in values and name in second[trace]}
    new = {trace: second[trace][name] for trace in old}
    return Effect(
        name, _mean(old), _mean(new), paired_interval(new, old, rng_for(seed, "ablate", change.name, name))
    )


def _mean(values: Mapping[str, float]) -> float | None:
    return sum(values.values()) / len(values) if values else None
