"""Claims: the sentences of an answer, each with what it cites."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from boresight.measure.citation.parse import Marker, markers_in
from boresight.trace.sentences import sentences_of

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence of the answer.

    Attributes:
        start: Where it begins in the answer, in characters.
        end: Where it ends.
        cited: Ids of the passages that it cites, in the order of the text.
        unknown: Labels that name no passage of the prompt.
        markers: Where its citations stand, which are no words of the claim.
    """

    start: int
    end: int
    cited: tuple[str, ...] = ()
    unknown: tuple[int, ...] = ()
    markers: tuple[tuple[int, int], ...] = ()

    def tokens(self, offsets: Sequence[tuple[int, int]]) -> list[int]:
        """Places of the target tokens that belong to the claim, its citation markers aside."""
        return [
            place
            for place, (start, end) in enumerate(offsets)
            if start < self.end and end > self.start and not self._is_marker(start, end)
        ]

    def _is_marker(self, start: int, end: int) -> bool:
        return any(start < last and end > first for first, last in self.markers)


def claims_of(text: str, players: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of an answer.

    A marker belongs to the sentence that holds it; one that begins a sentence, as in ``It is so. [1] And``,
    belongs to the sentence before.

    Args:
        text: The answer.
        players: Passage ids in context order; label 1 is the first.
    """
    claims = [Claim(part.start, part.start + len(part.text.rstrip())) for part in sentences_of(text)]
    markers = markers_in(text, len(players))
    bare = _without(text, markers)
    for marker in markers:
        place = _claim_of(marker, claims, bare)
        claims[place] = _citing(claims[place], marker, players)
    return tuple(claims)


def _without(text: str, markers: Sequence[Marker]) -> str:
    """The text with blanks in the place of its markers."""
    for marker in markers:
        text = text[: marker.start] + " " * (marker.end - marker.start) + text[marker.end :]
    return text


def _claim_of(marker: Marker, claims: Sequence[Claim], bare: str) -> int:
    place = max(index for index, claim in enumerate(claims) if claim.start <= marker.start)
    begins = not bare[claims[place].start : marker.start].strip()
    return place - 1 if begins and place else place


def _citing(claim: Claim, marker: Marker, players: Sequence[str]) -> Claim:
    known = [players[label - 1] for label in marker.labels if label <= len(players)]
    unknown = [label for label in marker.labels if label > len(players)]
    return replace(
        claim,
        cited=tuple(dict.fromkeys((*claim.cited, *known))),
        unknown=(*claim.unknown, *unknown),
        markers=(*claim.markers, (marker.start, marker.end)),
    )
