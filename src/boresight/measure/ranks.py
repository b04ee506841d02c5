"""Rankings with ties, read as the expectation over a random order of the tied.

In a random order of its tie, the passage of a tie that starts at place f and has s members is among the first
d with probability clip((d - f) / s, 0, 1). Ties of two rankings are broken independently, so whatever is
linear in the product of these probabilities is an exact expectation, without enumerating any order.
"""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

TIE = 1e-9
"""Attributions that differ by no more than this are tied: float32 rows tell no more."""


class Place(NamedTuple):
    """Where a passage stands.

    Attributes:
        first: Rank of the best place of its tie, from 0.
        size: Number of passages in the tie, itself included.
    """

    first: int
    size: int

    def within(self, depth: int) -> float:
        """Probability of standing among the first ``depth`` in a random order of the tie."""
        return min(max((depth - self.first) / self.size, 0.0), 1.0)


def places_by_rank(ranks: Mapping[str, float]) -> dict[str, Place]:
    """Places under ranks of which the smallest is best and equal ones are ties."""
    ordered = sorted(ranks, key=ranks.__getitem__)
    return _placed([list(tie) for _, tie in groupby(ordered, key=ranks.__getitem__)])


def places_by_attribution(attribution: Mapping[str, float]) -> dict[str, Place]:
    """Places under attributions of which the largest is best.

    Neighbours in sorted order that differ by no more than ``TIE`` are tied, and so on along the order.
    """
    ties: list[list[str]] = []
    for passage in sorted(attribution, key=attribution.__getitem__, reverse=True):
        if ties and attribution[ties[-1][-1]] - attribution[passage] <= TIE:
            ties[-1].append(passage)
        else:
            ties.append([passage])
    return _placed(ties)


def expected_overlap(
    one: Mapping[str, Place], depth_one: int, other: Mapping[str, Place], depth_other: int
) -> float:
    """Expected number of passages that are among the first of both rankings.

    Args:
        one: A ranking of some passages.
        depth_one: How many of its first places count.
        other: Another ranking of the same passages.
        depth_other: How many of its first places count.

    Returns:
        A number of passages, between 0 and the smaller depth.
    """
    both = math.fsum(
        place.within(depth_one) * other[passage].within(depth_other) for passage, place in one.items()
    )
    return min(both, float(depth_one), float(depth_other))


def _placed(ties: list[list[str]]) -> dict[str, Place]:
    places: dict[str, Place] = {}
    for tie in ties:
        first = len(places)
        places.update({passage: Place(first, len(tie)) for passage in tie})
    return places
