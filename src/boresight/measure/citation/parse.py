"""Citation markers: ``[1]``, ``[1, 3-5]``, ``[^1]``, ``(Document 3)``, ``【3†source】``, superscripts.

A number is the label of a passage in the prompt, counted from 1. Not read are years and other numbers of four
digits, code, what follows a heading such as *References*, and exponents.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_DIGITS = 3
"""A number of four digits is a year, or the label of a context that nobody has."""
MOST_IN_A_RANGE = 50

_NUMBER = rf"\d{{1,{MOST_DIGITS}}}"
_ITEM = rf"{_NUMBER}(?:\s?[-–—]\s?{_NUMBER})?"  # noqa: RUF001 - dashes of ranges
_LIST = rf"{_ITEM}(?:\s?(?:,|;|and|&)\s?{_ITEM})*"
_NOUN = r"(?:documents?|docs?\.?|passages?|sources?|references?|refs?\.?)"
_LINK = r"(?:\((?:https?:|#)[^()\s]*\))?"
_FORMS = (
    rf"\[\s?(?:{_NOUN}\s*:?\s*)?(?P<square>{_LIST})\s?\]{_LINK}",
    rf"\[\^(?P<foot>{_NUMBER})\]",
    rf"\(\s?(?:see\s+)?{_NOUN}\s*:?\s*(?P<round>{_LIST})\s?\)",
    rf"【\s?(?:\d+:(?P<zero>{_NUMBER})|(?P<lens>{_LIST}))\s?(?:†[^】\n]*)?】",
    r"(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?:[,˒⸴][⁰¹²³⁴⁵⁶⁷⁸⁹]+)*)",
    rf"\b(?:Passage|Document)s?\s(?P<prose>{_LIST})(?!\d)",
)
_MARKER = re.compile("|".join(_FORMS), re.IGNORECASE)
_RANGE = re.compile(rf"({_NUMBER})(?:\s?[-–—]\s?({_NUMBER}))?")  # noqa: RUF001 - as above
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`", re.DOTALL)
_BIBLIOGRAPHY = re.compile(
    r"^\W*(?:references|sources|bibliography|citations|works cited)\W*$", re.IGNORECASE | re.MULTILINE
)
_AFTER_INDEX = re.compile(r"\s?[=(+*/^]|\.[a-z_]|\[[a-z_]")
_LONG_WORD = re.compile(r"[^\W\d_]{3}$")
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


@dataclass(frozen=True, slots=True)
class Marker:
    """One citation marker.

    Attributes:
        start: Where it begins in the answer, in characters.
        end: Where it ends.
        labels: The numbers that it names, from 1, in the order of the text, each once.
    """

    start: int
    end: int
    labels: tuple[int, ...]


def markers_in(text: str, passages: int) -> tuple[Marker, ...]:
    """The citation markers of an answer, in the order of the text.

    Args:
        text: The answer.
        passages: How many passages the prompt held: raised figures such as ``¹²`` are twelve where there is a
            twelfth passage, else one and two.
    """
    end = _end_of_prose(text)
    code = [found.span() for found in _CODE.finditer(text)]
    found = (match for match in _MARKER.finditer(text, 0, end) if not _is_inside(match.start(), code))
    markers = (_marker(text, match, passages) for match in found)
    return tuple(marker for marker in markers if marker is not None)


def _end_of_prose(text: str) -> int:
    heading = _BIBLIOGRAPHY.search(text)
    return len(text) if heading is None else heading.start()


def _is_inside(place: int, spans: list[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in spans)


def _marker(text: str, match: re.Match[str], passages: int) -> Marker | None:
    kind, written = next((name, part) for name, part in match.groupdict().items() if part is not None)
    if kind == "raised":
        labels = _raised(written, passages) if _may_be_raised(text, match.start()) else []
    elif kind == "zero":
        labels = [int(written) + 1]  # the second number of this form counts from 0
    elif (kind == "square" and _is_index(text, match)) or (kind == "foot" and _defines(text, match)):
        labels = []
    else:
        labels = list(_listed(written))
    named = tuple(dict.fromkeys(label for label in labels if label > 0))
    return Marker(match.start(), match.end(), named) if named else None


def _listed(written: str) -> Iterator[int]:
    """The numbers of ``1, 3-5``."""
    for first, last in _RANGE.findall(written):
        end = int(last or first)
        yield from range(int(first), end + 1) if end - int(first) < MOST_IN_A_RANGE else (int(first), end)


def _raised(written: str, passages: int) -> list[int]:
    labels = []
    for part in re.split(r"[,˒⸴]", written.translate(_RAISED)):
        number = int(part)
        labels += [number] if number <= passages else [int(figure) for figure in part]
    return labels


def _may_be_raised(text: str, place: int) -> bool:
    """Whether raised figures cite: behind a word of three letters or a mark, not as in ``km²`` or ``10³``."""
    before = text[:place]
    return bool(_LONG_WORD.search(before)) or before[-1:] in set(".,;:!?\"'”’)]")  # noqa: RUF001 - quotes


def _is_index(text: str, match: re.Match[str]) -> bool:
    """Whether ``x[1]`` is an element of an array."""
    before = text[match.start() - 1 : match.start()]
    return (before.isalnum() or before == "_") and bool(_AFTER_INDEX.match(text, match.end()))


def _defines(text: str, match: re.Match[str]) -> bool:
    """Whether ``[^1]:`` begins the text of a footnote."""
    return text[match.end() : match.end() + 1] == ":"
