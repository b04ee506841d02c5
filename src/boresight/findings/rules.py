"""All rules applied to one trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from boresight.findings import alignment, citation, effect, hostile, labels, order, together
from boresight.findings.rank import ranked

if TYPE_CHECKING:
    from collections.abc import Callable

    from boresight.findings.case import Case
    from boresight.findings.types import Finding


class Rule(NamedTuple):
    """One kind of finding.

    Attributes:
        is_asked: Whether the case holds what the rule reads; other traces do not count in its rate.
        find: The findings of a case for which it is asked.
        needs_effect: Whether it is silent when nothing in the trace moved the answer beyond the floor.
    """

    is_asked: Callable[[Case], bool]
    find: Callable[[Case], list[Finding]]
    needs_effect: bool = True


RULES: dict[str, Rule] = {
    "wasted_retrieval": Rule(alignment.is_asked, alignment.wasted_retrieval),
    "noise_distraction": Rule(alignment.is_asked, alignment.noise_distraction),
    "harmful_passage": Rule(effect.is_attributed, effect.harmful_passage),
    "from_memory": Rule(effect.has_closed_book, effect.from_memory),
    "twins": Rule(together.is_asked, together.twins),
    "need_each_other": Rule(together.is_asked, together.need_each_other),
    "claim_from_uncited": Rule(citation.is_asked, citation.claim_from_uncited),
    "order_sensitive": Rule(order.is_asked, order.order_sensitive),
    "label_hole": Rule(labels.is_asked, labels.label_hole),
    "hostile_passage": Rule(hostile.is_asked, hostile.hostile_passage, needs_effect=False),
}

KINDS: tuple[str, ...] = tuple(RULES)
"""Every kind of finding about a trace."""


def asked_kinds(case: Case) -> tuple[str, ...]:
    """The kinds that the case has the numbers for; the others are neither found nor excluded."""
    floor_known = case.numeric_floor is not None
    return tuple(
        kind for kind, rule in RULES.items() if rule.is_asked(case) and (floor_known or not rule.needs_effect)
    )


def diagnose(case: Case) -> list[Finding]:
    """All findings of a trace, the most important first.

    When nothing moved the answer by more than the floor, nothing is reported but hostile passages.
    """
    rules = [RULES[kind] for kind in asked_kinds(case)]
    return ranked(
        found for rule in rules if case.matters or not rule.needs_effect for found in rule.find(case)
    )
