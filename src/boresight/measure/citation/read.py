"""The claims of an audited answer, from its stored rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.measure.citation.causal import claims_under_removal
from boresight.measure.evidence import AbsentError

if TYPE_CHECKING:
    from boresight.measure.citation.causal import CitedClaim
    from boresight.measure.evidence import Evidence


def tested(seen: Evidence) -> tuple[CitedClaim, ...]:
    """The claims of an answer with what each passage does for them.

    Raises:
        AbsentError: The full context, or the context without a passage, was not scored.
    """
    rows = seen.extra.targets.get("answer")
    if rows is None or rows.grand is None:
        raise AbsentError("the prompt with all passages was not scored")
    if set(seen.players) - set(rows.without):
        raise AbsentError("the prompt without this passage was not scored")
    return claims_under_removal(rows, seen.players)


def known_claims(seen: Evidence) -> tuple[CitedClaim, ...]:
    """The same; none where a row is missing."""
    try:
        return tested(seen)
    except AbsentError:
        return ()
