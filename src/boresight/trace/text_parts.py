"""Parts of a text that take turns as players: words of a query, sentences of a passage."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class TextPart:
    """A part of a text.

    Attributes:
        text: As it stands there.
        start: First character in the text.
        end: Behind the last character.
    """

    text: str
    start: int
    end: int


def joined(text: str, parts: Sequence[TextPart], most: int) -> tuple[TextPart, ...]:
    """At most ``most`` parts: neighbours are joined, with what stands between them, as evenly as can be."""
    count = min(most, len(parts))
    cuts = [round(place * len(parts) / count) for place in range(count + 1)] if count else [0]
    spans = [(parts[first].start, parts[behind - 1].end) for first, behind in pairwise(cuts)]
    return tuple(TextPart(text[start:end], start, end) for start, end in spans)
