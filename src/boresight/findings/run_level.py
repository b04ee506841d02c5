"""Rates of finding kinds over a run, and findings about the run as a whole.

A finding about a run needs its interval to exclude what chance would give. Its score is the distance from
chance in the unit of the measure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypedDict

from boresight.findings.rules import KINDS
from boresight.findings.types import Finding, Number
from boresight.findings.words import counted, interval, nats, number, percent
from boresight.stats.wilson import wilson_interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from boresight.findings.types import Remedy

    Summary = Mapping[str, Any]

Side = Literal["above", "below"]

MOST = 0.5
"""A share of traces speaks for a whole run when its interval lies above one half."""


class Rate(TypedDict):
    """How often a kind was found.

    ``value`` is the share of the ``of`` traces it was asked of that have at least one finding of the kind,
    ``low`` and ``high`` its 95 percent Wilson interval; all three are None when it was asked of none.
    """

    traces: int
    of: int
    value: float | None
    low: float | None
    high: float | None


def finding_rates(asked: Iterable[Iterable[str]], findings: Iterable[Finding]) -> dict[str, Rate]:
    """Rates of all kinds.

    Args:
        asked: Per trace the kinds it had the numbers for.
        findings: The findings of the traces; those about the run are left out.
    """
    known = [kind for kinds in asked for kind in kinds]
    traces = {(finding.kind, finding.trace) for finding in findings if finding.trace is not None}
    found = [kind for kind, _ in traces]
    return {kind: _rate(found.count(kind), known.count(kind)) for kind in KINDS}


def _rate(traces: int, of: int) -> Rate:
    rate = wilson_interval(traces, of)
    return Rate(traces=traces, of=of, value=rate.value, low=rate.low, high=rate.high)


class _Sign(NamedTuple):
    """What a measure on one side of its chance level says about a run."""

    measure: str
    side: Side
    kind: str
    words: str
    remedy: Remedy


_SIGNS = (
    _Sign("wasted_retrieval@2", "above", "wasted_retrieval",
          "The retriever's first passage ends below the generator's first three more often than by chance",
          "rerank"),
    _Sign("noise_distraction@2", "above", "noise_distraction",
          "Answers rest most on a passage below the retriever's first three more often than by chance",
          "rerank"),
    _Sign("top1_agreement", "below", "against_the_retriever",
          "Retriever and generator put the same passage first less often than by chance", "rerank"),
    _Sign("warg@1.5", "below", "against_the_retriever",
          "The generator uses the passages that the retriever scores low", "rerank"),
    _Sign("top1_agreement", "above", "with_the_retriever",
          "Retriever and generator put the same passage first more often than by chance", "none"),
    _Sign("warg@1.5", "above", "with_the_retriever",
          "The generator uses the passages that the retriever scores high", "none"),
    _Sign("context_gain", "below", "context_hurts",
          "The context makes the answers less likely than the plain question does", "drop_passage"),
    _Sign("context_gain", "above", "context_helps",
          "The context makes the answers more likely than the plain question does", "none"),
)  # fmt: skip


def run_findings(summary: Summary) -> list[Finding]:
    """Findings about the run, from ``measures`` and ``findings`` of its summary, the surest fault first."""
    signs = [_finding(sign, summary) for sign in _SIGNS if excludes_chance(summary, sign.measure, sign.side)]
    return [*_mostly_from_memory(summary), *signs]


def excludes_chance(summary: Summary, measure: str, side: Side) -> bool:
    """Whether the interval of a measure lies wholly on one side of its chance level.

    Args:
        summary: A summary.
        measure: Name of the measure; one that was not taken excludes nothing.
        side: Which side.
    """
    taken = summary["measures"].get(measure)
    if taken is None or taken["low"] is None or taken["high"] is None:
        return False
    chance = chance_of(summary, measure)
    if chance is None:
        return False
    return bool(taken["low"] > chance if side == "above" else taken["high"] < chance)


def chance_of(summary: Summary, measure: str) -> float | None:
    """The chance level of a measure; 0 for a difference, None where it is not known."""
    chance: float | None = summary["measures"][measure]["chance"]
    return 0.0 if measure == "context_gain" else chance


def _finding(sign: _Sign, summary: Summary) -> Finding:
    taken, chance = summary["measures"][sign.measure], chance_of(summary, sign.measure) or 0.0
    shown = {"share": percent, "nats": nats}.get(taken["unit"], number)
    scale, digits = (100.0, 0) if taken["unit"] == "share" else (1.0, 2)
    against = "" if sign.measure == "context_gain" else f"; chance {shown(chance)}"
    sentence = (
        f"{sign.words}: {shown(taken['value'])} on {counted(taken['defined'], 'trace')} "
        f"({interval(taken['low'], taken['high'], scale=scale, digits=digits)}{against})."
    )
    evidence = {
        sign.measure: Number(taken["value"], taken["low"], taken["high"]),
        "chance": Number(chance),
        "traces": Number(float(taken["defined"])),
    }
    return Finding(None, sign.kind, (), sentence, abs(taken["value"] - chance), evidence, sign.remedy)


def _mostly_from_memory(summary: Summary) -> list[Finding]:
    rate = summary["findings"].get("from_memory")
    if rate is None or rate["low"] is None or rate["low"] <= MOST:
        return []
    sentence = (
        f"Most answers need no passage: {rate['traces']:,} of {counted(rate['of'], 'trace')} "
        f"({interval(rate['low'], rate['high'], scale=100, digits=0)})."
    )
    evidence = {"from_memory": Number(rate["value"], rate["low"], rate["high"]), "chance": Number(MOST)}
    return [Finding(None, "from_memory", (), sentence, rate["value"] - MOST, evidence, "abstain_or_cite")]
