"""The sentence game: players are the sentences of one passage, beside some of the other passages.

A coalition is ``OUTER/INNER``. OUTER says which passages of the context are there, the split one with any of
its sentences included; INNER says which of its sentences. Without a sentence the passage is absent. With
some, its line in the prompt keeps label and title, and its text is what they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from boresight.errors import SpecError
from boresight.game.coalitions import all_coalitions, members
from boresight.game.context_game import ContextGame
from boresight.trace import Passage
from boresight.trace.sentences import sentences_of
from boresight.trace.text_parts import TextPart, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from boresight.models.seam import Request, Segment, Target

MOST_SENTENCES = 8
_GAME = "sentences:"


def sentence_game_name(passage: str) -> str:
    """The name of the game in stored rows: ``sentences:ID``."""
    return f"{_GAME}{passage}"


def split_passage_of(game: str) -> str | None:
    """The passage that a game of this name splits; None for other games."""
    return game.removeprefix(_GAME) if game.startswith(_GAME) else None


def sentence_coalition(place: int, outer: str, inner: str) -> str:
    """The coalition ``OUTER/INNER`` of some other passages and some sentences.

    Args:
        place: Context position of the split passage.
        outer: Passages by context position; what stands at the split one does not count.
        inner: Character i is ``1`` if sentence i is present.
    """
    own = "1" if "1" in inner else "0"
    return f"{outer[:place]}{own}{outer[place + 1 :]}/{inner}"


@dataclass(frozen=True)
class SentenceGame:
    """The sentence game of one passage of a trace.

    Attributes:
        game: The trace's context game, whose prompt style and settings are kept.
        passage: Id of the split passage.
        sentences: The players, in the order of the text; neighbours may be joined.
        parts_of_text: The passage with each choice of its sentences, as passages named by that choice.
    """

    game: ContextGame
    passage: str
    sentences: tuple[TextPart, ...]
    parts_of_text: ContextGame

    @classmethod
    def of(cls, game: ContextGame, passage: str, count: int) -> SentenceGame:
        """The sentence game beside a context game.

        Args:
            game: The context game.
            passage: Id of a passage of its context.
            count: At most so many players; more sentences are joined evenly.
        """
        whole = game.trace.passage(passage)
        sentences = joined(whole.text, sentences_of(whole.text), count)
        texts = tuple(
            Passage(name, _text(sentences, name), whole.title)
            for name in all_coalitions(len(sentences))
            if "1" in name
        )
        trace = replace(game.trace, passages=texts, context=())
        return cls(game, passage, sentences, ContextGame(game.generator, trace, style=game.style))

    @property
    def name(self) -> str:
        """The name of the game in stored rows."""
        return sentence_game_name(self.passage)

    @property
    def place(self) -> int:
        """Context position of the split passage."""
        return self.game.players.index(self.passage)

    def text(self, inner: str) -> str:
        """The text of the passage with only some of its sentences; each keeps the blanks behind it.

        Args:
            inner: Character i is ``1`` if sentence i is present.
        """
        return _text(self.sentences, inner)

    def coalitions(self, outer: Iterable[str]) -> list[str]:
        """All choices of sentences beside each outer coalition."""
        inner = all_coalitions(len(self.sentences))
        return [sentence_coalition(self.place, others, chosen) for others in outer for chosen in inner]

    def request(self, coalition: str, targets: Sequence[Target]) -> Request:
        """The prompt of a coalition.

        Raises:
            SpecError: It is no coalition of this game.
        """
        outer, _, inner = coalition.partition("/")
        if len(inner) != len(self.sentences) or coalition != sentence_coalition(self.place, outer, inner):
            raise SpecError(
                f"{coalition!r} is no coalition of the {len(self.sentences)} sentences of {self.passage!r}"
            )
        request = self.game.request(outer, targets)
        segments = tuple(
            self._partial(segment, inner, request) if segment.player == self.passage else segment
            for segment in request.segments
        )
        return replace(request, game=self.name, segments=segments)

    def _partial(self, whole: Segment, inner: str, request: Request) -> Segment:
        """The split passage with some of its sentences, under the label that it has as a whole."""
        targets = request.targets
        parts = self.parts_of_text.parts(targets[0].thoughts if targets else None)
        keep = self.game.style.labels == "keep"
        label = (self.place if keep else request.order.index(self.place)) + 1
        return replace(parts.block(inner, label), key=f"{whole.key}:{inner}", player=self.passage)


def _text(sentences: Sequence[TextPart], inner: str) -> str:
    return "".join(sentences[place].text for place in members(inner))
