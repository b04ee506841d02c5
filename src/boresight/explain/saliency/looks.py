"""What retrievers look at: on which words of the passages the positive saliency lies, over a run.

Shares are of the positive saliency of a passage's words. The control is the same number of words drawn at
random: in expectation exactly their share of all words, so nothing is sampled for it. Intervals are over
passages; a difference from the control is one only where its interval leaves zero out.

Source: the questions are those of RAG-E, arXiv 2601.21803, section on retriever attributions.
"""

from __future__ import annotations

import difflib
import importlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.explain.saliency.words import WORD
from boresight.stats.bootstrap import mean_interval
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from boresight.explain.saliency.words import WordSaliency
    from boresight.stats.interval import Interval

SOFT_RATIO = 0.8
TOP = 0.3
TENTHS = 10


@dataclass(frozen=True, slots=True)
class Look:
    """A share of saliency over a run.

    Attributes:
        share: Mean share over passages.
        over_random: Mean of share minus the share of a random choice of as many words.
        passages: Passages that were counted.
    """

    share: Interval[float]
    over_random: Interval[float]
    passages: int


def query_matches(query: str, stem: Callable[[str], str] | None = None) -> dict[str, Callable[[str], bool]]:
    """How a word can be one of the query: ``exact`` (case aside), ``stem``, ``soft`` (spelling ratio 0.8).

    Args:
        query: The question.
        stem: Stem of a lower-case word; without it there is no ``stem``.
    """
    asked = {word.lower() for word in WORD.findall(query)}
    found: dict[str, Callable[[str], bool]] = {
        "exact": lambda word: word.lower() in asked,
        "soft": lambda word: bool(difflib.get_close_matches(word.lower(), asked, n=1, cutoff=SOFT_RATIO)),
    }
    if stem is not None:
        stems = {stem(word) for word in asked}
        found["stem"] = lambda word: stem(word.lower()) in stems
    return found


def share_on(words: Sequence[WordSaliency], chosen: Callable[[str], bool]) -> tuple[float, float] | None:
    """Share of the positive saliency on chosen words, and their share of the words; None without any."""
    mass = sum(max(word.value, 0.0) for word in words if word.tokens)
    if not mass:
        return None
    taken = [word for word in words if word.tokens and chosen(word.text)]
    read = sum(1 for word in words if word.tokens)
    return sum(max(word.value, 0.0) for word in taken) / mass, len(taken) / read


def negative_share(words: Sequence[WordSaliency]) -> float | None:
    """Share of the absolute saliency that is negative; None where all of it is zero."""
    whole = sum(abs(word.value) for word in words)
    return sum(-word.value for word in words if word.value < 0) / whole if whole else None


def share_by_position(words: Sequence[WordSaliency]) -> dict[str, float]:
    """Share of the positive saliency by tenth of the read words, ``0`` the first; empty without any."""
    read = [word for word in words if word.tokens]
    return share_by([str(place * TENTHS // len(read)) for place in range(len(read))], read)


def share_by(labels: Sequence[str], words: Sequence[WordSaliency]) -> dict[str, float]:
    """Share of the positive saliency by label (part of speech, say), largest first; empty without any."""
    sums: dict[str, float] = {}
    for label, word in zip(labels, words, strict=True):
        sums[label] = sums.get(label, 0.0) + max(word.value, 0.0)
    whole = sum(sums.values())
    return {label: value / whole for label, value in sorted(sums.items(), key=_most)} if whole else {}


def top_bigrams(labels: Sequence[str], words: Sequence[WordSaliency]) -> Counter[str]:
    """Label pairs of neighbouring words that are both among the 30 percent with the most saliency."""
    ordered = sorted(range(len(words)), key=lambda place: -words[place].value)
    top = set(ordered[: max(1, round(TOP * len(words)))])
    return Counter(f"{labels[place]} {labels[place + 1]}" for place in sorted(top) if place + 1 in top)


def _most(entry: tuple[str, float]) -> tuple[float, str]:
    return -entry[1], entry[0]


def over_run(shares: Mapping[str, tuple[float, float]], seed: int, purpose: str) -> Look:
    """Mean share and its difference from the control, with intervals over passages.

    Args:
        shares: By passage key, what :func:`share_on` gave.
        seed: Seed of the bootstrap.
        purpose: Name of the number.

    Raises:
        ValueError: There is no passage.
    """
    found = [share for share, _ in shares.values()]
    differences = [share - control for share, control in shares.values()]
    return Look(
        mean_interval(found, rng_for(seed, "look", purpose, "share")),
        mean_interval(differences, rng_for(seed, "look", purpose, "control")),
        len(found),
    )


def spacy_labels(model: str) -> Callable[[str, Sequence[WordSaliency]], list[str]]:
    """Part of speech of each word by a spaCy model; needs the extra ``nlp``.

    Args:
        model: Name of an installed model, such as ``en_core_web_sm``.
    """
    pipeline = importlib.import_module("spacy").load(model)

    def labels(text: str, words: Sequence[WordSaliency]) -> list[str]:
        tags = {token.idx: str(token.pos_) for token in pipeline(text)}
        starts = sorted(tags)
        return [tags[max((s for s in starts if s <= word.start), default=starts[0])] for word in words]

    return labels
