"""What the retriever looked at, as lines of text: the words with the largest values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from boresight.game.query_game import words_of
from boresight.report.text import WIDTH, cut, plain
from boresight.run.query_words import by_word

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boresight.run.result import RunResult
    from boresight.trace import Trace

WORDS_SHOWN = 5
NAME_WIDTH = 24


def retriever_lines(run: RunResult, trace: Trace) -> Iterator[Text]:
    """Top words of the query, summed over the passages of the context; none where nothing was explained.

    Args:
        run: The run.
        trace: The trace.
    """
    about = run.summary.get("retriever")  # older runs have none
    if not about or "stage" not in about:
        return
    rows = run.saliency.reset_index()
    own = rows[(rows["trace"] == trace.id) & (rows["stage"] == about["stage"]) & (rows["side"] == "query")]
    placed = own.dropna(subset=["start"])
    if not len(placed):
        return
    columns = ["token", "text", "start", "end", "value"]
    words = words_of(trace.query)
    sums = by_word(words, placed[columns].itertuples(index=False))
    ordered = sorted(sums.items(), key=lambda one: -abs(one[1]))[:WORDS_SHOWN]
    shown = ", ".join(f"{plain(words[int(place)].text)} {value:+.3f}" for place, value in ordered)
    yield Text(plain(f"{cut(about['stage'], NAME_WIDTH)} looks at: {shown}", WIDTH))
