"""Is a citation real? Does the claim become less likely when the cited passage goes?

The log-probability of a claim's own tokens (its markers aside) under the full context, minus the same without
one passage, is the claim's *drop* for that passage. All rows are the answer's leave-one-out rows, so the test
costs no call of its own. A passage whose twin stays in the context has no drop: removal finds what the answer
needs, not all that supports it.

Source: Boresight; deletion of one source as in arXiv 2411.15102 (AttriBoT), on the tokens of one claim. That
citations need not be causes: arXiv 2412.18004.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from boresight.measure.citation.claims import claims_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.measure.citation.claims import Claim
    from boresight.measure.rows import TokenRows


@dataclass(frozen=True, slots=True)
class CitedClaim:
    """A claim of the answer, with what each passage does for it.

    Attributes:
        claim: The claim, with what it cites.
        drops: Per passage of the context, nats that the claim loses without it.
    """

    claim: Claim
    drops: Mapping[str, float]

    @property
    def uncited_drop(self) -> float:
        """Mean drop over the passages that the claim does not cite, nats; 0 where it cites them all."""
        rest = [drop for passage, drop in self.drops.items() if passage not in self.claim.cited]
        return fmean(rest) if rest else 0.0

    def excess(self, passage: str) -> float:
        """How much more the claim falls without this passage than without an uncited one, nats."""
        return self.drops[passage] - self.uncited_drop

    def is_causal(self, passage: str, bar: float) -> bool:
        """Whether the claim rests on the passage: the drop is above the bar and above the uncited ones' mean.

        Args:
            passage: Passage id.
            bar: What a drop must exceed to be more than noise, nats.
        """
        return self.drops[passage] > bar and (passage not in self.claim.cited or self.excess(passage) > 0)

    def rests_on_uncited(self, bar: float) -> str | None:
        """The uncited passage that the claim needs most, where it needs none of the cited ones as much.

        Args:
            bar: What the drop, and its lead over the largest drop of a cited passage, must exceed, nats.

        Returns:
            Its id; None where the claim cites nothing, or rests on no uncited passage.
        """
        rest = {passage: drop for passage, drop in self.drops.items() if passage not in self.claim.cited}
        if not rest or not self.claim.cited:
            return None
        top = max(rest, key=lambda passage: rest[passage])
        lead = rest[top] - max(0.0, *(self.drops[passage] for passage in self.claim.cited))
        return top if min(rest[top], lead) > bar else None


def claims_under_removal(rows: TokenRows, players: Sequence[str]) -> tuple[CitedClaim, ...]:
    """The claims of an answer that have a token, each with its drops.

    Args:
        rows: The answer token by token, with the full context and without each passage.
        players: Passage ids in context order.

    Raises:
        KeyError: A passage was never left out.
        ValueError: The full context was not scored.
    """
    if rows.grand is None:
        raise ValueError("the full context was not scored")
    lost = {passage: rows.grand - rows.without[passage] for passage in players}
    found = []
    for claim in claims_of(rows.text, players):
        tokens = claim.tokens(rows.offsets)
        if tokens:
            drops = {passage: float(row[tokens].sum()) for passage, row in lost.items()}
            found.append(CitedClaim(claim, drops))
    return tuple(found)
