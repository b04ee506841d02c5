"""Does a run keep the bounds that were set for it? Judged by interval, not by the mean alone.

A rule fails when the whole 95 percent interval lies beyond its bound: what could be chance fails no build.
A rule whose bound lies inside the interval passes as *undecided*. An undefined measure is an outcome of its
own; a measure that the run does not hold is a mistake in the rule.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from boresight.errors import SpecError
from boresight.run.compare import compare_runs
from boresight.run.gate_rules import Rule, settle
from boresight.run.result import RunResult
from boresight.run.slices import SMALLEST as FEWEST
from boresight.stats.interval import Interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from boresight.run.compare import Comparison
    from boresight.run.compare_measures import MeasureChange

Outcome = Literal["held", "undecided", "failed", "undefined"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one rule.

    Attributes:
        rule: The rule.
        outcome: ``held``: the whole interval is within the bound. ``undecided``: the bound is inside the
            interval, or there is none. ``failed``: the whole interval is beyond the bound. ``undefined``:
            the measure has no value.
        value: The mean, or the mean difference to the base run.
        low: Lower end of its 95 percent interval.
        high: Upper end.
        traces: Number of traces behind the value.
        of: Number of traces that there are; of traces in both runs where a base is given.
        reason: Why there is no value or no interval.
    """

    rule: Rule
    outcome: Outcome
    value: float | None
    low: float | None
    high: float | None
    traces: int
    of: int
    reason: str | None

    def passes(self, *, strict: bool = False) -> bool:
        """Whether the rule lets the run through; with ``strict`` an undefined measure does not."""
        return self.outcome != "failed" and not (strict and self.outcome == "undefined")

    def to_json(self) -> dict[str, Any]:
        """JSON values: measure, side and bound beside what was found."""
        found = asdict(self)
        return {**found.pop("rule"), **found}

    @property
    def sentence(self) -> str:
        """One line for a person."""
        counts = f"{self.traces} of {self.of} traces"
        if self.value is None:
            return f"{self.outcome} {self.rule}: no value ({self.reason})"
        found = f"{self.outcome} {self.rule}: {self.value:.4g}"
        if self.low is None:
            return f"{found}, no interval ({self.reason}), {counts}"
        few = " (few: the interval is rough)" if self.traces < FEWEST else ""
        return f"{found}, 95 % interval {self.low:.4g} .. {self.high:.4g}, {counts}{few}"


@dataclass(frozen=True, slots=True)
class Gate:
    """A judged run.

    Attributes:
        run: Its folder.
        against: Folder of the base run, or None.
        strict: Whether undefined measures fail.
        verdicts: One a rule.
        remarks: What differs from the base run, and what cannot be compared.
    """

    run: str
    against: str | None
    strict: bool
    verdicts: tuple[Verdict, ...]
    remarks: tuple[str, ...] = ()

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """The rules that do not let the run through."""
        return tuple(verdict for verdict in self.verdicts if not verdict.passes(strict=self.strict))

    @property
    def passed(self) -> bool:
        """Whether every rule lets the run through."""
        return not self.broken

    def to_json(self) -> dict[str, Any]:
        """JSON values, all numbers finite."""
        rules = [one.to_json() | {"passed": one.passes(strict=self.strict)} for one in self.verdicts]
        return {
            "format": 1, "run": self.run, "against": self.against, "strict": self.strict,
            "passed": self.passed, "rules": rules, "remarks": list(self.remarks),
        }  # fmt: skip


def judge(
    run: str | Path | RunResult,
    rules: Iterable[Rule],
    *,
    against: str | Path | RunResult | None = None,
    strict: bool = False,
    seed: int = 0,
) -> Gate:
    """Judge a finished run.

    Args:
        run: The run, or its folder.
        rules: Bounds on run-level means; with ``against`` on their paired differences, run minus base.
        against: A base run, or its folder.
        strict: Whether an undefined measure fails.
        seed: Seed of the bootstrap of the differences.

    Returns:
        One verdict a rule, in their order.

    Raises:
        SpecError: No finished run lies there, a run does not hold a measure, the two runs share no trace, or
            a rule makes no sense (see :func:`boresight.run.gate_rules.settle`).
    """
    judged = run if isinstance(run, RunResult) else RunResult(run)
    if against is None:
        means = judged.summary["measures"]
        settled = settle(rules, means, of_differences=False, where=str(judged.folder))
        verdicts = tuple(_of_mean(rule, means[rule.measure]) for rule in settled)
        return Gate(str(judged.folder), None, strict, verdicts)
    base = against if isinstance(against, RunResult) else RunResult(against)
    return _judge_against(judged, base, rules, strict=strict, seed=seed)


def _judge_against(
    run: RunResult, base: RunResult, rules: Iterable[Rule], *, strict: bool, seed: int
) -> Gate:
    wanted = list(rules)
    for one in (base, run):  # so that the error names the run that lacks a measure
        settle(wanted, one.summary["measures"], of_differences=True, where=str(one.folder))
    shared = [name for name in run.summary["measures"] if name in base.summary["measures"]]
    settled = settle(wanted, shared, of_differences=True, where="both runs")
    compared = compare_runs(base, run, names={rule.measure for rule in settled}, seed=seed)
    traces = len(compared.pairing.common)
    if not traces:
        raise SpecError(f"{run.folder} and {base.folder} have no trace in common, so nothing can be compared")
    verdicts = tuple(_of_change(rule, compared.measures[rule.measure], traces) for rule in settled)
    return Gate(str(run.folder), str(base.folder), strict, verdicts, _differences(compared))


def _differences(compared: Comparison) -> tuple[str, ...]:
    fields = [one.field for one in compared.settings if one.field.partition(".")[0] != "environment"]
    named = (f"the runs differ in {', '.join(fields)}",) if fields else ()
    return (*named, *compared.remarks)


def _of_mean(rule: Rule, mean: Mapping[str, Any]) -> Verdict:
    total = mean["defined"] + mean["undefined"] + mean["failed"]
    reason = None
    if mean["value"] is None:
        reason = next(iter(mean["reasons"]), "no trace has a value")
    elif mean["low"] is None:
        reason = "one trace says nothing about spread"
    return _verdict(rule, Interval(mean["value"], mean["low"], mean["high"], reason), mean["defined"], total)


def _of_change(rule: Rule, change: MeasureChange, traces: int) -> Verdict:
    interval = Interval(change.difference, change.low, change.high, change.reason)
    return _verdict(rule, interval, change.pairs, traces)


def _verdict(rule: Rule, found: Interval[float | None], traces: int, of: int) -> Verdict:
    return Verdict(rule, _outcome(rule, found), found.value, found.low, found.high, traces, of, found.reason)


def _outcome(rule: Rule, found: Interval[float | None]) -> Outcome:
    if found.value is None:
        return "undefined"
    if found.low is None or found.high is None:
        return "undecided"
    best, worst = (found.high, found.low) if rule.side == "min" else (found.low, found.high)
    if rule.is_beyond(best):
        return "failed"
    return "undecided" if rule.is_beyond(worst) else "held"
