"""Citations of one answer in numbers: how many, how right, how causal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.measure.citation.causal import CitedClaim
    from boresight.measure.citation.claims import Claim

NO_CITATION = "the answer cites no passage of the context"
NO_LABEL = "no passage of the context is labelled"
NO_RELEVANT = "no passage of the context is labelled relevant"
NO_CAUSE = "no claim rests on a passage"


def cited_passages(claims: Sequence[Claim]) -> frozenset[str]:
    """Ids of the passages that any claim cites."""
    return frozenset(passage for claim in claims for passage in claim.cited)


def citations(claims: Sequence[Claim]) -> Measure:
    """Number of pairs of a claim and a passage that it cites."""
    return Measure.defined(sum(len(claim.cited) for claim in claims))


def unknown_citations(claims: Sequence[Claim]) -> Measure:
    """Number of cited labels that name no passage of the prompt."""
    return Measure.defined(sum(len(claim.unknown) for claim in claims))


def precision(claims: Sequence[Claim], relevance: Mapping[str, float], players: Sequence[str]) -> Measure:
    """Share of the cited pairs whose passage is labelled relevant; those without a label count as not."""
    if not any(passage in relevance for passage in players):
        return Measure.undefined(NO_LABEL)
    return _share([relevance.get(passage, 0) > 0 for claim in claims for passage in claim.cited], NO_CITATION)


def recall(claims: Sequence[Claim], relevance: Mapping[str, float], players: Sequence[str]) -> Measure:
    """Share of the passages of the context labelled relevant that any claim cites."""
    if not any(passage in relevance for passage in players):
        return Measure.undefined(NO_LABEL)
    cited = cited_passages(claims)
    return _share([passage in cited for passage in players if relevance.get(passage, 0) > 0], NO_RELEVANT)


def causal_precision(tested: Sequence[CitedClaim], bar: float) -> Measure:
    """Share of the cited pairs in which the claim rests on the passage."""
    pairs = [one.is_causal(passage, bar) for one in tested for passage in one.claim.cited]
    return _share(pairs, NO_CITATION)


def causal_recall(tested: Sequence[CitedClaim], bar: float) -> Measure:
    """Share of the pairs in which a claim rests on a passage that are cited; undefined without a citation."""
    if not any(one.claim.cited for one in tested):
        return Measure.undefined(NO_CITATION)
    causes = [(one, passage) for one in tested for passage in one.drops if one.is_causal(passage, bar)]
    return _share([passage in one.claim.cited for one, passage in causes], NO_CAUSE)


def uncited_support(tested: Sequence[CitedClaim], bar: float) -> Measure:
    """Share of the claims with a citation that rest on an uncited passage instead."""
    citing = [one for one in tested if one.claim.cited]
    return _share([one.rests_on_uncited(bar) is not None for one in citing], NO_CITATION)


def citation_causal(tested: Sequence[CitedClaim]) -> dict[str, float]:
    """Per cited passage, nats that its claims fall without it, more than without an uncited passage.

    The sum over the claims that cite it; this is the column ``citation_causal`` of ``passages.parquet``.
    """
    sums: dict[str, float] = {}
    for one in tested:
        for passage in one.claim.cited:
            sums[passage] = sums.get(passage, 0.0) + one.excess(passage)
    return sums


def _share(held: Sequence[bool], absent: str) -> Measure:
    return Measure.defined(sum(held) / len(held)) if held else Measure.undefined(absent)
