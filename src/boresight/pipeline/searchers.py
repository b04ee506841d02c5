"""Rankers over an index: two that search it, and any other on the candidates that a search finds."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.models.rankers.seam import ranking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.models.rankers.seam import Ranker, Searcher
    from boresight.pipeline.index import Index

DEFAULT_CANDIDATES = 100
_BLOCK = 256  # passages that are scored at once


class CandidateSearcher:
    """Ranks what another search finds; what that misses is out of reach.

    Args:
        ranker: The ranker; kept as the attribute ``ranker``.
        first: Finds the candidates.
        index: Holds their texts.
        candidates: How many are scored, at least as many as are asked for; 0 for every passage of the index.

    Raises:
        SpecError: The candidates are fewer than 0, or all of them for a ranker that must see them together.
    """

    def __init__(self, ranker: Ranker, first: Searcher, index: Index, candidates: int) -> None:
        if candidates < 0:
            raise SpecError(f"candidates must be 0 (all) or more, got {candidates}")
        if not candidates and ranker.describe().get("listwise"):
            raise SpecError(
                f"{ranker.name} compares its candidates with each other; give it a number of them"
            )
        self.ranker = ranker
        self._first = first
        self._index = index
        self._candidates = candidates

    @property
    def name(self) -> str:
        """The ranker's own name."""
        return self.ranker.name

    def describe(self) -> dict[str, Any]:
        """Identity for the record; JSON values."""
        by = self._first.describe() if self._candidates else None
        return {**self.ranker.describe(), "candidates": self._candidates or "all", "candidates_by": by}

    def search(self, query: str, k: int) -> Mapping[str, float]:
        """The best of the candidates, best first; equal ones in the order of the first search.

        Args:
            query: The question.
            k: Most passages to return.
        """
        if self._candidates:
            found = self._first.search(query, max(k, self._candidates))
            best = rescored(self.ranker, query, self._index.texts(found))
        else:
            best = self._exhaustive(query, k)
        return dict(list(best.items())[:k])

    def _exhaustive(self, query: str, k: int) -> dict[str, float]:
        """The best of all passages, holding the texts of one block at a time."""
        best: dict[str, float] = {}
        texts = self._index.store.texts()
        while block := dict(islice(texts, _BLOCK)):
            best |= self.ranker.score(query, block)
            best = {key: best[key] for key in ranking(best)[:k]}
        return best


def rescored(ranker: Ranker, query: str, passages: Mapping[str, str]) -> dict[str, float]:
    """A ranker's scores of passages, best first; equal ones in the given order.

    Args:
        ranker: The ranker.
        query: The question.
        passages: Text by passage id.
    """
    scores = ranker.score(query, passages)
    return {key: float(scores[key]) for key in ranking(scores)}


def open_searcher(
    index: Index, spec: str, *, candidates: int = DEFAULT_CANDIDATES, device: str = "cpu"
) -> Searcher:
    """The search that a name or spec stands for.

    Args:
        index: The index.
        spec: ``bm25`` or ``dense``, which search the whole index; or any ranker (see
            :func:`open_ranker`), which scores the candidates of ``bm25``.
        candidates: How many candidates such a ranker scores; 0 for every passage of the index.
        device: Where its model runs.

    Raises:
        SpecError: The index has no vectors, or there is no such ranker.
        ModelError: The ranker cannot be loaded.
    """
    if spec == "bm25":
        return index.lexical()
    if spec == "dense":
        return index.dense()
    return CandidateSearcher(open_ranker(index, spec, device=device), index.lexical(), index, candidates)


def open_ranker(index: Index, spec: str, *, device: str = "cpu") -> Ranker:
    """The ranker that a name or spec stands for.

    Args:
        index: Gives ``bm25`` its statistics, ``dense`` and a bare ``maxsim`` its encoder.
        spec: ``bm25``, ``dense``, or what :func:`boresight.models.rankers.registry.load_ranker` knows.
        device: Where its model runs.

    Raises:
        SpecError: There is no such ranker.
        ModelError: It cannot be loaded.
    """
    if spec == "bm25":
        return index.lexical()
    if spec == "dense":
        return index.encoder()
    if spec == "maxsim" and index.settings.encoder is not None and "|" not in index.settings.encoder:
        spec = f"maxsim:{index.settings.encoder}"
    from boresight.models.rankers.registry import load_ranker

    try:
        return load_ranker(spec, device=device)
    except SpecError as error:
        raise SpecError(f"{error}; or bm25 or dense, which the index brings") from None
