"""Sections of a Markdown text, with the headings above each as its title.

Only the two heading forms and fenced code are read; everything else stays as it is written, so that a section
is an exact slice of the source.

Source: CommonMark 0.31.2, sections 4.2 (ATX headings), 4.3 (setext headings) and 4.5 (fenced code blocks).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_PARAGRAPH = re.compile(r"\s*$| {0,3}(?:[-*+>#|]|\d+[.)]\s)| {4}|\t")
_JOIN = " > "


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a text under one heading.

    Attributes:
        title: The headings above it, outermost first, joined by `` > ``; None before the first heading.
        start: Where its body begins, behind the heading.
        end: Where it ends.
    """

    title: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Heading:
    level: int
    words: str
    start: int
    body: int


def sections(text: str) -> Iterator[Section]:
    """The sections of a Markdown text, in order; those without a body are left out."""
    path: list[_Heading] = []
    start = 0
    for heading in (*_headings(text), _Heading(0, "", len(text), len(text))):
        if text[start : heading.start].strip():
            yield Section(_JOIN.join(one.words for one in path if one.words) or None, start, heading.start)
        path = [one for one in path if one.level < heading.level] + [heading]
        start = heading.body


def _headings(text: str) -> Iterator[_Heading]:
    fence: str | None = None
    before: tuple[int, str] | None = None  # the line before, if it can be a setext heading
    place = 0
    for raw in text.splitlines(keepends=True):
        line, start = raw.rstrip("\r\n"), place
        place += len(raw)
        fence, fenced = _fence(line, fence)
        atx, setext = _ATX.match(line), _SETEXT.match(line)
        if not fenced and atx:
            yield _Heading(len(atx.group(1)), (atx.group(2) or "").strip(), start, place)
        elif not fenced and setext and before:
            yield _Heading(1 if "=" in line else 2, before[1].strip(), before[0], place)
        paragraph = not fenced and not atx and not (setext and before) and not _NO_PARAGRAPH.match(line)
        before = (start, line) if paragraph else None


def _fence(line: str, fence: str | None) -> tuple[str | None, bool]:
    """The fence that is open behind a line, and whether the line belongs to fenced code."""
    match = _FENCE.match(line)
    if fence is None:
        return (match.group(1), True) if match else (None, False)
    closes = match is not None and match.group(1).startswith(fence) and not line.strip(" \t`~")
    return (None if closes else fence), True
