"""The ranker seam: a query's score of each passage, keyed by passage id, and nothing more.

Every ranker (BM25, learned sparse, dense, late interaction, cross-encoder, fusion, language model) has these
three members, so a pipeline or an explanation by re-scoring never asks which one it holds. Scores of two
rankers are never compared with each other: only ranks and margins within one of them mean anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["structural", "causal", "approximate", "heuristic"]
"""How an explanation is tied to the score that it explains.

``structural``: the parts are the ranker's own arithmetic and sum to its score. ``causal``: something was
removed or changed and the ranker was run again. ``approximate``: a gradient or a sample stands for that, with
its gap known. ``heuristic``: a reading of inner values (attention, say) that nothing ties to the score.
"""


@runtime_checkable
class Ranker(Protocol):
    """Scores passages for a query; a higher score ranks first. One thread uses it at a time."""

    @property
    def name(self) -> str:
        """The name that a stage made by this ranker gets."""

    def describe(self) -> dict[str, Any]:
        """Identity for the record (model, settings, what the scores are); JSON values."""

    def score(self, query: str, passages: Mapping[str, str]) -> Mapping[str, float]:
        """Score every passage for a query.

        Args:
            query: The question.
            passages: Text by passage id; may be empty, and a text may be empty.

        Returns:
            A finite score for each given id, in the given order. A score depends on its own passage alone
            unless ``describe()["listwise"]`` is true (fusion by rank, rerankers that read several at once).

        Raises:
            ModelError: If the model gives a number that is not finite.
        """


@runtime_checkable
class Searcher(Protocol):
    """A ranker that holds a collection and finds the best passages of it."""

    @property
    def name(self) -> str:
        """The name that a stage made by this searcher gets."""

    def describe(self) -> dict[str, Any]:
        """Identity for the record; JSON values."""

    def search(self, query: str, k: int) -> Mapping[str, float]:
        """The best passages of the collection, best first.

        Args:
            query: The question.
            k: Most passages to return, at least 1; fewer come back from a smaller collection.

        Returns:
            Score by passage id, best first; equal scores stand in the collection's order.
        """


def ranking(scores: Mapping[str, float]) -> tuple[str, ...]:
    """Passage ids, best first; equal scores keep the order of the mapping."""
    return tuple(sorted(scores, key=lambda passage: -scores[passage]))
