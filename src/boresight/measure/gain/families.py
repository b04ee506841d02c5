"""Utility and harm as measures, declared; none is taken unless asked for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from boresight.game.needs import Needs
from boresight.measure.family import Family
from boresight.measure.gain import abstention, alone, contrastive, dig, preference, together
from boresight.measure.quality import containment, exact_match, token_f1

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from boresight.measure.evidence import Evidence
    from boresight.outcome import Measure

    ByPassage = Callable[[Evidence], Mapping[str, Measure]]
    Quality = Callable[[str, Sequence[str]], float]

_GAINRAG, _DIG, _ERAG = "arXiv 2505.18710", "arXiv 2509.12765", "arXiv 2404.13781"
_UDCG, _DISTRACTING = "arXiv 2510.21440, its code", "arXiv 2505.06914"
_OURS = "Boresight"

_REFERENCES = frozenset({"reference"})
_CONTRASTIVE = Needs(contrastive=True)
_REFERENCES_ALONE = Needs(singletons=True, targets=_REFERENCES)
_REFERENCES_BOTH = Needs(singletons=True, closed_book=True, targets=_REFERENCES)
_ALONE, _ABSTENTION = Needs(single_answers=True), Needs(abstention=True)

_PPL = "-log(PPL + 1), PPL = exp(-mean log p) of the likeliest reference"


def gain_families() -> tuple[Family, ...]:
    """The declared measures of utility and harm."""
    one = partial(Family, default=False)
    return (
        one(
            name="contrastive_gain", unit="nats", range=(None, contrastive.HIGHEST), source=_GAINRAG,
            formula=f"{_PPL} under the contrastive mixture of the passage alone and closed book",
            needs=_CONTRASTIVE, passages=contrastive_gain,
        ),
        one(
            name="plain_gain", unit="nats", range=(None, contrastive.HIGHEST), source=_GAINRAG,
            formula=f"{_PPL} with the passage alone", needs=_REFERENCES_ALONE, passages=plain_gain,
        ),
        one(
            name="dig", unit="index", range=(-1.0, 1.0), needs=_REFERENCES_BOTH,
            formula="smoothed and weighted mean token probability of a reference with the passage alone - "
            "closed book; smoothing and weights are our reading", source=_DIG,
            passages=_dig(dig.confidence),
        ),
        one(
            name="dig_product", unit="index", range=(-1.0, 1.0), needs=_REFERENCES_BOTH, source=_DIG,
            formula="probability of a reference with the passage alone - closed book",
            passages=_dig(dig.product),
        ),
        one(
            name="erag_exact_match", unit="share", range=(0.0, 1.0), needs=_ALONE, source=_ERAG,
            formula="exact match of the answer with the passage alone", passages=_erag(exact_match),
        ),
        one(
            name="erag_f1", unit="share", range=(0.0, 1.0), needs=_ALONE, source=_ERAG,
            formula="F1 of the answer with the passage alone", passages=_erag(token_f1),
        ),
        one(
            name="erag_containment", unit="share", range=(0.0, 1.0), needs=_ALONE, source=_ERAG,
            formula="1 if a reference stands in the answer with the passage alone",
            passages=_erag(containment),
        ),
        one(
            name="abstention_utility", unit="share", range=(0.0, 1.0), needs=_ABSTENTION, source=_UDCG,
            formula="1 - probability of abstaining with the passage alone, of passages labelled relevant",
            passages=_of_abstention(abstention.utility),
        ),
        one(
            name="distracting_effect", unit="share", range=(0.0, 1.0), needs=_ABSTENTION,
            formula="1 - probability of abstaining with the passage alone, of passages labelled irrelevant",
            source=_DISTRACTING, passages=_of_abstention(abstention.distracting_effect),
        ),
        one(
            name="udcg", unit="index", range=(0.0, 1.0), needs=_ABSTENTION, source=_UDCG,
            formula="sigmoid((sum of 1 - a over relevant - 0.333 sum of 1 - a over irrelevant) / n), "
            "a the probability of abstaining with the passage alone",
            trace=_of_abstention(abstention.udcg),
        ),
        one(
            name="redundancy", unit="nats", range=(None, None), source=_OURS,
            formula="sum of v({i}) - v(empty), less v(N) - v(empty); below 0 it is synergy",
            needs=Needs(singletons=True, grand=True, empty=True),
            trace=lambda seen: together.redundancy(
                seen.singletons, seen.row("grand"), seen.row("empty"), seen.players
            ),
        ),
        one(
            name="wrong_despite_answer", unit="share", range=(0.0, 1.0), needs=Needs(), source=_GAINRAG,
            formula="1 if the answer is wrong, over traces with a passage that holds it",
            trace=preference.wrong_despite_answer,
        ),
        one(
            name="right_without_answer", unit="share", range=(0.0, 1.0), needs=Needs(), source=_GAINRAG,
            formula="1 if no passage holds the answer, over traces with a right answer",
            trace=preference.right_without_answer,
        ),
        one(
            name="gain_correlation", unit="index", range=(-1.0, 1.0), source=_GAINRAG,
            formula="Spearman correlation of retriever rank and contrastive gain",
            needs=Needs(contrastive=True, retriever_ranks=True),
            trace=lambda seen: preference.rank_correlation(
                seen.retriever.known_ranks(), contrastive_gain(seen)
            ),
        ),
    )  # fmt: skip


def contrastive_gain(seen: Evidence) -> dict[str, Measure]:
    """GainRAG's gain of each passage of the context."""
    stored = seen.known_contrastive()
    return {passage: contrastive.gain_of(stored.get(passage, {}).values()) for passage in seen.players}


def plain_gain(seen: Evidence) -> dict[str, Measure]:
    """The same from the passage alone, without contrast."""
    return {passage: contrastive.gain_of(_alone(seen, passage)) for passage in seen.players}


def _alone(seen: Evidence, passage: str) -> list[Any]:
    """Log-probabilities of the references with a passage alone; those that were scored."""
    rows = seen.reference_rows().values()
    return [one.singletons[passage] for one in rows if passage in one.singletons]


def _dig(sure: Callable[[Any], float]) -> ByPassage:
    def measured(seen: Evidence) -> Mapping[str, Measure]:
        closed = [one.closed_book for one in seen.reference_rows().values() if one.closed_book is not None]
        return {
            passage: dig.information_gain(_alone(seen, passage), closed, sure) for passage in seen.players
        }

    return measured


def _erag(quality: Quality) -> ByPassage:
    return lambda seen: alone.scores_alone(
        seen.known_single_answers(), seen.known_references(), seen.players, quality
    )


def _of_abstention(measure: Callable[..., Any]) -> Callable[[Evidence], Any]:
    return lambda seen: measure(seen.known_abstention(), seen.extra.relevance, seen.players)
