"""The three sentences that matter most about a run, from its numbers by fixed rules, never by a model.

Five topics say at most one sentence each: can the run be trusted, is a passage hostile, does the context
help, does the generator follow the retriever, and which fault is the most frequent. An alarm goes before a
fact and a fact before a blank; the chosen three are told in the order of the topics.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from boresight.findings.run_level import MOST, chance_of, excludes_chance
from boresight.findings.words import counted, interval, nats, number, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.findings.run_level import Side

    Summary = Mapping[str, Any]

COUNT = 3
MANY_FAILED = 0.1
"""A larger share of failed traces is an alarm."""


class Urgency(IntEnum):
    """How much a sentence matters."""

    BLANK = 0
    FACT = 1
    ALARM = 2


class Said(NamedTuple):
    """A sentence of one topic."""

    urgency: Urgency
    sentence: str


def sentences(summary: Summary) -> list[str]:
    """Three sentences about a run.

    Args:
        summary: ``traces``, ``measures`` and ``findings`` as in ``summary.json``.

    Returns:
        Three sentences, whatever the run holds.
    """
    said = [topic(summary) for topic in (_trust, _hostile, _context, _retriever, _faults)]
    order = sorted(range(len(said)), key=lambda place: (-said[place].urgency, place))
    chosen = [place for place in order if said[place].sentence][:COUNT]
    return [said[place].sentence for place in sorted(chosen)]


def _trust(summary: Summary) -> Said:
    traces = summary["traces"]
    total, failed = traces["total"], traces["failed"]
    audited = traces["exact"] + traces["sampled"]
    if not total:
        return Said(Urgency.ALARM, "This run holds no trace, so there is nothing to say about it.")
    if failed == total:
        return Said(Urgency.ALARM, f"No trace could be audited: {_all(total)} failed.")
    if failed:
        urgency = Urgency.ALARM if failed / total > MANY_FAILED else Urgency.FACT
        return Said(
            urgency, f"{failed:,} of {counted(total, 'trace')} failed and are in none of the numbers."
        )
    if not audited:
        return Said(
            Urgency.ALARM, f"No passage could be judged in {_all(total)}: no answer was scored with passages."
        )
    return Said(
        Urgency.BLANK,
        f"Passages were judged in {audited:,} of {counted(total, 'trace')}: {traces['exact']:,} exactly, "
        f"{traces['sampled']:,} from samples.",
    )


def _hostile(summary: Summary) -> Said:
    rate = summary["findings"].get("hostile_passage")
    if not rate or not rate["traces"]:
        return Said(Urgency.BLANK, "")
    return Said(
        Urgency.ALARM,
        f"In {rate['traces']:,} of {counted(rate['of'], 'trace')} a passage holds text that would steer a "
        "model, such as orders or control tokens.",
    )


def _context(summary: Summary) -> Said:
    gain, memory = summary["measures"].get("context_gain"), summary["findings"].get("from_memory")
    if gain is None or gain["value"] is None:
        return Said(Urgency.BLANK, "Whether the passages help the answers is not known: no trace tells.")
    hurts, mostly = excludes_chance(summary, "context_gain", "below"), _mostly(memory)
    helps = excludes_chance(summary, "context_gain", "above")
    basis = (
        f"{nats(gain['value'])} on {counted(gain['defined'], 'trace')}, {interval(gain['low'], gain['high'])}"
    )
    if not (hurts or helps):
        effect = "It cannot be told whether the passages make the answers more likely than no retrieval"
    else:
        more = "more" if helps else "less"
        effect = f"With the passages the answers are {more} likely than without retrieval"
    urgency = Urgency.ALARM if hurts or mostly else Urgency.FACT
    return Said(urgency, f"{effect} (mean gain {basis}){_from_memory(memory)}.")


def _from_memory(memory: Mapping[str, Any] | None) -> str:
    if not memory or not memory["of"]:
        return ""
    return f"; {memory['traces']:,} of {counted(memory['of'], 'answer')} gain nothing from them"


def _mostly(memory: Mapping[str, Any] | None) -> bool:
    return bool(memory and memory["low"] is not None and memory["low"] > MOST)


def _retriever(summary: Summary) -> Said:
    agreement = summary["measures"].get("top1_agreement")
    if agreement is None or agreement["value"] is None:
        return Said(
            Urgency.BLANK,
            "Whether the answers rest on what the retriever ranks first is not known: no trace tells.",
        )
    chance = chance_of(summary, "top1_agreement")
    against = "" if chance is None else f"; chance {percent(chance)}"
    low, high = agreement["low"], agreement["high"]
    basis = f"{counted(agreement['defined'], 'trace')}, {interval(low, high, scale=100, digits=0)}{against}"
    sentence = (
        f"{percent(agreement['value'])} of the answers rest most on the retriever's first passage ({basis})"
    )
    return Said(_alignment_urgency(summary), f"{sentence}{_verdict(summary)}{_warg(summary)}.")


_MISALIGNED: tuple[tuple[str, Side], ...] = (
    ("wasted_retrieval@2", "above"),
    ("noise_distraction@2", "above"),
    ("top1_agreement", "below"),
    ("warg@1.5", "below"),
)


def _alignment_urgency(summary: Summary) -> Urgency:
    alarm = any(excludes_chance(summary, measure, side) for measure, side in _MISALIGNED)
    return Urgency.ALARM if alarm else Urgency.FACT


def _verdict(summary: Summary) -> str:
    if excludes_chance(summary, "top1_agreement", "above"):
        return ", more than by chance"
    if excludes_chance(summary, "top1_agreement", "below"):
        return ", less than by chance"
    return ", which chance alone could give"


def _warg(summary: Summary) -> str:
    warg = summary["measures"].get("warg@1.5")
    if warg is None or warg["value"] is None:
        return ""
    shown = f"{number(warg['value'])}, {interval(warg['low'], warg['high'])}"
    return f"; alignment of scores and use (WARG) is {shown}"


_FAULTS = {
    "harmful_passage": "a passage that works against the answer",
    "wasted_retrieval": "a first-ranked passage that the answer hardly uses",
    "noise_distraction": "an answer that rests most on a low-ranked passage",
    "twins": "two passages of which one would do",
    "need_each_other": "two passages that only work together",
}


def _faults(summary: Summary) -> Said:
    asked = {
        kind: summary["findings"][kind] for kind in _FAULTS if summary["findings"].get(kind, {}).get("of")
    }
    if not asked:
        return Said(Urgency.BLANK, "No finding about passages was possible in any trace.")
    kind = max(asked, key=lambda name: asked[name]["traces"])
    rate = asked[kind]
    if not rate["traces"]:
        most = counted(max(one["of"] for one in asked.values()), "trace")
        return Said(Urgency.BLANK, f"No passage fault stands out of the noise in any of {most}.")
    shown = interval(rate["low"], rate["high"], scale=100, digits=0)
    return Said(
        Urgency.FACT,
        f"The most frequent finding is {_FAULTS[kind]}: {rate['traces']:,} of "
        f"{counted(rate['of'], 'trace')} ({percent(rate['value'])}, {shown}).",
    )


def _all(total: int) -> str:
    return f"all {total:,} traces" if total > 1 else "its one trace"
