"""Smallest removals that move a passage across the retriever's cut, for the passages that stand at it.

Tried are the last passage that stays and the first that does not: words of the query and sentences of the
passage are taken out and the ranker is run again. The cut is the size of the context where more passages were
ranked, else the first place. What is stored in ``removals.jsonl`` is never made again.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from boresight.errors import BoresightError
from boresight.run.execute import passage_text
from boresight.store.files import append_jsonl, read_jsonl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.models.rankers.seam import Ranker
    from boresight.run.directory import RunDirectory
    from boresight.run.progress import Progress
    from boresight.trace import Trace

    Line = dict[str, Any]

REMOVALS = "removals"
RANKINGS = 60
"""Most rankings for one passage and side."""
FEWEST = 2


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

    ranked = trace.last_ranking(ranker.name)
    order = [] if ranked is None else [place.id for place in ranked.ranking]
    line: Line = {"trace": trace.id, "stage": ranker.name, "cut": None, "failed": None, "passages": []}
    if len(order) < FEWEST:
        return line
    cut = len(trace.context) if 0 < len(trace.context) < len(order) else 1
    texts = {key: passage_text(trace.passage(key)) for key in order}
    found = []
    try:
        for passage in order[cut - 1 : cut + 1]:
            for side in ("query", "passage"):
                one = smallest_removals(
                    ranker, trace.query, texts, passage, cut=cut, side=side, budget=RANKINGS
                )
                found.append(asdict(one))
    except (BoresightError, ValueError) as error:
        return line | {"failed": str(error)}
    return line | {"cut": cut, "passages": found}
