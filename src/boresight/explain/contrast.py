"""Why passage A stands above passage B: the difference of their explanations, part by part.

The differences sum to the difference of the scores. Swapping A and B flips every sign and nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.errors import SpecError

if TYPE_CHECKING:
    from boresight.explain.parts import Explanation, Part
    from boresight.models.rankers.seam import Kind


@dataclass(frozen=True, slots=True)
class Difference:
    """What one term or token does for A and not for B.

    Attributes:
        key: The term or token.
        value: Its part in A less its part in B; an absent part counts 0.
        above: The part in A, or None.
        below: The part in B, or None.
    """

    key: str
    value: float
    above: Part | None
    below: Part | None


@dataclass(frozen=True, slots=True)
class Contrast:
    """Why A above B.

    Attributes:
        ranker: Name of the ranker.
        above: Passage A.
        below: Passage B.
        kind: Kind of both explanations.
        margin: Score of A less score of B; negative when B stands above.
        differences: Largest first, whatever their sign; equal ones by key.
    """

    ranker: str
    above: str
    below: str
    kind: Kind
    margin: float
    differences: tuple[Difference, ...]

    @property
    def gap(self) -> float:
        """The margin less the sum of the differences."""
        return self.margin - math.fsum(difference.value for difference in self.differences)


def contrast(above: Explanation, below: Explanation) -> Contrast:
    """Compare two passages of one query.

    Args:
        above: Explanation of A.
        below: Explanation of B, by the same ranker for the same query.

    Raises:
        SpecError: If the two are of different rankers or kinds.
    """
    if (above.ranker, above.kind) != (below.ranker, below.kind):
        raise SpecError(
            f"{above.passage!r} is explained by {above.ranker} ({above.kind}) and {below.passage!r} by "
            f"{below.ranker} ({below.kind}); only scores of one ranker can be compared"
        )
    first, second = _by_key(above), _by_key(below)
    found = [_difference(key, first.get(key), second.get(key)) for key in first | second]
    ordered = sorted(found, key=lambda difference: (-abs(difference.value), difference.key))
    margin = above.score - below.score
    return Contrast(above.ranker, above.passage, below.passage, above.kind, margin, tuple(ordered))


def _by_key(explanation: Explanation) -> dict[str, Part]:
    return {part.key: part for part in explanation.parts}


def _difference(key: str, above: Part | None, below: Part | None) -> Difference:
    value = (above.value if above else 0.0) - (below.value if below else 0.0)
    return Difference(key, value, above, below)
