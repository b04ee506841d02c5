"""Words of a text with the saliency of their tokens: what a person reads, whatever the tokenizer cut."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.explain.saliency.result import Saliency

WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class WordSaliency:
    """One word.

    Attributes:
        text: The word as it is written.
        start: Its first character.
        end: The character behind its last.
        value: Sum over the tokens that begin or end in it.
        tokens: Number of those tokens; 0 where the model did not read that far.
    """

    text: str
    start: int
    end: int
    value: float
    tokens: int


def words_of(saliency: Saliency, text: str) -> list[WordSaliency]:
    """The words of a text, in order; a token goes to the last word that it reaches into.

    Args:
        saliency: Token values of the text.
        text: The text as it was written. Punctuation is no word, and its values belong to none.
    """
    found = spans_of(text)
    sums, counts = [0.0] * len(found), [0] * len(found)
    for token in saliency.tokens:
        place = word_at(found, token.start, token.end)
        if place is not None:
            sums[place] += token.value
            counts[place] += 1
    return [
        WordSaliency(text[start:end], start, end, value, tokens)
        for (start, end), value, tokens in zip(found, sums, counts, strict=True)
    ]


def spans_of(text: str) -> list[tuple[int, int]]:
    """First character of each word and the character behind its last, in order."""
    return [match.span() for match in WORD.finditer(text)]


def word_at(words: Sequence[tuple[int, int]], start: int | None, end: int | None) -> int | None:
    """The place of the last word that a token reaches into; None where it reaches into none.

    Args:
        words: What :func:`spans_of` gave.
        start: First character of the token, None where it belongs to no character.
        end: Behind its last.
    """
    if start is None or end is None:
        return None
    place = bisect_left(words, (end, 0)) - 1  # the last word that begins before the token ends
    return place if place >= 0 and start < words[place][1] else None
