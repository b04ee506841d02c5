"""Character spans of tokens, for display: they never decrease and, where known, rebuild the text."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Span = tuple[int, int]
REPLACEMENT = "\ufffd"  # what decoders write for an unfinished character
_LONGEST_CHARACTER = 4  # tokens, one for each byte


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
    """Spans found by decoding pieces of the ids; for generated ids and tokenizers without offsets.

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
    ends = _ends_in_windows(ids, whole, decode) or _ends_in_prefixes(ids, whole, decode)
    stops = [min(max(end - start, 0), len(text)) for end in ends]
    return cover(len(text), [(stop, stop) for stop in stops])


def _ends_in_windows(
    ids: Sequence[int], whole: str, decode: Callable[[Sequence[int]], str]
) -> list[int] | None:
    """Where each token ends in the whole text, from short decodings; None if they do not add up to it.

    Each decoding starts one settled step back, since decoders treat the first token of a text differently.
    """
    ends: list[int] = []
    back, settled, length = 0, 0, 0  # ids[back:settled] is decoded again; ids[:settled] spell whole[:length]
    for count in range(1, len(ids) + 1):
        known, window = decode(ids[back:settled]), decode(ids[back:count])
        new = window.removeprefix(known)
        finished = new.rstrip(REPLACEMENT)
        settles = new == finished or count - settled >= _LONGEST_CHARACTER
        if not window.startswith(known) or not whole.startswith(new if settles else finished, length):
            return None
        ends.append(length + len(finished))
        if settles:
            back, settled, length = settled, count, length + len(new)
    return ends if length == len(whole) else None


def _ends_in_prefixes(ids: Sequence[int], whole: str, decode: Callable[[Sequence[int]], str]) -> list[int]:
    """The same from ever longer decodings: right for any decoder, and slow for long texts."""
    prefixes = (decode(ids[:count]).rstrip(REPLACEMENT) for count in range(1, len(ids) + 1))
    return [_shared_length(prefix, whole) for prefix in prefixes]


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
