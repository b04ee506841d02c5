"""Sentences of a text, by rule and without a model: spans that rebuild the text exactly.

A sentence ends behind its marks and closing quotes where a blank follows, behind the marks of scripts that
put none (Chinese, Japanese, danda, Ethiopic and others), and at an empty line. It does not end in a decimal,
behind an initial or a usual abbreviation, before a small letter, nor where it would hold no letter.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from boresight.trace.text_parts import TextPart

if TYPE_CHECKING:
    from collections.abc import Iterator

_SPACED = ".!?…؟۔"  # noqa: RUF001 - marks of many scripts; a blank stands behind a sentence
_UNSPACED = "。！？｡．।॥።။។։"  # noqa: RUF001 - no blank need stand behind it
_CLOSING = "\"'”’»)\\]」』）】》"  # noqa: RUF001 - the same
# One pass over the text: each alternative eats what it matched, so that no input makes it slow.
_END = re.compile(rf"(?P<marks>[{_SPACED}{_UNSPACED}]+)[{_CLOSING}]*(?P<blank>\s*)|(?P<gap>\s+)", re.UNICODE)
_WORD = re.compile(r"\w+$")
_LONGEST_ABBREVIATION = 8
_ABBREVIATIONS = frozenset(
    (
        "mr", "mrs", "ms", "dr", "prof", "st", "mt", "sr", "jr", "gen", "col", "capt", "lt", "sgt", "rev",
        "hon", "nos", "nr", "vol", "fig", "figs", "eq", "vs", "cf", "ca", "approx", "al", "bzw", "vgl",
    )
)  # fmt: skip


def sentences_of(text: str) -> tuple[TextPart, ...]:
    """The sentences of a text, which rebuild it when they are joined; none where the text is blank."""
    if not text.strip():
        return ()
    cuts, seen, lettered = [0], 0, False
    for place in _ends(text):
        lettered = lettered or _has_letter(text[seen:place])
        seen = place
        if lettered:
            cuts.append(place)
            lettered = False
    if len(cuts) > 1 and not _has_letter(text[cuts[-1] :]):
        cuts.pop()  # what holds no letter is no sentence of its own
    return tuple(TextPart(text[start:end], start, end) for start, end in pairwise([*cuts, len(text)]))


def _ends(text: str) -> Iterator[int]:
    """Places inside the text where a sentence may end, blanks behind it included."""
    for found in _END.finditer(text):
        if found.end() < len(text) and _ends_here(text, found):
            yield found.end()


def _ends_here(text: str, found: re.Match[str]) -> bool:
    marks, blank = found["marks"], found["blank"]
    if marks is None:
        return found["gap"].count("\n") > 1
    if any(mark in _UNSPACED for mark in marks) or blank.count("\n") > 1:
        return True
    return bool(blank) and not text[found.end()].islower() and not _abbreviates(text, found.start(), marks)


def _abbreviates(text: str, place: int, marks: str) -> bool:
    """Whether the point at a place belongs to an initial (``J.``, ``U.S.``) or to an abbreviation."""
    word = _WORD.search(text, max(0, place - _LONGEST_ABBREVIATION), place)
    if marks != "." or word is None:
        return False
    letters = word[0]
    return (len(letters) == 1 and letters.isalpha()) or letters.casefold() in _ABBREVIATIONS


def _has_letter(text: str) -> bool:
    return any(map(str.isalpha, text))
