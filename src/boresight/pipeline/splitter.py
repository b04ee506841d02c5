"""From a long text to passages that are exact slices of it.

A passage ends where the text offers the best place: between paragraphs, else between sentences, else between
lines, else between words, and only where there is none of these within half a passage, in a word. Sizes are
in characters, since every passage must know its span in the source whatever model reads it later.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT_SIZE = 1000
DEFAULT_OVERLAP = 100

_PARAGRAPH = re.compile(r"\n[ \t\r]*\n\s*")
_SENTENCE = re.compile(r"[.!?\u2026][\"')\]\u00bb\u201d\u2019]*\s+|[\u3002\uff01\uff1f]")
_LINE = re.compile(r"\n\s*")
_WORD = re.compile(r"\s+")
_PLACES = (_PARAGRAPH, _SENTENCE, _LINE, _WORD)


@dataclass(frozen=True, slots=True)
class Splitter:
    """How texts are split.

    Attributes:
        size: Most characters of a passage.
        overlap: Most characters that a passage repeats of the one before.

    Raises:
        SpecError: The size is below 1, or the overlap is not below half the size.
    """

    size: int = DEFAULT_SIZE
    overlap: int = DEFAULT_OVERLAP

    def __post_init__(self) -> None:
        if self.size < 1:
            raise SpecError(f"the size of a passage must be at least 1 character, got {self.size}")
        if not 0 <= self.overlap <= self.size // 2:
            raise SpecError(
                f"the overlap must be between 0 and half the size ({self.size // 2}), got {self.overlap}"
            )

    def spans(self, text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
        """Split a part of a text.

        Args:
            text: The text.
            start: Where the part begins.
            end: Where it ends; the end of the text if None.

        Yields:
            Start and end of each passage in ``text``, in order, without white space at either end. Together
            they hold every character that is not white space; a blank part has none.
        """
        start, end = _trimmed(text, start, len(text) if end is None else end)
        while start < end:
            cut = end if end - start <= self.size else self._cut(text, start)
            yield _trimmed(text, start, cut)
            if cut >= end:
                return
            start, _ = _trimmed(text, self._next_start(text, start, cut), end)

    def _cut(self, text: str, start: int) -> int:
        """Where a passage that begins at ``start`` ends."""
        limit, earliest = start + self.size, start + self.size // 2
        for place in _PLACES:
            # A boundary counts by where its white space begins, for trailing space needs no room.
            ends = [_end(match) for match in place.finditer(text, earliest, min(limit + 1, len(text)))]
            fitting = [end for end in ends if earliest < end <= limit]
            if fitting:
                return fitting[-1]
        return _whole_character(text, start, limit)

    def _next_start(self, text: str, start: int, cut: int) -> int:
        """Where the next passage begins: at a sentence, else a word within the overlap, else at the cut."""
        earliest = max(cut - self.overlap, start + 1)
        for place in (_SENTENCE, _WORD) if self.overlap else ():
            starts = [match.end() for match in place.finditer(text, earliest, cut)]
            fitting = [begin for begin in starts if begin < cut]
            if fitting:
                return fitting[0]
        return cut


def _end(match: re.Match[str]) -> int:
    """Where the text before a boundary ends: behind its punctuation, before its white space."""
    return match.start() + len(match.group().rstrip())


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _whole_character(text: str, start: int, cut: int) -> int:
    """A cut that parts no accent from its letter, if one lies behind ``start``."""
    place = cut
    while place > start + 1 and place < len(text) and unicodedata.combining(text[place]):
        place -= 1
    return place if place > start + 1 else cut
