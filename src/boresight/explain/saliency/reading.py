"""A text as a ranker read it: its words with their saliency, and the same saliency dealt out at random.

The control answers what any number would be if the ranker had put its weights anywhere: the values of the
tokens are shuffled among the tokens of the words, and words are summed again. A word of many tokens so gets
more by chance, as it does from a ranker. Punctuation is no word and takes no part.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boresight.explain.saliency.words import spans_of, word_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Piece = tuple[int | None, int | None, float]

DRAWS = 50  # shuffles of a text; their mean is what it is compared with, and many texts are averaged


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """The words that were read.

    Attributes:
        text: The whole text.
        spans: First character of each word and the character behind its last, in order.
        values: Shape (1 + draws, words): first the saliency of the words, then that of each shuffle.
    """

    text: str
    spans: tuple[tuple[int, int], ...]
    values: NDArray[np.float64]

    @property
    def words(self) -> list[str]:
        """The words as they are written."""
        return [self.text[start:end] for start, end in self.spans]


def reading(text: str, tokens: Iterable[Piece], rng: np.random.Generator, *, whole: bool) -> Reading:
    """The words of a text with the values of their tokens, and the same with the values shuffled.

    Args:
        text: The text.
        tokens: First character, the character behind the last, and value of each; several in one place are
            summed, and what belongs to no character or no word is left out.
        rng: Source of the shuffles.
        whole: Whether the ranker read every word and lists those alone that count; a word that is not listed
            then is a token of value 0. Otherwise words without a token were not read.
    """
    spans = spans_of(text)
    owners, values = _owned(spans, tokens)
    if whole:
        silent = sorted(set(range(len(spans))) - set(owners))
        owners, values = [*owners, *silent], [*values, *([0.0] * len(silent))]
    if not owners:
        return Reading(text, (), np.zeros((1 + DRAWS, 0)))
    order = np.argsort(owners, kind="stable")
    read, firsts = np.unique(np.array(owners)[order], return_index=True)
    row = np.array(values)[order]
    rows = np.vstack([row, rng.permuted(np.tile(row, (DRAWS, 1)), axis=1)])
    return Reading(text, tuple(spans[place] for place in read), np.add.reduceat(rows, firsts, axis=1))


def _owned(spans: Sequence[tuple[int, int]], tokens: Iterable[Piece]) -> tuple[list[int], list[float]]:
    """Place of the word and value of each token that belongs to one."""
    sums: dict[tuple[int, int], float] = {}
    owners: dict[tuple[int, int], int] = {}
    for start, end, value in tokens:
        place = word_at(spans, start, end)
        if start is None or end is None or place is None:
            continue
        sums[start, end] = sums.get((start, end), 0.0) + value
        owners[start, end] = place
    return list(owners.values()), list(sums.values())
