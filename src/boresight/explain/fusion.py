"""Fusion explained: one part a ranking that was fused, what it added to the passage's score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boresight.explain.parts import Explanation, Part, structural

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.models.rankers.fusion import FusionRanker
    from boresight.models.rankers.seam import Kind


class FusionExplainer:
    """Explains fused scores.

    Args:
        ranker: The fusion.
    """

    kind: Kind = "structural"

    def __init__(self, ranker: FusionRanker) -> None:
        self._ranker = ranker

    def explain(self, query: str, passages: Mapping[str, str]) -> dict[str, Explanation]:
        """One part a ranker, by its name.

        Args:
            query: The question.
            passages: Text by passage id.
        """
        parts = self._ranker.contributions(query, passages)
        return {
            key: structural(
                self._ranker.name,
                key,
                math.fsum(parts[key].values()),
                [Part(name, value) for name, value in parts[key].items()],
            )
            for key in passages
        }
