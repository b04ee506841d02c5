"""One stage as the funnel sees it: the place of each passage, and which of them came through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from boresight.measure.funnel.types import Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boresight.trace import Ranked, Stage


class Spot(NamedTuple):
    """Where a stage ranked a passage.

    Attributes:
        place: Its place in the recorded order, from 0.
        low: Best rank within the tie of its score.
        high: Worst rank within that tie.
        score: Its score, or None.
    """

    place: int
    low: int
    high: int
    score: float | None


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage and what it made of each passage.

    Attributes:
        stage: The stage as recorded.
        spots: Where it ranked each passage.
        kept: Ids that came through it.
        recorded: Whether its ranking was recorded; one that is empty while later ones are not was not.
    """

    stage: Stage
    spots: Mapping[str, Spot]
    kept: frozenset[str]
    recorded: bool = True

    @property
    def name(self) -> str:
        """Name of the stage."""
        return self.stage.name

    @property
    def kind(self) -> str:
        """Kind of the stage."""
        return self.stage.kind

    @property
    def retrieves(self) -> bool:
        """Whether the stage adds passages, where all others pass on what they get."""
        return self.stage.kind == "retrieve"

    @property
    def is_full(self) -> bool:
        """Whether it kept as many as it was asked to, so that a count did the cutting."""
        return self.stage.cut is not None and len(self.kept) >= self.stage.cut

    def step(self, passage: str) -> Step:
        """What the stage did with a passage."""
        if not self.recorded:
            return Step(self.name, self.kind, cut=self.stage.cut)
        spot, survived, number = self.spots.get(passage), passage in self.kept, len(self.kept)
        if spot is None:
            return Step(self.name, self.kind, ranked=len(self.spots), cut=self.stage.cut, survived=survived)
        return Step(
            self.name,
            self.kind,
            rank_low=spot.low,
            rank_high=spot.high,
            score=spot.score,
            margin=self._margin(spot),
            ranked=len(self.spots),
            cut=self.stage.cut,
            survived=survived,
            tied_at_cut=spot.low < number <= spot.high,
        )

    def _margin(self, spot: Spot) -> float | None:
        last = max((self.spots[key].place for key in self.kept if key in self.spots), default=None)
        score = None if last is None else self.stage.ranking[last].score
        return None if score is None or spot.score is None else spot.score - score


def view_stage(stage: Stage, kept: frozenset[str] | None = None, *, recorded: bool = True) -> StageView:
    """A stage with the tie range of every rank.

    Equal scores next to each other are a tie, as the stage may have put them in any order. What stands in the
    ranking below the cut was ranked and not kept.

    Args:
        stage: The stage.
        kept: What came through, where the trace knows better than ranking and cut.
        recorded: Whether the ranking was recorded.
    """
    first = stage.ranking if stage.cut is None else stage.ranking[: stage.cut]
    through = frozenset(place.id for place in first) if kept is None else kept
    return StageView(stage, dict(_spots(stage.ranking)), through, recorded)


def _spots(ranking: Sequence[Ranked]) -> Iterator[tuple[str, Spot]]:
    start = 0
    while start < len(ranking):
        stop = start + 1
        while stop < len(ranking) and _tied(ranking[start], ranking[stop]):
            stop += 1
        for index in range(start, stop):
            yield ranking[index].id, Spot(index, start, stop - 1, ranking[index].score)
        start = stop


def _tied(one: Ranked, other: Ranked) -> bool:
    return one.score is not None and one.score == other.score
