"""What retrievers look at: on which words of the passages the saliency lies, over a run.

Every number of a passage is a pair: what the ranker's saliency gives, and the mean of what the same saliency
gives when it is dealt out at random (:mod:`boresight.explain.saliency.reading`). Shares are of the positive
saliency of a passage's words unless they say otherwise. Passages of one trace share a question, so intervals
resample traces; a difference from the control is one only where its interval leaves zero out.

Source: the questions are those of RAG-E, arXiv 2601.21803, section on retriever attributions; shares of all
positive saliency and the control by shuffling stand in the place of its top 30 percent of tokens.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.saliency.words import WORD
from boresight.stats.bootstrap import cluster_mean_interval
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.explain.saliency.reading import Reading
    from boresight.stats.interval import Interval

    Rows = NDArray[np.float64]
    Pair = tuple[float, float]

SOFT_RATIO = 0.8
TENTHS = 10


@dataclass(frozen=True, slots=True)
class Look:
    """A share over a run.

    Attributes:
        share: Mean share over passages.
        control: Mean share of the same saliency dealt out at random.
        over_random: Mean of share minus control, passage by passage.
        passages: Passages that were counted.
        traces: Traces that they belong to.
    """

    share: Interval[float]
    control: float
    over_random: Interval[float]
    passages: int
    traces: int


def query_matches(query: str, stem: Callable[[str], str] | None = None) -> dict[str, Callable[[str], bool]]:
    """How a word can be one of the query: ``exact`` (case aside), ``stem``, ``soft`` (spelling ratio 0.8).

    Args:
        query: The question.
        stem: Stem of a lower-case word; without it there is no ``stem``.
    """
    asked = sorted({word.lower() for word in WORD.findall(query)})
    found: dict[str, Callable[[str], bool]] = {
        "exact": lambda word: word.lower() in asked,
        "soft": lambda word: bool(difflib.get_close_matches(word.lower(), asked, n=1, cutoff=SOFT_RATIO)),
    }
    if stem is not None:
        stems = {stem(word) for word in asked}
        found["stem"] = lambda word: stem(word.lower()) in stems
    return found


def share_on(reading: Reading, chosen: Sequence[bool]) -> Pair | None:
    """Share of the positive saliency on chosen words; None where there is none.

    Args:
        reading: The words with their values.
        chosen: One flag a word.
    """
    return _share(_positive(reading.values), chosen)


def negative_on(reading: Reading, chosen: Sequence[bool]) -> Pair | None:
    """Share of the negative saliency on chosen words; None where there is none."""
    return _share(_positive(-reading.values), chosen)


def negative_share(reading: Reading) -> Pair | None:
    """Share of the absolute saliency of the words that is negative; None where all of it is zero.

    Shuffling changes it only through words of several tokens, whose signs then cancel otherwise.
    """
    return _pair(_positive(-reading.values).sum(axis=1), np.abs(reading.values).sum(axis=1))


def share_by(reading: Reading, labels: Sequence[str]) -> dict[str, Pair] | None:
    """Share of the positive saliency by label of the words, such as part of speech; None without any."""
    return _shares(_positive(reading.values), labels)


def share_by_tenth(reading: Reading) -> dict[str, Pair] | None:
    """Share of the positive saliency by tenth of the words that were read, ``0`` the first."""
    count = len(reading.spans)
    return share_by(reading, [str(place * TENTHS // count) for place in range(count)])


def share_by_bigram(reading: Reading, labels: Sequence[str]) -> dict[str, Pair] | None:
    """Share by the labels of two neighbouring words, which hold the positive saliency of both together.

    None where no two words were read, or none with positive saliency.
    """
    mass = _positive(reading.values)
    pairs = [f"{first} {second}" for first, second in pairwise(labels)]
    return _shares(mass[:, :-1] + mass[:, 1:], pairs)


def over_run(pairs: Mapping[str, Sequence[Pair]], seed: int, purpose: str) -> Look:
    """Mean share, its control, and the difference of the two, with intervals over traces.

    Args:
        pairs: By trace id, one pair a passage.
        seed: Seed of the bootstrap.
        purpose: Name of the number.

    Raises:
        ValueError: There is no passage.
    """
    shares = {trace: [share for share, _ in found] for trace, found in pairs.items()}
    above = {trace: [share - control for share, control in found] for trace, found in pairs.items()}
    controls = [control for found in pairs.values() for _, control in found]
    share = cluster_mean_interval(shares, rng_for(seed, "look", purpose, "share"))
    difference = cluster_mean_interval(above, rng_for(seed, "look", purpose, "control"))
    return Look(share, float(np.mean(controls)), difference, len(controls), sum(map(bool, pairs.values())))


def _positive(values: Rows) -> Rows:
    return np.maximum(values, 0.0)


def _share(mass: Rows, chosen: Sequence[bool]) -> Pair | None:
    taken = np.array(chosen, dtype=bool)
    return _pair(mass[:, taken].sum(axis=1), mass.sum(axis=1))


def _shares(mass: Rows, labels: Sequence[str]) -> dict[str, Pair] | None:
    """The share of each label, in alphabetical order."""
    if not len(labels):
        return None
    names, kinds = np.unique(np.array(labels), return_inverse=True)
    order = np.argsort(kinds, kind="stable")
    sums = np.add.reduceat(mass[:, order], np.searchsorted(kinds[order], range(len(names))), axis=1)
    pairs = [_pair(sums[:, place], mass.sum(axis=1)) for place in range(len(names))]
    return {str(name): pair for name, pair in zip(names, pairs, strict=True) if pair is not None} or None


def _pair(part: Rows, whole: Rows) -> Pair | None:
    """The share of the first row, and the mean share of the others; rows without anything do not count."""
    dealt = whole[1:] > 0
    if not whole[0] > 0 or not dealt.any():
        return None
    return float(part[0] / whole[0]), float((part[1:][dealt] / whole[1:][dealt]).mean())
