"""The words of a question on the page: the retriever's saliency and the generator's Shapley value of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.game.query_game import words_of
from boresight.report.html.numbers import compact
from boresight.report.html.saliency_data import units_of
from boresight.run.query_words import retriever_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = dict[str, Any]


def asked_words(query: str, line: Row | None, generator: Sequence[Row]) -> Row | None:
    """Both over the same words, in the order of the question; None where neither was asked for.

    Args:
        query: The question.
        line: The stored explanations of its trace, None if there are none.
        generator: The generator's rows of the words of the query; none if they were no players.

    Returns:
        ``words`` as UTF-16 places, ``retriever`` one value a word, ``generator`` ``[value, low, high, beyond
        the numeric floor]`` a word; null for the side that has nothing.
    """
    if line is None and not generator:
        return None
    words, units = words_of(query), units_of(query)
    explained = retriever_words(query, line) if line is not None and line["passages"] else {}
    own = {row["token"]: row for row in generator}
    return {
        "words": [[units[word.start], units[word.end]] for word in words],
        "retriever": [compact(value) for value in explained.values()] or None,
        "generator": [_cells(own[place]) for place in range(len(words))] if own else None,
    }


def _cells(row: Row) -> list[Any]:
    return [*(compact(row[name]) for name in ("value", "low", "high")), row["above_numeric"]]
