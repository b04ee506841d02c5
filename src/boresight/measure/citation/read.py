"""The claims of an audited answer, from its stored rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.measure.citation.causal import claims_under_removal
from boresight.measure.citation.claims import claims_of
from boresight.measure.citation.scores import citation_causal, cited_passages
from boresight.measure.evidence import AbsentError

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def cited_in(answer: str | None, players: Sequence[str]) -> dict[str, bool] | None:
    """Whether an answer cites each passage of its context; None where it cites nothing at all.

    Args:
        answer: The answer, if there is one.
        players: Passage ids in context order.
    """
    claims = () if answer is None else claims_of(answer, players)
    cited = cited_passages(claims)
    return {passage: passage in cited for passage in players} if cited else None


def citation_cells(seen: Evidence) -> dict[str, dict[str, bool | float | None]]:
    """The columns ``cited`` and ``citation_causal`` by passage id; empty where the answer cites nothing."""
    cited = cited_in(seen.extra.answer, seen.players)
    if cited is None:
        return {}
    causal = citation_causal(known_claims(seen))
    return {passage: {"cited": one, "citation_causal": causal.get(passage)} for passage, one in cited.items()}
