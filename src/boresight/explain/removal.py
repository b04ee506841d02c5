"""Counterfactuals of a ranking: the smallest removals that move a passage across the cut.

Words of the query or sentences of the passage are taken out and the ranker is run again, so what is named was
really seen to happen (kind ``causal``). Smallest removals are not unique: several are shown. What makes a
passage fall or rise is also what somebody would use to game the ranker.

Source: Rorseth et al., CREDENCE: Counterfactual Explanations for Document Ranking, ICDE 2023 (arXiv
2302.04983).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

from boresight.errors import SpecError
from boresight.game.query_game import words_of
from boresight.models.rankers.seam import ranking
from boresight.trace.sentences import sentences_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from boresight.models.rankers.seam import Kind, Ranker
    from boresight.models.spans import Span

Side = Literal["query", "passage"]
Units = tuple[int, ...]

BUDGET = 200  # rankings
SHOWN = 5
_MOST_SETS = 20_000  # of one size that are put in order before any is tried


@dataclass(frozen=True, slots=True)
class Removal:
    """Some words or sentences that were taken out, and what happened.

    Attributes:
        spans: Their characters in the query or the passage, in reading order.
        texts: The words or sentences themselves.
        rank: The passage's rank without them, from 0.
        score: Its score without them.
    """

    spans: tuple[Span, ...]
    texts: tuple[str, ...]
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Removals:
    """The smallest removals that were found.

    Attributes:
        passage: Passage id.
        side: What was taken out of.
        cut: How many passages stay.
        rank: The passage's rank as it is, from 0.
        removals: Sets of one size, the strongest single effects first; none if nothing moved the passage.
        smallest: Whether every smaller set was tried; else no part of a shown set does alone.
        rankings: How often the ranker was run.
        kind: Always ``causal``.
    """

    passage: str
    side: Side
    cut: int
    rank: int
    removals: tuple[Removal, ...]
    smallest: bool
    rankings: int
    kind: Kind = "causal"


def smallest_removals(
    ranker: Ranker,
    query: str,
    passages: Mapping[str, str],
    passage: str,
    *,
    cut: int,
    side: Side = "passage",
    budget: int = BUDGET,
    shown: int = SHOWN,
) -> Removals:
    """Find the smallest sets of query words or passage sentences without which a passage crosses the cut.

    Sets are tried by size, within a size by the sum of what their members do alone. Where the budget ends
    first, the strongest members are taken out together and those that are not needed are put back.

    Args:
        ranker: The ranker.
        query: The question.
        passages: Text by passage id: the candidates of the stage.
        passage: The passage to move.
        cut: How many passages stay, at least 1 and fewer than there are.
        side: ``query`` removes its words, ``passage`` its sentences; one of them always stays.
        budget: Most rankings.
        shown: Most sets to show.

    Raises:
        SpecError: If the cut cuts nothing, or there is no such passage.
        ModelError: If the ranker fails.
    """
    if passage not in passages:
        raise SpecError(f"passage {passage!r} is not among the candidates; they are {', '.join(passages)}")
    if not 1 <= cut < len(passages):
        raise SpecError(f"a cut of {cut} cuts nothing off {len(passages)} passages; give 1 to one fewer")
    board = _Board(ranker, query, passages, passage, cut)
    text = query if side == "query" else passages[passage]
    search = _Search(board, text, side)
    found, complete = search.run(budget, shown)
    removals = tuple(search.removal(units) for units in found)
    return Removals(passage, side, cut, board.rank(board.whole), removals, complete, board.runs)


class _Board:
    """The candidates of one query, and where the passage stands among them."""

    def __init__(
        self, ranker: Ranker, query: str, passages: Mapping[str, str], passage: str, cut: int
    ) -> None:
        self._ranker, self._query, self._passages = ranker, query, passages
        self._passage, self._cut = passage, cut
        self._listwise = bool(ranker.describe().get("listwise"))
        self.runs = 1
        self.whole = dict(ranker.score(query, passages))

    def asked(self, query: str) -> dict[str, float]:
        """Scores under another query."""
        self.runs += 1
        return dict(self._ranker.score(query, self._passages))

    def read(self, text: str) -> dict[str, float]:
        """Scores with another text of the passage; the other passages keep theirs where each stands alone."""
        self.runs += 1
        if self._listwise:
            return dict(self._ranker.score(self._query, {**self._passages, self._passage: text}))
        alone = self._ranker.score(self._query, {self._passage: text})
        return {**self.whole, self._passage: alone[self._passage]}

    def rank(self, scores: Mapping[str, float]) -> int:
        return ranking(scores).index(self._passage)

    def score(self, scores: Mapping[str, float]) -> float:
        return scores[self._passage]

    def crossed(self, scores: Mapping[str, float]) -> bool:
        """Whether the passage is on the other side of the cut than as it is."""
        return (self.rank(scores) < self._cut) != (self.rank(self.whole) < self._cut)

    def progress(self, scores: Mapping[str, float]) -> float:
        """How far the passage moved towards the cut, in units of the score."""
        change = self._margin(scores) - self._margin(self.whole)
        return -change if self.rank(self.whole) < self._cut else change

    def _margin(self, scores: Mapping[str, float]) -> float:
        """Its score less that of the passage that it must fall behind, or get before."""
        others = sorted((value for key, value in scores.items() if key != self._passage), reverse=True)
        return scores[self._passage] - others[self._cut - 1]


class _Search:
    """Which units to take out."""

    def __init__(self, board: _Board, text: str, side: Side) -> None:
        self._board, self._text = board, text
        units = words_of(text) if side == "query" else sentences_of(text)
        self._spans: tuple[Span, ...] = tuple((unit.start, unit.end) for unit in units)
        self._scores: Callable[[str], dict[str, float]] = board.asked if side == "query" else board.read
        self._tried: dict[Units, dict[str, float]] = {}

    def run(self, budget: int, shown: int) -> tuple[list[Units], bool]:
        """Smallest sets, and whether every smaller one was tried."""
        count = len(self._spans)
        room = max(budget - 2 * count, count)  # the rest is for the greedy way
        singles = [(unit,) for unit in range(count)] if count > 1 else []
        effects = [self._board.progress(self._try(units)) for units in singles]
        order = sorted(range(len(singles)), key=lambda unit: -effects[unit])
        for size in range(1, count):
            found, complete = self._of_size(size, order, effects, room, shown)
            if found:
                return found, True
            if not complete:
                return self._greedy(order), False
        return [], True

    def removal(self, units: Units) -> Removal:
        """What taking out some units did."""
        spans = tuple(self._spans[unit] for unit in units)
        scores = self._try(units)
        texts = tuple(self._text[start:end].strip() for start, end in spans)
        return Removal(spans, texts, self._board.rank(scores), self._board.score(scores))

    def _of_size(
        self, size: int, order: Sequence[int], effects: Sequence[float], room: int, shown: int
    ) -> tuple[list[Units], bool]:
        """Sets of one size that cross, and whether all of that size were tried."""
        found: list[Units] = []
        for units in _ordered_sets(size, order, effects):
            if units not in self._tried and self._board.runs > room:
                return found, False
            if self._board.crossed(self._try(units)):
                found.append(units)
            if len(found) == shown:
                break
        return found, math.comb(len(order), size) <= _MOST_SETS

    def _greedy(self, order: Sequence[int]) -> list[Units]:
        """Take out the strongest until the passage crosses, then put back what is not needed."""
        for size in range(1, len(order)):
            taken = tuple(sorted(order[:size]))
            if self._board.crossed(self._try(taken)):
                return [self._reduced(taken, order[:size])]
        return []

    def _reduced(self, taken: Units, order: Iterable[int]) -> Units:
        for unit in reversed(list(order)):
            less = tuple(other for other in taken if other != unit)
            if less and self._board.crossed(self._try(less)):
                taken = less
        return taken

    def _try(self, units: Units) -> dict[str, float]:
        if units not in self._tried:
            self._tried[units] = self._scores(_without(self._text, [self._spans[unit] for unit in units]))
        return self._tried[units]


def _ordered_sets(size: int, order: Sequence[int], effects: Sequence[float]) -> list[Units]:
    """Sets of one size by the sum of their single effects; of the strongest members if there are too many."""
    strongest = len(order)
    while math.comb(strongest, size) > _MOST_SETS:
        strongest -= 1
    sets = [tuple(sorted(units)) for units in combinations(order[:strongest], size)]
    return sorted(sets, key=lambda units: (-math.fsum(effects[unit] for unit in units), units))


def _without(text: str, spans: Iterable[Span]) -> str:
    """A text less some spans; with a word go the blanks before it, a sentence holds those behind it."""
    kept, end = [], 0
    for start, stop in sorted(spans):
        before = text[end:start]
        kept.append(before if text[start:stop].endswith(tuple(" \t\r\n")) else before.rstrip())
        end = stop
    return "".join([*kept, text[end:]]).strip()
