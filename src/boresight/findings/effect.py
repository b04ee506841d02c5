"""What one passage, or the whole context, does to the answer: harm, and answers from memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.findings.types import Finding, Number
from boresight.findings.words import likelier, nats

if TYPE_CHECKING:
    from boresight.findings.case import Case
    from boresight.findings.types import Remedy


def is_attributed(case: Case) -> bool:
    """Whether the case has attributions."""
    return case.attribution is not None and bool(case.players)


def harmful_passage(case: Case) -> list[Finding]:
    """A passage whose attribution is below minus the floor."""
    return [_harmful(case, passage) for passage in case.players if case.hurts(passage)]


def _harmful(case: Case, passage: str) -> Finding:
    share = case.share(passage)
    removal = _removal(case, passage)
    evidence = {"attribution": share, "floor": Number(case.floor)}
    if removal is not None:
        evidence["gain_if_removed"] = Number(removal)
    remedy: Remedy = "none" if removal is not None and removal <= 0 else "drop_passage"
    sentence = (
        f"Passage {passage} works against this answer: averaged over the sets of the others it makes it "
        f"{likelier(share.value)} ({nats(share.value)}){_advice(removal)}."
    )
    return Finding(case.trace, "harmful_passage", (passage,), sentence, abs(share.value), evidence, remedy)


def _removal(case: Case, passage: str) -> float | None:
    """What the answer gains when the passage alone is taken out of the full context; None if not scored."""
    rest = case.without.get(passage)
    return None if rest is None or case.grand is None else rest - case.grand


def _advice(removal: float | None) -> str:
    if removal is None:
        return ""
    if removal <= 0:
        return f", though taking it out of the full context does not help ({nats(removal)})"
    return f"; taking it out of the full context gains {nats(removal)}"


def has_closed_book(case: Case) -> bool:
    """Whether the answer was scored with the whole context and after the plain question."""
    return case.grand is not None and case.closed_book is not None and bool(case.players)


def from_memory(case: Case) -> list[Finding]:
    """The context adds no more than the floor to the plain question.

    Its score is what memory alone gives the answer: against the prompt without passages, or against the full
    one where that is worse.
    """
    if case.grand is None or case.closed_book is None:
        return []
    gain = case.grand - case.closed_book
    if gain > case.floor:
        return []
    empty = case.closed_book if case.empty is None else case.empty
    evidence = {
        "context_gain": Number(gain),
        "closed_book": Number(case.closed_book),
        "grand": Number(case.grand),
        "floor": Number(case.floor),
    }
    score = max(case.closed_book - empty, -gain, 0.0)
    sentence = _from_memory(gain, case.floor)
    return [Finding(case.trace, "from_memory", (), sentence, score, evidence, "abstain_or_cite")]


def _from_memory(gain: float, floor: float) -> str:
    if gain < -floor:
        return (
            f"The model finds this answer {likelier(-gain)} without any passage than with them "
            f"(context gain {nats(gain)})."
        )
    return (
        "The model would have said this without any passage: they make the answer no more likely than the "
        f"plain question does (context gain {nats(gain)})."
    )
