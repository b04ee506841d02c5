"""Two passages at a time: twins, of which one is enough, and passages that need each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.findings.types import Finding, Number
from boresight.findings.words import nats, passages

if TYPE_CHECKING:
    from boresight.findings.case import Case


def is_asked(case: Case) -> bool:
    """Whether the case has pairs, from its whole table."""
    return bool(case.interactions)


def twins(case: Case) -> list[Finding]:
    """A negative interaction beyond the floor, and each alone reaches what both reach, within the margin."""
    return [_twins(case, *pair) for pair in case.interactions or {} if case.are_twins(*pair)]


def _twins(case: Case, one: str, other: str) -> Finding:
    interaction = (case.interactions or {})[one, other]
    sentence = (
        f"One of {passages([one, other])} is enough: either alone does as much for the answer as both "
        f"(interaction {nats(interaction)})."
    )
    score = abs(interaction)
    return Finding(
        case.trace, "twins", (one, other), sentence, score, _evidence(case, one, other), "deduplicate"
    )


def need_each_other(case: Case) -> list[Finding]:
    """A positive interaction beyond the floor, and neither alone gains more than the floor."""
    return [_need(case, *pair) for pair in case.interactions or {} if _needed(case, *pair)]


def _needed(case: Case, one: str, other: str) -> bool:
    if case.empty is None or (case.interactions or {})[one, other] <= case.floor:
        return False
    if not case.both_help(one, other):
        return False
    return max(case.singletons[one], case.singletons[other]) - case.empty <= case.floor


def _need(case: Case, one: str, other: str) -> Finding:
    interaction = (case.interactions or {})[one, other]
    sentence = (
        f"The answer takes {passages([one, other])} as a pair: neither helps it alone, and together they do "
        f"{nats(interaction)} more for it than each by itself."
    )
    evidence = _evidence(case, one, other)
    return Finding(
        case.trace, "need_each_other", (one, other), sentence, interaction, evidence, "keep_together"
    )


def _evidence(case: Case, one: str, other: str) -> dict[str, Number]:
    named = {
        "interaction": (case.interactions or {})[one, other],
        f"alone[{one}]": case.singletons[one],
        f"alone[{other}]": case.singletons[other],
        "both": case.pairs[one, other],
        "floor": case.floor,
        "margin": case.margin,
    }
    return {name: Number(value) for name, value in named.items()}
