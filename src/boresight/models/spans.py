"""Character spans of tokens, for display: they never decrease and, where known, rebuild the text."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Span = tuple[int, int]
REPLACEMENT = "\ufffd"  # what decoders write for an unfinished character


def cover(length: int, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Stretch token spans so that together they cover the text, each character once.

    Spaces between tokens go to the token after them; of several tokens that share a character (the bytes of
    an emoji) the last one gets it.

    Args:
        length: Characters in the text.
        spans: Span of each token, as a tokenizer gives them.
    """
    cuts = [0]
    for index, (_, stop) in enumerate(spans):
        last = index + 1 == len(spans)
        cut = length if last else min(stop, max(spans[index + 1][0], cuts[-1]))
        cuts.append(max(cut, cuts[-1]))
    return tuple(pairwise(cuts))


def spans_by_decoding(
    ids: Sequence[int], text: str, decode: Callable[[Sequence[int]], str]
) -> tuple[Span, ...] | None:
    """Spans found by decoding ever longer prefixes; for generated ids and tokenizers without offsets.

    Args:
        ids: Token ids.
        text: The text that they should spell.
        decode: Text of a sequence of ids.

    Returns:
        The spans, or None if the ids do not spell the text (a tokenizer that lowercases, say).
    """
    whole = decode(ids)
    start = whole.find(text)
    if start < 0:
        return None
    stops = []
    for count in range(1, len(ids) + 1):
        prefix = decode(ids[:count]).rstrip(REPLACEMENT)
        known = _shared_length(prefix, whole) - start
        stops.append(min(max(known, 0), len(text)))
    return cover(len(text), [(stop, stop) for stop in stops])


def _shared_length(prefix: str, whole: str) -> int:
    """How many characters two texts share from their start."""
    pairs = enumerate(zip(prefix, whole, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(prefix), len(whole)))


def spans_by_words(
    ids: Sequence[int], text: str, encode: Callable[[str], Sequence[int]]
) -> tuple[Span, ...] | None:
    """Spans of whole words: every token of a word gets the word.

    Args:
        ids: Token ids of the text.
        text: The text.
        encode: Ids of a piece of text.

    Returns:
        The spans, or None if the words do not add up to the ids.
    """
    found: list[int] = []
    spans: list[Span] = []
    for word in re.finditer(r"\S+", text):
        tokens = encode(word[0])
        found += tokens
        spans += [word.span()] * len(tokens)
    return tuple(spans) if found == list(ids) else None
