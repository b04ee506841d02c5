"""From an index and a recipe to stages in a row, which can be run, and run again with one of them changed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

from boresight.errors import SpecError
from boresight.measure.funnel.pipeline import Pipeline, PipelineStage
from boresight.models.rankers.fusion import fuse
from boresight.models.rankers.seam import ranking
from boresight.pipeline.packing import ORDERS, Order, fitting, packed
from boresight.pipeline.searchers import (
    DEFAULT_CANDIDATES,
    CandidateSearcher,
    open_ranker,
    open_searcher,
    rescored,
)
from boresight.trace import Ranked, Stage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.models.rankers.seam import Ranker, Searcher
    from boresight.pipeline.index import Index
    from boresight.trace import Trace

    Ranking = tuple[Ranked, ...]

BELOW = 2  # a ranking is recorded down to twice its cut, so that "just cut" can be told from "ranked low"
_REMEMBERED = 256


@dataclass(frozen=True, slots=True)
class Recipe:
    """What happens between the question and the prompt.

    Attributes:
        rankers: What searches the index; several are fused by reciprocal rank.
        rerank: Ranker that scores what the search passes on, or None.
        depth: How many passages each search passes on to fusion or reranking.
        top: How many passages reach packing.
        order: Their order in the prompt.
        most_characters: Characters of all passages in the prompt together, or None.
        candidates: How many passages a ranker without an index of its own scores as a search.
        device: Where rankers run.

    Raises:
        SpecError: A setting is out of range, or a ranker is named twice.
    """

    rankers: tuple[str, ...] = ("bm25",)
    rerank: str | None = None
    depth: int = 50
    top: int = 5
    order: Order = "best-first"
    most_characters: int | None = None
    candidates: int = DEFAULT_CANDIDATES
    device: str = "cpu"

    def __post_init__(self) -> None:
        if not self.rankers or len(set(self.rankers)) != len(self.rankers):
            raise SpecError(f"name at least one ranker, each once; got {', '.join(self.rankers) or 'none'}")
        for name in ("depth", "top"):
            if getattr(self, name) < 1:
                raise SpecError(f"{name} must be at least 1, got {getattr(self, name)}")
        if self.top > self.depth:
            raise SpecError(f"top ({self.top}) must not be above depth ({self.depth}); raise --depth")
        if self.order not in ORDERS:
            raise SpecError(f"order must be one of {', '.join(ORDERS)}, got {self.order!r}")

    def to_json(self) -> dict[str, Any]:
        """The recipe as JSON values."""
        return {**asdict(self), "rankers": list(self.rankers)}


class IndexPipeline:
    """A recipe over an index; its models are loaded once.

    Args:
        index: The index.
        recipe: The recipe.
        searchers: What searches, if it is loaded already; by default what the recipe names.
        reranker: Likewise.

    Attributes:
        pipeline: The stages as :func:`boresight.measure.funnel.ablate` runs them. Several searches and their
            fusion are one stage there, named after the fusion, since nothing but all of them feeds it.
    """

    def __init__(
        self,
        index: Index,
        recipe: Recipe,
        *,
        searchers: Sequence[Searcher] | None = None,
        reranker: Ranker | None = None,
    ) -> None:
        self.index = index
        self.recipe = recipe
        self._searchers = tuple(searchers) if searchers is not None else _searchers(index, recipe)
        if reranker is None and recipe.rerank is not None:
            reranker = open_ranker(index, recipe.rerank, device=recipe.device)
        self._reranker = reranker
        self._found = lru_cache(_REMEMBERED)(self._search)
        self.pipeline = Pipeline(self._stages(), index.passage)

    @property
    def fuses(self) -> bool:
        """Whether several searches are fused."""
        return len(self._searchers) > 1

    def searches(self, query: str) -> tuple[Stage, ...]:
        """The stage of each search on its own."""
        cut = self.recipe.depth if self._goes_on else self.recipe.top
        return tuple(
            Stage(one.name, "retrieve", self._found(place, query), cut)
            for place, one in enumerate(self._searchers)
        )

    def run(self, trace: Trace) -> Trace:
        """Run the stages for the query of a trace; each search stands on its own before the fusion."""
        ran = self.pipeline.run(trace)
        return replace(ran, stages=(*self.searches(trace.query), *ran.stages)) if self.fuses else ran

    def last_ranker(self) -> Ranker:
        """What gave the scores by which passages reached packing.

        Raises:
            SpecError: It was a fusion, whose scores come from ranks and not from words.
        """
        if self._reranker is not None:
            return self._reranker
        if self.fuses:
            raise SpecError(
                "several searches are fused by rank, and ranks have no words to explain; name one --ranker, "
                "or a --rerank"
            )
        if self.recipe.rankers == ("dense",):
            return self.index.encoder()
        (search,) = self._searchers
        return search.ranker if isinstance(search, CandidateSearcher) else cast("Ranker", search)

    def describe(self) -> dict[str, Any]:
        """Recipe and models, for the record; JSON values."""
        return {
            "recipe": self.recipe.to_json(),
            "searches": [one.describe() for one in self._searchers],
            "rerank": None if self._reranker is None else self._reranker.describe(),
        }

    @property
    def _goes_on(self) -> bool:
        """Whether a search is followed by fusion or reranking."""
        return self.fuses or self._reranker is not None

    def _stages(self) -> list[PipelineStage]:
        cut = self.recipe.depth if self._reranker is not None else self.recipe.top
        first = (
            PipelineStage("rrf", "fuse", self._fuse, cut)
            if self.fuses
            else PipelineStage(
                self._searchers[0].name, "retrieve", lambda query, _: self._found(0, query), cut
            )
        )
        stages = [first]
        if self._reranker is not None:
            stages.append(PipelineStage(self._reranker.name, "rerank", self._rerank, self.recipe.top))
        return [*stages, PipelineStage("pack", "pack", self._pack)]

    def _search(self, place: int, query: str) -> Ranking:
        return _ranking(self._searchers[place].search(query, BELOW * self.recipe.depth))

    def _fuse(self, query: str, _entering: Ranking) -> Ranking:
        kept = {stage.name: _scores(stage.ranking[: stage.cut]) for stage in self.searches(query)}
        fused = fuse(kept)
        return _ranking({key: fused[key] for key in ranking(fused)})

    def _rerank(self, query: str, entering: Ranking) -> Ranking:
        if self._reranker is None:
            return entering
        texts = self.index.texts(one.id for one in entering)
        return _ranking(rescored(self._reranker, query, texts))

    def _pack(self, _query: str, entering: Ranking) -> Ranking:
        scores = {one.id: one.score for one in entering}
        lengths = {key: len(self.index.passage(key).text) for key in scores}
        kept = fitting(list(scores), lengths, self.recipe.most_characters)
        return tuple(Ranked(key, scores[key]) for key in packed(kept, self.recipe.order))


def _searchers(index: Index, recipe: Recipe) -> tuple[Searcher, ...]:
    return tuple(
        open_searcher(index, name, candidates=recipe.candidates, device=recipe.device)
        for name in recipe.rankers
    )


def _ranking(scores: Mapping[str, float]) -> Ranking:
    return tuple(Ranked(key, score) for key, score in scores.items())


def _scores(places: Ranking) -> dict[str, float]:
    return {one.id: one.score for one in places if one.score is not None}
