"""The measures of answer quality, declared; they read texts and no scored row."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from boresight.errors import SpecError
from boresight.explain.saliency.language import english_stemmer
from boresight.game.needs import Needs
from boresight.measure.evidence import AbsentError
from boresight.measure.family import Family
from boresight.measure.quality import scores
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from boresight.measure.evidence import Evidence

    Score = Callable[[str, Sequence[str]], float]

_SQUAD, _RAG_E, _QAMPARI = "Rajpurkar et al. 2016 (SQuAD)", "arXiv 2601.21803, code", "arXiv 2205.12665"


def quality_families() -> tuple[Family, ...]:
    """The declared measures of answer quality, over the best reference; none is taken unless asked for."""
    declared: tuple[tuple[str, str, str, Score], ...] = (
        ("exact_match", "1 if answer and a reference are equal in normal form", _SQUAD, scores.exact_match),
        ("token_f1", "F1 of the words in normal form", _SQUAD, scores.token_f1),
        ("answer_containment", "1 if a reference stands in the answer", "Boresight", scores.containment),
        (
            "stemmed_containment",
            "1 if the stems of a reference stand in the answer",
            _RAG_E,
            _stemmed,
        ),
        ("rouge_l", "F1 of the longest common subsequence of words", "Lin 2004", scores.rouge_l),
        ("answer_recall", "share of the references that stand in the answer", _QAMPARI, scores.answer_recall),
    )
    return tuple(_family(*one) for one in declared)


def _family(name: str, formula: str, source: str, score: Score) -> Family:
    return Family(name, formula, "share", (0.0, 1.0), Needs(), source, _of_texts(score), default=False)


def _of_texts(score: Score) -> Callable[[Evidence], Measure]:
    def measured(seen: Evidence) -> Measure:
        if seen.extra.answer is None:
            raise AbsentError("the trace has no answer")
        return Measure.defined(score(seen.extra.answer, seen.known_references()))

    return measured


def _stemmed(answer: str, references: Sequence[str]) -> float:
    try:
        stem = _stem()
    except SpecError as error:
        raise AbsentError(str(error)) from None
    return scores.stemmed_containment(answer, references, stem)


@cache
def _stem() -> Callable[[str], str]:
    return english_stemmer().stem
