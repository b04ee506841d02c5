"""The retriever and the generator on the same words: on which words of the question does each depend?

The retriever's saliency over the query's words is that of the sum of its scores over the passages of the
context: tokens are summed to the words that are players of the query game. Beside it stands the generator's
Shapley value of the same words (``--players query``). Measures of alignment read words in place of passages.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boresight.game.query_game import words_of
from boresight.measure.alignment import warg
from boresight.measure.correlation import spearman
from boresight.outcome import Measure
from boresight.run.retriever_saliency import side_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from boresight.trace.text_parts import TextPart

    Line = dict[str, Any]

WARG, SPEARMAN = "warg@1.5", "spearman"
NO_PLAYERS = "the words of the query were no players; --players query makes them"
NO_PASSAGES = "no passage of the context was explained"


def by_word(words: Sequence[TextPart], tokens: Iterable[Sequence[Any]]) -> dict[str, float]:
    """Summed values of the tokens of each word, by the word's place as text.

    A token goes to the last word that it reaches into; one without characters, or of none, goes to no word.

    Args:
        words: The words, in order.
        tokens: ``[place, text, start, end, value]`` each.
    """
    sums = dict.fromkeys(map(str, range(len(words))), 0.0)
    for _, _, start, end, value in tokens:
        if start is None:
            continue
        inside = [place for place, word in enumerate(words) if start < word.end and end > word.start]
        if inside:
            sums[str(inside[-1])] += value
    return sums


def retriever_words(query: str, line: Line) -> dict[str, float]:
    """The retriever's saliency of each word of the query, summed over the passages of the context."""
    tokens = [token for passage in line["passages"] for token in side_of(passage, "query")["tokens"]]
    return by_word(words_of(query), tokens)


def query_alignment(query: str, line: Line, generator: Iterable[Mapping[str, Any]]) -> dict[str, Measure]:
    """WARG and Spearman's correlation over the words of a query.

    Args:
        query: The question.
        line: The stored explanations of its trace.
        generator: The generator's rows of ``saliency.parquet`` for the words of the query. Values below the
            numeric floor count as 0, as those of passages do.
    """
    shapley = {
        str(row["token"]): 0.0 if row["above_numeric"] is False else float(row["value"]) for row in generator
    }
    if not line["passages"]:
        absent = Measure.failed(line["failed"]) if line["failed"] else Measure.undefined(NO_PASSAGES)
        return {WARG: absent, SPEARMAN: absent}
    if not shapley:
        return dict.fromkeys((WARG, SPEARMAN), Measure.undefined(NO_PLAYERS))
    found = retriever_words(query, line)
    measures = {WARG: warg(found, shapley), SPEARMAN: spearman(_ranks(found), shapley)}
    return {name: _of_words(measure) for name, measure in measures.items()}


def _of_words(measure: Measure) -> Measure:
    """The measure with a reason that speaks of words, which stand here in the place of passages."""
    return replace(measure, reason=measure.reason and measure.reason.replace("passage", "word"))


def _ranks(values: Mapping[str, float]) -> dict[str, float]:
    """Rank of each word, 0 the largest value; equal values share one."""
    places = {value: float(place) for place, value in enumerate(sorted(set(values.values()), reverse=True))}
    return {word: places[value] for word, value in values.items()}
