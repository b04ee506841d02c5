"""Which passages are split into sentences, and how finely: the plan of ``--split``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.errors import SpecError
from boresight.game.batches import cost
from boresight.game.outer import most_outer, outer_coalitions
from boresight.game.sentence_game import MOST_SENTENCES, SentenceGame, sentence_game_name
from boresight.stats.random import rng_for
from boresight.trace.sentences import sentences_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.game.context_game import ContextGame
    from boresight.models.seam import Request, Target
    from boresight.run.spec import RunSpec
    from boresight.trace import Trace

LEAST_OUTER = 4  # outer coalitions that are kept while there are sentences to join
_TOP = re.compile(r"top(?::([1-9][0-9]{0,5}))?")


@dataclass(frozen=True, slots=True)
class Split:
    """How one passage is split.

    Attributes:
        passage: Its id.
        found: Sentences in its text; none in a blank one, which is not split.
        sentences: Players; neighbouring sentences are joined where they are fewer. 0 where nothing is scored.
        outer: Weight of each outer coalition (see :class:`boresight.game.outer.Outer`).
        draws: Random draws of outer coalitions; 0 where all of them are there.
        tokens: Tokens that the engine computes.
        reduced: What the token cap took away, or None.
    """

    passage: str
    found: int
    sentences: int
    outer: Mapping[str, float]
    draws: int
    tokens: int
    reduced: str | None = None

    @property
    def exact(self) -> bool:
        """Whether no outer coalition is left to chance."""
        return self.draws == 0

    def game(self, game: ContextGame) -> SentenceGame:
        """The sentence game of this split."""
        return SentenceGame.of(game, self.passage, self.sentences)


def passages_to_split(trace: Trace, split: Sequence[str], stage: str | None) -> tuple[str, ...]:
    """The passages of a context that ``--split`` names, each once.

    ``top`` and ``top:N`` are the best by the retriever's ranking; passages that it does not hold stand behind
    it, in context order.

    Args:
        trace: The trace.
        split: Passage ids, ``top``, ``top:N``.
        stage: Stage that counts as the retriever; the last ranking before packing by default.
    """
    names = {one.name for one in trace.stages}
    ranking = trace.last_ranking(stage) if stage is None or stage in names else None
    ranked = [place.id for place in ranking.ranking if place.id in trace.context] if ranking else []
    best = list(dict.fromkeys([*ranked, *trace.context]))
    chosen: list[str] = []
    for name in split:
        top = _TOP.fullmatch(name)
        chosen += best[: int(top[1] or 1)] if top else [name]
    return tuple(dict.fromkeys(passage for passage in chosen if passage in trace.context))


def check_split(split: Sequence[str], traces: Sequence[Trace]) -> None:
    """Refuse a passage that is in no context.

    Raises:
        SpecError: Names it.
    """
    held = {passage for trace in traces for passage in trace.context}
    for name in split if traces else ():
        if name not in held and not _TOP.fullmatch(name):
            raise SpecError(
                f"no trace has a passage {name!r} in its context; --split takes the id of one, top, or top:N"
            )


def plan_splits(game: ContextGame, target: Target, spec: RunSpec) -> tuple[Split, ...]:
    """How each chosen passage of a trace is split; together they stay within the token cap.

    Args:
        game: The trace's context game.
        target: The answer.
        spec: The run's settings.
    """
    chosen = passages_to_split(game.trace, spec.split, spec.stage)
    return tuple(
        _Fitting(game, target, passage, spec, spec.max_tokens_per_trace // len(chosen)).split()
        for passage in chosen
    )


@dataclass(frozen=True, slots=True)
class _Fitting:
    """Finds the finest split of a passage that a number of tokens allows."""

    game: ContextGame
    target: Target
    passage: str
    spec: RunSpec
    room: int

    def split(self) -> Split:
        """First outer coalitions go, then sentences are joined, then the last outer coalitions go."""
        found = len(sentences_of(self.game.trace.passage(self.passage).text))
        most = min(found, MOST_SENTENCES)
        available = most_outer(len(self.game.players))
        fewest = min(most, 2)  # a passage in one piece is not split
        for least in (min(LEAST_OUTER, available), 1) if most else ():
            for count in range(most, fewest - 1, -1):
                fitting = self._at_most(count, available, least)
                if fitting is not None:
                    return Split(self.passage, found, *fitting, self._reduced(fitting, most, available))
        reduced = f"not split: {self.room:,} tokens are too few for it" if most else None
        return Split(self.passage, found, 0, {}, 0, 0, reduced)

    def _at_most(self, count: int, most: int, least: int) -> tuple[int, Mapping[str, float], int, int] | None:
        """Players, outer coalitions, draws and tokens with as many outer coalitions as fit."""
        splitting = SentenceGame.of(self.game, self.passage, count)
        able = self.game.generator.capabilities()
        each = self._least_tokens(splitting)
        draws = most
        while draws >= least:
            outer = outer_coalitions(
                len(self.game.players), splitting.place, draws, self._rng()
            )
            tokens = len(outer.weights) * each
            if tokens <= self.room:
                tokens = cost(requests_of_split(splitting, outer.weights, self.target), able)
            if tokens <= self.room:
                return count, outer.weights, outer.draws, tokens
            draws = max(least, min(draws - 1, draws * self.room // tokens)) if draws > least else 0
        return None

    def _rng(self) -> np.random.Generator:
        return rng_for(self.spec.seed, self.game.trace.id, sentence_game_name(self.passage))

    def _least_tokens(self, splitting: SentenceGame) -> int:
        """A bound from below on the tokens of an outer coalition, which saves laying out what cannot fit.

        Whatever else prompts share, each has its own ending; half of it, for endings may begin alike.
        """
        parts = self.game.parts(self.target.thoughts)
        ending = len(parts.tail.ids) + len(self.target.token_ids)
        texts = {splitting.text(coalition.partition("/")[2]) for coalition in splitting.coalitions([EMPTY])}
        return len(texts) * max(1, ending // 2)
