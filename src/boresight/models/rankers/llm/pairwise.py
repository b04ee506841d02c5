"""Pair-wise reranking: which of two passages is better, asked in both orders.

A pair counts as won only if both orders agree; else it is a draw, and an *order flip*: the model chose by
place. Three passages that beat each other in a circle are an *intransitive triad*: no ranking can be right.

Source: Qin et al., Large Language Models are Effective Text Rankers with Pairwise Ranking Prompting, 2023
(arXiv 2306.17563), all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from boresight.models.rankers.llm.prompting import LETTERS, LetteredStyle, Prompter

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.models.prompts import PromptStyle
    from boresight.models.seam import Generator

STYLE = LetteredStyle(
    name="rank-pair",
    instruction="Which passage helps more to answer the question? Answer with its letter, A or B.",
    closed_instruction="Answer with a letter, A or B.",
)
_FIRST, _SECOND = LETTERS[0], LETTERS[1]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two passages compared in both orders.

    Attributes:
        a: Passage id.
        b: Passage id.
        first: Log-odds of ``a`` against ``b`` in nats when ``a`` stands first.
        second: The same when ``b`` stands first.
    """

    a: str
    b: str
    first: float
    second: float

    @property
    def flips(self) -> bool:
        """Whether the order decides."""
        return self.first * self.second <= 0

    @property
    def winner(self) -> str | None:
        """The passage that both orders prefer, or None."""
        if self.flips:
            return None
        return self.a if self.first > 0 else self.b

    @property
    def place_effect(self) -> float:
        """Nats that standing first is worth, half the difference of the two orders."""
        return (self.first - self.second) / 2


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All pairs of one query.

    Attributes:
        passages: Passage ids in the given order.
        pairs: Each pair once.
    """

    passages: tuple[str, ...]
    pairs: tuple[Pair, ...]

    @property
    def scores(self) -> dict[str, float]:
        """Wins of each passage, a draw counting one half."""
        wins = dict.fromkeys(self.passages, 0.0)
        for pair in self.pairs:
            for key in (pair.a, pair.b):
                wins[key] += 0.5 if pair.winner is None else float(pair.winner == key)
        return wins

    @property
    def order_flips(self) -> int:
        """Pairs that the order decides."""
        return sum(pair.flips for pair in self.pairs)

    @property
    def triads(self) -> int:
        """Triples of passages whose three pairs are all decided."""
        return len(self._decided())

    @property
    def intransitive_triads(self) -> int:
        """Those among them that go in a circle."""
        return sum(len(set(winners)) == len(winners) for winners in self._decided())

    def _decided(self) -> list[tuple[str, ...]]:
        """The three winners of every decided triple; in a circle each passage wins once."""
        winner = {frozenset((pair.a, pair.b)): pair.winner for pair in self.pairs}
        triples = [
            [winner[frozenset(two)] for two in combinations(three, 2)]
            for three in combinations(self.passages, 3)
        ]
        return [tuple(w for w in three if w is not None) for three in triples if None not in three]


class PairwiseRanker:
    """Wins over all other passages; n (n - 1) prompts.

    Args:
        generator: A generator that scores given text.
        style: The words of the prompt.
        name: Name of the stage.
    """

    def __init__(self, generator: Generator, style: PromptStyle = STYLE, *, name: str = "pairwise") -> None:
        self.name = name
        self._prompter = Prompter(generator, style)
        self._prompter.require_apart((_FIRST, _SECOND))

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        return {
            "kind": "pairwise",
            "name": self.name,
            "listwise": True,
            "score": "wins",
            "prompt": self._prompter.style.name,
            "generator": self._prompter.generator.describe(),
        }

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Wins by passage id, in the given order; 0 for a passage alone."""
        return self.compare(query, passages).scores

    def compare(self, query: str, passages: Mapping[str, str]) -> Comparisons:
        """Compare all pairs in both orders.

        Raises:
            ScoringError: If the model gives a number that is not finite.
            WindowError: If two passages do not fit.
        """
        pairs = list(combinations(passages, 2))
        orders = [order for a, b in pairs for order in ((a, b), (b, a))]
        requests = [
            self._prompter.request(query, {key: passages[key] for key in order}, (_FIRST, _SECOND))
            for order in orders
        ]
        odds = [asked.logprobs[_FIRST] - asked.logprobs[_SECOND] for asked in self._prompter.ask(requests)]
        compared = (
            Pair(a, b, first, -second)
            for (a, b), first, second in zip(pairs, odds[::2], odds[1::2], strict=True)
        )
        return Comparisons(tuple(passages), tuple(compared))
