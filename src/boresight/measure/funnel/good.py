"""Which passages of a trace are good, and by whose word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from boresight.measure.funnel.words import reference_end, sought

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boresight.trace import Trace

GoodBy = Literal["named", "labelled", "reference"]


@dataclass(frozen=True, slots=True)
class Good:
    """A passage that ought to reach the answer.

    Attributes:
        passage: Passage id; its text need not be known.
        by: ``named`` by the user, ``labelled`` relevant, carries a ``reference`` answer; in this order.
        grade: Its label, or None.
        answer_end: Where the first reference answer ends in its text, in characters; None where it holds
            none.
    """

    passage: str
    by: tuple[GoodBy, ...]
    grade: float | None = None
    answer_end: int | None = None


def good_passages(
    trace: Trace, named: Iterable[str] = (), least_grade: float | None = None
) -> tuple[Good, ...]:
    """The good passages of a trace: named, labelled relevant, or with a reference answer in the text.

    A label decides over the text: a passage labelled not relevant is not good because it holds the words of
    an answer; that a user names it decides over both.

    Args:
        trace: The trace.
        named: Ids that the user names, also ids that the trace holds nowhere.
        least_grade: The lowest grade that counts as relevant; by default any above 0.

    Returns:
        Named ones first, then labelled ones by grade, then by reference; each passage once.
    """
    wanted = sought(trace.references)
    found = {passage.id: reference_end(passage.text, wanted) for passage in trace.passages} if wanted else {}
    ends = {key: end for key, end in found.items() if end is not None}
    grades = trace.relevance
    relevant = [key for key, grade in grades.items() if _relevant(grade, least_grade)]
    labelled = dict.fromkeys(sorted(relevant, key=lambda key: (-grades[key], key)))
    members: dict[GoodBy, dict[str, None]] = {
        "named": dict.fromkeys(named),
        "labelled": labelled,
        "reference": dict.fromkeys(key for key in ends if key in labelled or key not in grades),
    }
    order = dict.fromkeys(key for group in members.values() for key in group)
    return tuple(
        Good(key, tuple(by for by in members if key in members[by]), grades.get(key), ends.get(key))
        for key in order
    )


def _relevant(grade: float, least: float | None) -> bool:
    return grade > 0 if least is None else grade >= least
