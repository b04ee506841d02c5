"""The retriever's order against the generator's: wasted retrieval and noise distraction.

A rank counts only when it is certain: whatever the order of tied passages, and wherever in their intervals
the sampled attributions lie. Source of both faults: arXiv 2601.21803 v1, at bar 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.findings.types import Finding, Number
from boresight.findings.words import joined, nats, ordinal, passages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.findings.case import Case

BAR = 2
"""The last rank, from 0, that still counts as the top."""


def is_asked(case: Case) -> bool:
    """Whether the case has both orders and a rank beyond the bar."""
    return case.attribution is not None and case.ranks is not None and len(case.players) > BAR + 1


def wasted_retrieval(case: Case) -> list[Finding]:
    """The retriever's first passage is beyond the bar for the generator, whose top passage is another one.

    Not when the two are twins: then the generator used what the retriever found.
    """
    first, used = _first(case), [passage for passage in _tops(case) if case.helps(passage)]
    ahead = min(sum(case.outranks(other, passage) for other in case.players) for passage in first)
    if ahead <= BAR or not used or _twins(case, first, used):
        return []
    carried = max(case.share(passage).value for passage in first)
    sentence = (
        f"The retriever ranks {passages(first)} first, but at least {ahead} passages matter more to the "
        f"answer: {_shares(case, first)} against {_shares(case, used)}."
    )
    score = max(case.share(passage).value for passage in used) - max(carried, 0.0)
    evidence = _evidence(case, [*first, *used])
    return [
        Finding(
            case.trace, "wasted_retrieval", (*first, *used), sentence, max(score, 0.0), evidence, "rerank"
        )
    ]


def noise_distraction(case: Case) -> list[Finding]:
    """The generator's top passage is beyond the bar for the retriever, whose first is no twin of it."""
    first, tops = _first(case), _tops(case)
    ranks = {} if case.ranks is None else case.ranks
    if any(not case.helps(passage) or ranks[passage] <= BAR for passage in tops) or _twins(case, first, tops):
        return []
    places = joined([ordinal(int(ranks[passage]) + 1) for passage in tops])
    sentence = (
        f"The answer rests most on {passages(tops)}, which the retriever ranks only {places} of "
        f"{len(case.players)}: {_shares(case, tops)} against {_shares(case, first)} that it ranks first."
    )
    score = max(case.share(passage).value for passage in tops)
    evidence = _evidence(case, [*tops, *first])
    return [Finding(case.trace, "noise_distraction", (*tops, *first), sentence, score, evidence, "rerank")]


def _first(case: Case) -> list[str]:
    """The passages that are, or may be, the retriever's first."""
    ranks = {} if case.ranks is None else case.ranks
    best = min(ranks.values())
    return [passage for passage in case.players if ranks[passage] == best]


def _tops(case: Case) -> list[str]:
    """The passages that are, or may be, the generator's first."""
    return [one for one in case.players if not any(case.outranks(other, one) for other in case.players)]


def _twins(case: Case, some: Sequence[str], others: Sequence[str]) -> bool:
    return any(case.are_twins(one, other) for one in some for other in others if one != other)


def _shares(case: Case, chosen: Sequence[str]) -> str:
    """``0.02 nats from a`` and so on."""
    return joined([f"{nats(case.share(passage).value)} from {passage}" for passage in chosen])


def _evidence(case: Case, chosen: Sequence[str]) -> dict[str, Number]:
    ranks = {} if case.ranks is None else case.ranks
    shares = {f"attribution[{passage}]": case.share(passage) for passage in chosen}
    places = {f"retriever_rank[{passage}]": Number(float(ranks[passage])) for passage in chosen}
    return {**shares, **places, "floor": Number(case.floor)}
