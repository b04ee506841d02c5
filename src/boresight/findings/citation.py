"""What the answer's own citations say, against what its claims rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.findings.types import Finding, Number
from boresight.findings.words import nats

if TYPE_CHECKING:
    from boresight.findings.case import Case
    from boresight.measure.citation import CitedClaim


def is_asked(case: Case) -> bool:
    """Whether the answer cites a passage and its claims were scored without each passage."""
    return any(one.claim.cited for one in case.claims)


def claim_from_uncited(case: Case) -> list[Finding]:
    """A claim that cites one passage and falls more, by more than the floor, without another."""
    found = ((number, one, one.rests_on_uncited(case.floor)) for number, one in enumerate(case.claims, 1))
    return [_uncited(case, number, one, passage) for number, one, passage in found if passage is not None]


def _uncited(case: Case, number: int, one: CitedClaim, passage: str) -> Finding:
    cited = ", ".join(one.claim.cited)
    most = max(one.drops[name] for name in one.claim.cited)
    sentence = (
        f"Sentence {number} of the answer cites {cited} and rests on {passage}: without that it loses "
        f"{nats(one.drops[passage])}, without what it cites {nats(most)}."
    )
    evidence = {
        "drop_uncited": Number(one.drops[passage]),
        "drop_cited": Number(most),
        "floor": Number(case.floor),
    }
    passages = (passage, *one.claim.cited)
    score = one.drops[passage] - max(0.0, most)
    return Finding(case.trace, "claim_from_uncited", passages, sentence, score, evidence, "abstain_or_cite")
