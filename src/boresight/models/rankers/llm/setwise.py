"""Set-wise reranking: the best of a few passages, again and again, as the comparison of a heap sort.

The margin of a choice is the log-probability of the chosen letter less that of the next. Few comparisons are
made, so the place of passages that never met is only implied.

Source: Zhuang et al., A Setwise Approach for Effective and Highly Efficient Zero-shot Ranking, SIGIR 2024
(arXiv 2310.09497).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.models.rankers.llm.prompting import LETTERS, LetteredStyle, Prompter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.models.prompts import PromptStyle
    from boresight.models.seam import Generator

STYLE = LetteredStyle(
    name="rank-set",
    instruction="Which passage helps most to answer the question? Answer with its letter.",
    closed_instruction="Answer with a letter.",
)


@dataclass(frozen=True, slots=True)
class Choice:
    """One comparison.

    Attributes:
        passages: The set, in prompt order.
        logprobs: Log-probability in nats of each passage's letter.
    """

    passages: tuple[str, ...]
    logprobs: Mapping[str, float]

    @property
    def best(self) -> str:
        """The chosen passage; the first of equals."""
        return max(self.passages, key=self.logprobs.__getitem__)

    @property
    def margin(self) -> float:
        """Nats between the chosen passage and the next."""
        ordered = sorted(self.logprobs.values(), reverse=True)
        return ordered[0] - ordered[1]


@dataclass(frozen=True, slots=True)
class Sorted:
    """A set-wise ranking.

    Attributes:
        ranking: Passage ids, best first.
        choices: The comparisons, in the order in which they were made.
    """

    ranking: tuple[str, ...]
    choices: tuple[Choice, ...]

    @property
    def smallest_margin(self) -> float | None:
        """The least sure choice in nats, or None if there was none."""
        return min((choice.margin for choice in self.choices), default=None)


class SetwiseRanker:
    """Sorts by the best of ``size`` passages at a time.

    Args:
        generator: A generator that scores given text.
        style: The words of the prompt.
        size: Passages in one comparison, at least 2.
        name: Name of the stage.

    Raises:
        SpecError: If the size is out of range.
    """

    def __init__(
        self, generator: Generator, style: PromptStyle = STYLE, *, size: int = 4, name: str = "setwise"
    ) -> None:
        if not 2 <= size <= len(LETTERS):  # noqa: PLR2004 - a comparison needs two
            raise SpecError(f"a set holds 2 to {len(LETTERS)} passages, not {size}")
        self.name = name
        self._size = size
        self._prompter = Prompter(generator, style)
        self._prompter.require_apart(LETTERS[:size])

    def describe(self) -> dict[str, Any]:
        """Identity for the record."""
        return {
            "kind": "setwise",
            "name": self.name,
            "listwise": True,
            "score": "place from the end",
            "size": self._size,
            "prompt": self._prompter.style.name,
            "generator": self._prompter.generator.describe(),
        }

    def score(self, query: str, passages: Mapping[str, str]) -> dict[str, float]:
        """Place from the end by passage id, in the given order: n for the best, 1 for the last."""
        ranking = self.sort(query, passages).ranking
        return {key: float(len(ranking) - ranking.index(key)) for key in passages}

    def sort(self, query: str, passages: Mapping[str, str]) -> Sorted:
        """Sort all passages, with the comparisons that decided.

        Raises:
            ScoringError: If the model gives a number that is not finite.
            WindowError: If a set does not fit.
        """
        heap = _Heap(list(passages), self._size - 1, lambda keys: self._choose(query, passages, keys))
        return Sorted(tuple(heap.sorted()), tuple(heap.choices))

    def _choose(self, query: str, passages: Mapping[str, str], keys: Sequence[str]) -> Choice:
        letters = LETTERS[: len(keys)]
        request = self._prompter.request(query, {key: passages[key] for key in keys}, letters)
        found = self._prompter.ask([request])[0].logprobs
        return Choice(tuple(keys), {key: found[letter] for key, letter in zip(keys, letters, strict=True)})


@dataclass
class _Heap:
    """A heap in which every node has several children, and the best of them is found in one comparison."""

    items: list[str]
    children: int
    choose: Any
    choices: list[Choice] = field(default_factory=list)

    def sorted(self) -> list[str]:
        """Empty the heap, best first."""
        for node in reversed(range(len(self.items))):
            self._sink(node)
        done = []
        while self.items:
            done.append(self.items[0])
            last = self.items.pop()
            if self.items:
                self.items[0] = last
                self._sink(0)
        return done

    def _sink(self, node: int) -> None:
        """Let an item down until no child is better."""
        while True:
            below = range(node * self.children + 1, min((node + 1) * self.children + 1, len(self.items)))
            if not below:
                return
            places = [node, *below]
            choice = self.choose([self.items[place] for place in places])
            self.choices.append(choice)
            best = places[choice.passages.index(choice.best)]
            if best == node:
                return
            self.items[node], self.items[best] = self.items[best], self.items[node]
            node = best
