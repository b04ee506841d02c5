"""Words of a text with the saliency of their tokens: what a person reads, whatever the tokenizer cut."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    found = [match.span() for match in WORD.finditer(text)]
    sums, counts, place = [0.0] * len(found), [0] * len(found), 0
    for token in saliency.tokens:
        if token.start is None or token.end is None:
            continue
        while place + 1 < len(found) and found[place + 1][0] < token.end:
            place += 1
        if found and token.start < found[place][1] and token.end > found[place][0]:
            sums[place] += token.value
            counts[place] += 1
    return [
        WordSaliency(text[start:end], start, end, value, tokens)
        for (start, end), value, tokens in zip(found, sums, counts, strict=True)
    ]
