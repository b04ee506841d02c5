"""The query game: players are the words of the query, and every prompt holds the whole context.

The value is that of the context game: the log-probability of the fixed target. It says on which words of the
question the answer depends, beside the retriever's saliency over the same words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from boresight.game.coalitions import coalition_of, members
from boresight.trace.text_parts import TextPart, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.game.context_game import ContextGame
    from boresight.models.seam import Request, Target

QUERY = "query"
MOST_WORDS = 32  # players; a longer query has neighbouring words joined
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"  # scripts that put no blanks between words
_WORD = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")


def words_of(query: str) -> tuple[TextPart, ...]:
    """The players of a query: its words, of unspaced scripts its characters, joined evenly beyond 32."""
    words = [TextPart(match.group(), *match.span()) for match in _WORD.finditer(query)]
    return joined(query, words, MOST_WORDS)


@dataclass(frozen=True)
class QueryGame:
    """The query game of one trace.

    Attributes:
        game: The trace's context game, whose prompt style and settings are kept.
        words: The players, in the order of the query.
    """

    game: ContextGame
    words: tuple[TextPart, ...]

    @classmethod
    def of(cls, game: ContextGame) -> QueryGame:
        """The query game beside a context game."""
        return cls(game, words_of(game.trace.query))

    def text(self, coalition: str) -> str:
        """The query with only some of its words; each keeps the blanks before it.

        Args:
            coalition: Character i is ``1`` if word i is present.
        """
        query, present = self.game.trace.query, members(coalition)
        if len(present) == len(self.words):
            return query
        before = [0, *(word.end for word in self.words)]
        return "".join(query[before[place] : self.words[place].end] for place in present).strip()

    def request(self, coalition: str, targets: Sequence[Target]) -> Request:
        """The prompt with all passages and some words of the query."""
        asking = self.game.asking(self.text(coalition))
        everyone = coalition_of(range(len(asking.players)), len(asking.players))
        return replace(asking.request(everyone, targets), game=QUERY, order=())
