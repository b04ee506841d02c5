"""Which passages are split into sentences, and how finely: the plan of ``--split``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from boresight.errors import SpecError
from boresight.game.batches import cost
from boresight.game.coalitions import all_coalitions
from boresight.game.outer import most_outer, outer_coalitions
from boresight.game.sentence_game import MOST_SENTENCES, SentenceGame, sentence_game_name
from boresight.stats.random import rng_for
from boresight.trace.sentences import sentences_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from boresight.game.context_game import ContextGame
    from boresight.game.outer import Outer
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
        reduced: What the token cap took away, or None.
    """

    passage: str
    found: int
    sentences: int = 0
    outer: Mapping[str, float] = field(default_factory=dict)
    draws: int = 0
    reduced: str | None = None

    @property
    def name(self) -> str:
        """The name of its game in stored rows."""
        return sentence_game_name(self.passage)

    def coalitions(self, game: ContextGame) -> list[str]:
        """What is scored."""
        return SentenceGame.of(game, self.passage, self.sentences).coalitions(self.outer)


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
        _Fitting(game, target, passage, spec.seed, spec.max_tokens_per_trace // len(chosen)).split()
        for passage in chosen
    )


@dataclass(frozen=True, slots=True)
class _Fitting:
    """Finds the finest split of one passage that its share of the token cap allows."""

    game: ContextGame
    target: Target
    passage: str
    seed: int
    room: int

    def split(self) -> Split:
        """First outer coalitions go, then sentences are joined, then the last outer coalitions go."""
        found = len(sentences_of(self.game.trace.passage(self.passage).text))
        most = min(found, MOST_SENTENCES)
        fewest = min(most, 2)  # in one piece it would not be split
        for least in (LEAST_OUTER, 1) if most else ():
            for count in range(most, fewest - 1, -1):
                fitting = self._fit(count, least)
                if fitting is not None:
                    return replace(fitting, found=found, reduced=self._reduced(fitting, most))
        reduced = f"not split: it needs more than the {self.room:,} tokens that the cap leaves it"
        return Split(self.passage, found, reduced=reduced if most else None)

    def _fit(self, count: int, least: int) -> Split | None:
        """The split into so many players with as many outer coalitions as fit; None below the least."""
        splitting = SentenceGame.of(self.game, self.passage, count)
        able, each = self.game.generator.capabilities(), self._least_tokens(splitting)
        draws = most_outer(len(self.game.players))
        least = min(least, draws)
        while draws >= least:
            outer = outer_coalitions(len(self.game.players), splitting.place, draws, self._rng())
            tokens = len(outer.weights) * each
            if tokens <= self.room:
                tokens = cost(_requests(splitting, outer, self.target), able)
            if tokens <= self.room:
                return Split(self.passage, count, count, outer.weights, outer.draws)
            draws = max(least, min(draws - 1, draws * self.room // tokens)) if draws > least else 0
        return None

    def _rng(self) -> np.random.Generator:
        return rng_for(self.seed, self.game.trace.id, sentence_game_name(self.passage))

    def _least_tokens(self, splitting: SentenceGame) -> int:
        """A lower bound on the tokens of an outer coalition, so that nothing is laid out that cannot fit.

        Whatever prompts share, each has its own ending; half of it, for the endings may begin alike.
        """
        ending = len(self.game.parts(self.target.thoughts).tail.ids) + len(self.target.token_ids)
        texts = {splitting.text(inner) for inner in all_coalitions(len(splitting.sentences))}
        return len(texts) * max(1, ending // 2)

    def _reduced(self, split: Split, sentences: int) -> str | None:
        outer = most_outer(len(self.game.players))
        kept = split.draws or len(split.outer)
        lost = [
            f"{have} of {full} {noun}"
            for have, full, noun in (
                (kept, outer, "outer coalitions"),
                (split.sentences, sentences, "sentences"),
            )
            if have < full
        ]
        return f"the token cap leaves {' and '.join(lost)}" if lost else None


def _requests(splitting: SentenceGame, outer: Outer, target: Target) -> list[Request]:
    return [splitting.request(name, (target,)) for name in splitting.coalitions(outer.weights)]


def split_requests(
    game: ContextGame, targets: Sequence[Target], passage: str, coalitions: Sequence[str]
) -> list[Request]:
    """The requests of coalitions of one split passage, with the answer alone.

    Args:
        game: The trace's context game.
        targets: The targets, the answer first.
        passage: The split passage.
        coalitions: ``OUTER/INNER``, all with as many sentences.
    """
    players = len(coalitions[0].partition("/")[2])
    splitting = SentenceGame.of(game, passage, players)
    return [splitting.request(name, targets[:1]) for name in coalitions]
