"""Why a ranker gave a passage its score: parts that belong to words of query and passage, and sum to it.

An explanation of a ranker names its kind (:data:`boresight.models.rankers.seam.Kind`). Of kind ``structural``
are those whose parts are the ranker's own arithmetic; their sum is checked when they are made.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from boresight.errors import ScoringError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from boresight.models.rankers.seam import Kind
    from boresight.models.spans import Span

TOLERANCE = 1e-5  # of scores up to 1; relative for larger ones, since vectors are float32

QUERY_EXPANSION = "the query does not say it"
PASSAGE_EXPANSION = "the passage does not say it"
BOTH_EXPAND = "neither query nor passage says it"
"""Notes of parts that a model adds to a text."""


@dataclass(frozen=True, slots=True)
class Part:
    """One addend of a score.

    Attributes:
        key: What it is about, the same for every passage of the query: a term, a token of the query.
        value: What it adds to the score.
        query_spans: Characters of the query that it belongs to, if any.
        passage_spans: Characters of the passage that it belongs to, if any.
        factors: The numbers that make up the value, by name.
        note: What a person should know about it, such as that the passage does not say the term.
    """

    key: str
    value: float
    query_spans: tuple[Span, ...] = ()
    passage_spans: tuple[Span, ...] = ()
    factors: Mapping[str, float] = field(default_factory=dict)
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one passage got its score.

    Attributes:
        ranker: Name of the ranker.
        passage: Passage id.
        kind: How the parts are tied to the score.
        score: The score.
        parts: The addends, largest first; equal ones by key.
    """

    ranker: str
    passage: str
    kind: Kind
    score: float
    parts: tuple[Part, ...]

    @property
    def gap(self) -> float:
        """The score less the sum of the parts."""
        return self.score - math.fsum(part.value for part in self.parts)


class Explainer(Protocol):
    """The seam of explanations."""

    @property
    def kind(self) -> Kind:
        """How its parts are tied to the score."""

    def explain(self, query: str, passages: Mapping[str, str]) -> Mapping[str, Explanation]:
        """Explain the score of every passage.

        Args:
            query: The question.
            passages: Text by passage id.
        """


def structural(ranker: str, passage: str, score: float, parts: Iterable[Part]) -> Explanation:
    """An explanation by a ranker's own arithmetic.

    Args:
        ranker: Name of the ranker.
        passage: Passage id.
        score: The score that the ranker gave.
        parts: Its addends, in any order.

    Raises:
        ScoringError: If the parts do not sum to the score within ``TOLERANCE``.
    """
    ordered = tuple(sorted(parts, key=lambda part: (-abs(part.value), part.key)))
    made = Explanation(ranker, passage, "structural", score, ordered)
    if not abs(made.gap) <= TOLERANCE * max(1.0, abs(score)):
        raise ScoringError(
            f"the parts of passage {passage!r} miss the score of {ranker} by {made.gap:.1e}; its arithmetic "
            "is not what the explanation takes it for"
        )
    return made
