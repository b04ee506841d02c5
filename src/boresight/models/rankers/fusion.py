"""Fusion: one ranking from several, by reciprocal ranks or by weighted scores; always keyed by passage id.

Every fused score is a sum with one addend a ranking, so fusion explains itself (:func:`contributions`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from boresight.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.models.rankers.seam import Ranker

Method = Literal["reciprocal-rank", "weighted"]
METHODS: tuple[Method, ...] = ("reciprocal-rank", "weighted")
CONSTANT = 60.0  # of reciprocal ranks, as published

Scores = dict[str, float]


def reciprocal_rank(scores: Mapping[str, float], constant: float = CONSTANT) -> Scores:
    """``1 / (constant + rank)``, rank from 1; tied passages share the mean of their places.

    Source: Cormack, Clarke and Buettcher, Reciprocal Rank Fusion, SIGIR 2009.

    Args:
        scores: Score by passage id.
        constant: The larger, the less the first ranks stand out.
    """
    places: dict[float, list[float]] = {}
    for place, score in enumerate(sorted(scores.values(), reverse=True), start=1):
        places.setdefault(score, []).append(1 / (constant + place))
    shared = {score: math.fsum(values) / len(values) for score, values in places.items()}
    return {key: shared[score] for key, score in scores.items()}


def scaled(scores: Mapping[str, float]) -> Scores:
    """Scores stretched from 0 (lowest) to 1 (highest); all 0 where they are equal and separate nothing."""
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {key: (score - low) / (high - low) if high > low else 0.0 for key, score in scores.items()}


def contributions(
    rankings: Mapping[str, Mapping[str, float]],
    method: Method = "reciprocal-rank",
    weights: Mapping[str, float] | None = None,
    constant: float = CONSTANT,
) -> dict[str, Scores]:
    """What each ranking adds to each passage's fused score.

    Args:
        rankings: Scores by passage id, by name of the ranking.
        method: ``reciprocal-rank`` or ``weighted`` (scores are scaled to 0..1 within each ranking first).
        weights: Weight by name; 1 where absent.
        constant: As in :func:`reciprocal_rank`.

    Returns:
        By passage id and name of the ranking; one that lacks the passage has no entry. Passages stand in
        the order in which the rankings name them.

    Raises:
        SpecError: If the method or a weight's name is unknown.
    """
    unknown = sorted(set(weights or {}) - set(rankings))
    if method not in METHODS or unknown:
        what = f"ranking {unknown[0]!r}" if unknown else f"fusion method {method!r}"
        raise SpecError(f"there is no {what}; choose from {', '.join(rankings if unknown else METHODS)}")
    found: dict[str, Scores] = {key: {} for scores in rankings.values() for key in scores}
    for name, scores in rankings.items():
        values = reciprocal_rank(scores, constant) if method == "reciprocal-rank" else scaled(scores)
        for key, value in values.items():
            found[key][name] = (weights or {}).get(name, 1.0) * value
    return found


def fuse(
    rankings: Mapping[str, Mapping[str, float]],
    method: Method = "reciprocal-rank",
    weights: Mapping[str, float] | None = None,
    constant: float = CONSTANT,
) -> Scores:
    """Fused score by passage id; arguments and errors are those of :func:`contributions`."""
    parts = contributions(rankings, method, weights, constant)
    return {key: math.fsum(values.values()) for key, values in parts.items()}


class FusionRanker:
    """Several rankers as one.

    Args:
        rankers: The rankers, of different names.
        method: ``reciprocal-rank`` or ``weighted``.
        weights: Weight by name of the ranker; 1 where absent.
        constant: As in :func:`reciprocal_rank`.
        name: Name of the stage.

    Raises:
        SpecError: If there is no ranker, or two have one name.
    """

    def __init__(
        self,
        rankers: Sequence[Ranker],
        method: Method = "reciprocal-rank",
        *,
        weights: Mapping[str, float] | None = None,
        constant: float = CONSTANT,
        name: str = "fusion",
    ) -> None:
        self._rankers = {ranker.name: ranker for ranker in rankers}
        if not rankers or len(self._rankers) != len(rankers):
            raise SpecError("fusion needs at least one ranker, and each of another name")
        self.name = name
        self._method: Method = method
        self._weights = dict(weights or {})
        self._constant = constant

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        return {
            "kind": "fusion",
            "name": self.name,
            "listwise": True,
            "score": self._method,
            "weights": self._weights,
            "constant": self._constant,
            "rankers": [ranker.describe() for ranker in self._rankers.values()],
        }

    def score(self, query: str, passages: Mapping[str, str]) -> Scores:
        """Fused score by passage id, in the given order."""
        fused = fuse(self.rankings(query, passages), self._method, self._weights, self._constant)
        return {key: fused[key] for key in passages}

    def contributions(self, query: str, passages: Mapping[str, str]) -> dict[str, Scores]:
        """What each ranker adds to each passage's score."""
        return contributions(self.rankings(query, passages), self._method, self._weights, self._constant)

    def rankings(self, query: str, passages: Mapping[str, str]) -> dict[str, Mapping[str, float]]:
        """Each ranker's own scores, by its name."""
        return {name: ranker.score(query, passages) for name, ranker in self._rankers.items()}
