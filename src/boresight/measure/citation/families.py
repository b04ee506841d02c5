"""The measures of citations, declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from boresight.game.needs import Needs
from boresight.measure.citation import scores
from boresight.measure.citation.claims import claims_of
from boresight.measure.citation.read import tested
from boresight.measure.evidence import AbsentError, noise_bar
from boresight.measure.family import Family

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from boresight.measure.citation.causal import CitedClaim
    from boresight.measure.citation.claims import Claim
    from boresight.measure.evidence import Evidence
    from boresight.outcome import Measure

    _Labelled = Callable[[Sequence[Claim], Mapping[str, float], Sequence[str]], Measure]

_TEXT = Needs()
_REMOVALS = Needs(grand=True, leave_one_out=True)
_OURS = "Boresight"
_FALLS = (
    "the claim falls without the passage, by more than twice the numeric floor and than without an uncited "
    "passage on average"
)


def citation_families() -> tuple[Family, ...]:
    """The declared measures of citations; none is taken unless asked for."""
    counted = {
        "citations": ("number of pairs (claim, cited passage)", scores.citations),
        "unknown_citations": ("number of cited labels that name no passage", scores.unknown_citations),
    }
    labelled = {
        "citation_precision": (
            "of the pairs (claim, cited passage) whose passage is labelled relevant",
            scores.precision,
        ),
        "citation_recall": ("of the passages labelled relevant that the answer cites", scores.recall),
    }
    removed = {
        "citation_causal_precision": (
            f"of the pairs (claim, cited passage) in which {_FALLS}",
            scores.causal_precision,
        ),
        "citation_causal_recall": (
            f"of the pairs (claim, passage) in which {_FALLS} that are cited",
            scores.causal_recall,
        ),
        "uncited_support": (
            "of the claims with a citation that fall most without a passage that they do not cite",
            scores.uncited_support,
        ),
    }
    counts = [
        _family(name, words, _TEXT, _of_text(score), "passages") for name, (words, score) in counted.items()
    ]
    shares = [
        *((name, words, _TEXT, _of_labels(score)) for name, (words, score) in labelled.items()),
        *((name, words, _REMOVALS, _of_removals(score)) for name, (words, score) in removed.items()),
    ]
    return (*counts, *(_family(name, f"share {words}", needs, trace) for name, words, needs, trace in shares))


def _family(
    name: str,
    formula: str,
    needs: Needs,
    trace: Callable[[Evidence], Measure],
    unit: Literal["passages", "share"] = "share",
) -> Family:
    high = 1.0 if unit == "share" else None
    return Family(name, formula, unit, (0.0, high), needs, _OURS, trace, default=False)


def _claims(seen: Evidence) -> tuple[Claim, ...]:
    if seen.extra.answer is None:
        raise AbsentError("the trace has no answer")
    return claims_of(seen.extra.answer, seen.players)


def _of_text(score: Callable[[Sequence[Claim]], Measure]) -> Callable[[Evidence], Measure]:
    return lambda seen: score(_claims(seen))


def _of_labels(score: _Labelled) -> Callable[[Evidence], Measure]:
    return lambda seen: score(_claims(seen), seen.extra.relevance, seen.players)


def _of_removals(compute: Callable[[Sequence[CitedClaim], float], Measure]) -> Callable[[Evidence], Measure]:
    return lambda seen: compute(tested(seen), noise_bar(seen.floor))
