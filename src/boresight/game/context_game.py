"""The context game of one trace: from a coalition of passages to the exact prompt, and to its value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from boresight.errors import SpecError
from boresight.game.batches import as_batch, grouped
from boresight.game.coalitions import all_coalitions, coalition_of, members
from boresight.game.table import ValueTable
from boresight.game.targets import generated_target, known_target
from boresight.models.prompts import PromptStyle, style_named
from boresight.models.registry import load_generator
from boresight.models.seam import Generator, PromptParts, Request, Segment, Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from boresight.trace import Trace

MOST_EXACT_PLAYERS = 16


@dataclass(frozen=True, slots=True)
class Prompt:
    """The exact input that is scored.

    Attributes:
        ids: Prompt token ids.
        text: The text that the ids spell, control tokens included.
        target_ids: Target token ids, scored right behind the prompt.
    """

    ids: tuple[int, ...]
    text: str
    target_ids: tuple[int, ...]


class ContextGame:
    """The context game of one trace: players are the passages that reached the prompt.

    Args:
        generator: A generator, or a spec such as ``pypi:smollm2-135m-instruct``.
        trace: The trace; its context gives the players and their order.
        style: Prompt style, by name or as data.
        target: The text to score; by default the trace's answer, generated greedily if it has none.
        max_new_tokens: Limit for a generated answer.
        score_end: Whether end-of-turn belongs to the target.
    """

    def __init__(
        self,
        generator: Generator | str,
        trace: Trace,
        *,
        style: str | PromptStyle = "boresight",
        target: Target | None = None,
        max_new_tokens: int = 128,
        score_end: bool = False,
    ) -> None:
        self.generator = load_generator(generator) if isinstance(generator, str) else generator
        self.trace = trace
        self.style = style_named(style) if isinstance(style, str) else style
        self.max_new_tokens = max_new_tokens
        self.score_end = score_end
        self._target = target
        self._parts: dict[str | None, PromptParts] = {}

    @property
    def players(self) -> tuple[str, ...]:
        """Passage ids in context order."""
        return self.trace.context

    @property
    def target(self) -> Target:
        """The target; generated on first use if the trace has no answer."""
        if self._target is None:
            self._target = known_target(self.generator, self.trace, "answer", end=self.score_end)
        if self._target is None:
            generation = self.generator.generate(self.generation_request(), self.max_new_tokens)
            self._target = generated_target(self.generator, self.trace, generation, end=self.score_end)
        return self._target

    def asking(self, query: str) -> ContextGame:
        """The same game under another query; the target is fixed if it is known."""
        return ContextGame(
            self.generator,
            replace(self.trace, query=query),
            style=self.style,
            target=self._target,
            max_new_tokens=self.max_new_tokens,
            score_end=self.score_end,
        )

    def parts(self, thoughts: str | None = None) -> PromptParts:
        """The tokenised pieces of this trace's prompts."""
        if thoughts not in self._parts:
            self._parts[thoughts] = self.generator.prepare(self.trace, self.style, thoughts)
        return self._parts[thoughts]

    def generation_request(self) -> Request:
        """The request behind a generated answer: the full context, or closed book without any passage."""
        if not self.players:
            return self.closed_book_request(())
        return self.request(coalition_of(range(len(self.players)), len(self.players)), ())

    def request(
        self, coalition: str, targets: Sequence[Target], order: Sequence[int] | None = None
    ) -> Request:
        """The request of a coalition.

        Args:
            coalition: Character i is ``1`` if context passage i is present.
            targets: Targets that share the prompt (and the reasoning before them).
            order: Context positions of the present passages in prompt order; context order by default.
        """
        if len(coalition) != len(self.players) or not set(coalition) <= {"0", "1"}:
            raise SpecError(
                f"a coalition of {len(self.players)} passages is that many 0 or 1, not {coalition!r}"
            )
        places = tuple(order) if order is not None else members(coalition)
        if sorted(places) != list(members(coalition)):
            raise SpecError(f"order {places} does not list the members of coalition {coalition!r} once each")
        parts = self.parts(_thoughts(targets))
        blocks = [self._block(parts, place, rank) for rank, place in enumerate(places)]
        segments = (parts.header, *blocks, parts.tail)
        return Request(self.trace.id, "passages", segments, tuple(targets), places)

    def _block(self, parts: PromptParts, place: int, rank: int) -> Segment:
        label = (place if self.style.labels == "keep" else rank) + 1
        return parts.block(self.players[place], label)

    def closed_book_request(self, targets: Sequence[Target]) -> Request:
        """The request of the plain question, without any mention of passages."""
        segments = (self.parts(_thoughts(targets)).closed_book,)
        return Request(self.trace.id, "closed_book", segments, tuple(targets))

    def prompt(self, passage_ids: Iterable[str] | None = None, order: Sequence[str] | None = None) -> Prompt:
        """The exact prompt of a coalition, so that anyone can check a value by hand.

        Args:
            passage_ids: The passages present, in any order; all by default. They stand in context order.
            order: The same ids in another prompt order.
        """
        if isinstance(passage_ids, str):
            raise SpecError(f"passage_ids must be a list of ids, got the string {passage_ids!r}")
        chosen = set(self.players if passage_ids is None else passage_ids)
        unknown = (chosen | set(order or ())) - set(self.players)
        if unknown:
            raise SpecError(f"trace {self.trace.id!r} has no passage {sorted(unknown)} in its context")
        places = [place for place, passage in enumerate(self.players) if passage in chosen]
        reading = None if order is None else [self.players.index(passage) for passage in order]
        return self._spell(self.request(coalition_of(places, len(self.players)), (self.target,), reading))

    def closed_book_prompt(self) -> Prompt:
        """The exact closed-book prompt."""
        return self._spell(self.closed_book_request((self.target,)))

    def _spell(self, request: Request) -> Prompt:
        ids = request.prompt_ids
        return Prompt(ids, self.generator.decode(ids), request.targets[0].token_ids)

    def table(self, coalitions: Iterable[str] | None = None, *, closed_book: bool = True) -> ValueTable:
        """Score coalitions of the target.

        Args:
            coalitions: Coalition strings; all 2^n by default.
            closed_book: Whether to score the closed-book row too.

        Raises:
            SpecError: All coalitions of more than 16 passages were asked for.
        """
        n = len(self.players)
        if coalitions is None and n > MOST_EXACT_PLAYERS:
            raise SpecError(f"{n} passages have 2^{n} coalitions; pass the ones to score")
        names = list(dict.fromkeys(all_coalitions(n) if coalitions is None else coalitions))
        requests = [self.request(name, (self.target,)) for name in names]
        if closed_book:
            requests.append(self.closed_book_request((self.target,)))
        rows = self._score(requests)
        last = rows.pop() if closed_book else None
        return ValueTable(self.players, self.target.id, dict(zip(names, rows, strict=True)), last)

    def _score(self, requests: list[Request]) -> list[NDArray[np.float32]]:
        rows: dict[int, NDArray[np.float32]] = {}
        able = self.generator.capabilities()
        for group in grouped(requests, able):
            scored = self.generator.score(as_batch([requests[index] for index in group], able))
            rows.update({i: one.logprobs[self.target.id] for i, one in zip(group, scored, strict=True)})
        return [rows[index] for index in range(len(requests))]


def _thoughts(targets: Sequence[Target]) -> str | None:
    reasoning = {target.thoughts for target in targets}
    if len(reasoning) > 1:
        raise SpecError("targets with different recorded reasoning cannot share a prompt")
    return next(iter(reasoning), None)
