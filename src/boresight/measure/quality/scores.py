"""An answer against its reference answers; of several references the best counts, but for recall."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from boresight.measure.quality.normal import normal_form, plain_words, words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def exact_match(answer: str, references: Sequence[str]) -> float:
    """1 where the normal forms are equal, else 0.

    Source: SQuAD (Rajpurkar et al. 2016).
    """
    return _best(references, lambda one: float(normal_form(answer) == normal_form(one)))


def token_f1(answer: str, references: Sequence[str]) -> float:
    """Harmonic mean of precision and recall of the words of the normal form, each as often as it occurs.

    Two texts without a word are equal.

    Source: SQuAD (Rajpurkar et al. 2016).
    """
    return _best(references, lambda one: _f1(words(answer), words(one)))


def containment(answer: str, references: Sequence[str]) -> float:
    """1 where the normal form of a reference stands in that of the answer, at word boundaries, else 0."""
    return _best(references, lambda one: float(_contains(words(answer), words(one))))


def answer_recall(answer: str, references: Sequence[str]) -> float:
    """Share of the references that the answer contains, for questions with several right answers.

    Source: S. Amouyal et al., *QAMPARI*, 2022 (arXiv 2205.12665), recall; there by exact match of listed
    answers, here by containment in running text.
    """
    held = [_contains(words(answer), words(one)) for one in references]
    return sum(held) / len(held)


def stemmed_containment(answer: str, references: Sequence[str], stem: Callable[[str], str]) -> float:
    """1 where the stems of a reference stand next to each other in those of the answer, else 0.

    RAG-E's label of a supported answer (arXiv 2601.21803, its code); articles count there too.

    Args:
        answer: The answer.
        references: Right answers, at least one.
        stem: Stem of a lower-case word.
    """
    own = list(map(stem, plain_words(answer)))
    return _best(references, lambda one: float(_contains(own, list(map(stem, plain_words(one))))))


def rouge_l(answer: str, references: Sequence[str]) -> float:
    """F1 of the longest common subsequence of words; 0 where either text has none.

    Source: C.-Y. Lin, *ROUGE: A Package for Automatic Evaluation of Summaries*, 2004, with beta = 1; words
    are lower-case runs of letters and digits, unstemmed.
    """
    own = plain_words(answer)
    return _best(references, lambda one: _rouge(own, plain_words(one)))


def _best(references: Sequence[str], score: Callable[[str], float]) -> float:
    return max(map(score, references))


def _f1(own: Sequence[str], other: Sequence[str]) -> float:
    if not (own and other):
        return float(len(own) == len(other))
    return _harmonic((Counter(own) & Counter(other)).total(), len(own), len(other))


def _rouge(own: Sequence[str], other: Sequence[str]) -> float:
    return _harmonic(_common(own, other), len(own), len(other)) if own and other else 0.0


def _harmonic(shared: int, own: int, other: int) -> float:
    """2PR / (P + R) with P = shared / own and R = shared / other."""
    return 2 * shared / (own + other)


def _common(own: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence."""
    lengths = [0] * (len(other) + 1)
    for word in own:
        before = 0
        for place, against in enumerate(other, 1):
            above = lengths[place]
            lengths[place] = before + 1 if word == against else max(above, lengths[place - 1])
            before = above
    return lengths[-1]


def _contains(own: Sequence[str], part: Sequence[str]) -> bool:
    """Whether the words of the part, at least one, stand next to each other."""
    size = len(part)
    return bool(size) and any(own[start : start + size] == list(part) for start in range(len(own) - size + 1))
