"""Smallest removals that move a passage across the retriever's cut, for the passages of the context.

Words of the query and sentences of the passage are taken out and the ranker is run again; the passages at the
cut are tried too, whatever the context holds. The cut is the size of the context where more passages were
ranked, else the first place. What is stored in ``removals.jsonl`` is never made again.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from boresight.errors import BoresightError
from boresight.run.execute import passage_text
from boresight.store.files import append_jsonl, read_jsonl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.explain.removal import Side
    from boresight.models.rankers.seam import Ranker
    from boresight.run.directory import RunDirectory
    from boresight.run.progress import Progress
    from boresight.trace import Trace

    Line = dict[str, Any]

REMOVALS = "removals"
RANKINGS = 60
"""Most rankings for one passage and side; three for each word or sentence where there are more than 20."""
FEWEST = 2
SIDES: tuple[Side, ...] = ("query", "passage")


def find_removals(
    directory: RunDirectory, ranker: Ranker, traces: Sequence[Trace], progress: Progress
) -> None:
    """Store the removals of all traces that have none yet.

    Args:
        directory: The run.
        ranker: The retriever.
        traces: The traces, in order.
        progress: Told what happens.
    """
    done = sum(1 for _ in read_jsonl(directory.removals))
    progress.phase("removals", len(traces))
    progress.advance(done)
    with directory.timed("explanations"):
        for trace in traces[done:]:
            append_jsonl(directory.removals, [removals_of(trace, ranker)])
            progress.advance()


def removals_of(trace: Trace, ranker: Ranker) -> Line:
    """The stored line of one trace; a failure is a line too, since nothing else depends on it.

    Args:
        trace: The trace, with the ranker's stage.
        ranker: The retriever.
    """
    from boresight.explain.removal import smallest_removals

    ranked, held = trace.last_ranking(ranker.name), {one.id for one in trace.passages}
    order = [] if ranked is None else [place.id for place in ranked.ranking if place.id in held]
    line: Line = {"trace": trace.id, "stage": ranker.name, "cut": None, "failed": None, "passages": []}
    if len(order) < FEWEST:
        return line
    cut = cut_of(trace, len(order))
    texts = {key: passage_text(trace.passage(key)) for key in order}
    remembered = _Remembered(ranker)
    moved = [key for place, key in enumerate(order) if key in trace.context or cut - 1 <= place <= cut]
    try:
        found = [
            asdict(
                smallest_removals(remembered, trace.query, texts, key, cut=cut, side=side, budget=RANKINGS)
            )
            for key in moved
            for side in SIDES
        ]
    except (BoresightError, ValueError) as error:
        return line | {"failed": str(error)}
    return line | {"cut": cut, "passages": found}


def cut_of(trace: Trace, ranked: int) -> int:
    """How many passages stay: as many as the context holds, or one where it holds all.

    Args:
        trace: The trace.
        ranked: How many passages were ranked.
    """
    return len(trace.context) if 0 < len(trace.context) < ranked else 1


class _Remembered:
    """A ranker that runs once for what is asked again: passages share the queries with words removed."""

    def __init__(self, ranker: Ranker) -> None:
        self._ranker = ranker
        self._scores: dict[tuple[str, tuple[tuple[str, str], ...]], Mapping[str, float]] = {}

    @property
    def name(self) -> str:
        return self._ranker.name

    def describe(self) -> dict[str, Any]:
        return self._ranker.describe()

    def score(self, query: str, passages: Mapping[str, str]) -> Mapping[str, float]:
        asked = (query, tuple(passages.items()))
        if asked not in self._scores:
            self._scores[asked] = self._ranker.score(query, passages)
        return self._scores[asked]
