"""Does the criterion know which stream is right, and better than plain certainty does?

Asked on tokens where exactly one stream would write the right one, as in the published token-level test. The
target must be a text that is right whatever the model wrote: over its own greedy answer the stream with
passages is never wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.measure.tokens.labels import certainty, criterion, scalars
from boresight.models.streams import HIT_WITH, HIT_WITHOUT
from boresight.stats.clustered_auc import clustered_auroc, clustered_auroc_difference

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from boresight.measure.rows import Streams
    from boresight.stats.interval import Interval

    Score = Callable[[Streams], NDArray[np.float64]]
    Side = dict[str, list[float]]


@dataclass(frozen=True, slots=True)
class Claim:
    """How well two scores tell benefit from detriment; intervals are over traces.

    Attributes:
        benefit: Tokens that only the stream with passages has right.
        detriment: Tokens that only the closed-book stream has right.
        neither: All other tokens; they say nothing.
        criterion: Area under the curve of ``met - apart``; chance is 0.5.
        certainty: The same of ``max p - max q``.
        difference: The first less the second.
    """

    benefit: int
    detriment: int
    neither: int
    criterion: Interval[float | None]
    certainty: Interval[float | None]
    difference: Interval[float | None]


def claim_of(traces: Mapping[str, Streams], score: Score = criterion, baseline: Score = certainty) -> Claim:
    """Test the claim over traces.

    Args:
        traces: By trace id, the streams over a text that is right.
        score: What is tested; by default the criterion.
        baseline: What it is compared with.

    Raises:
        AbsentError: A trace lacks what the scores read.

    Source: arXiv 2406.00944, its token-level test; intervals as :mod:`boresight.stats.clustered_auc`.
    """
    ours, theirs = (_sides(traces, read) for read in (score, baseline))
    benefit, detriment = (sum(map(len, side.values())) for side in ours)
    tokens = sum(len(scalars(streams, HIT_WITH)) for streams in traces.values())
    return Claim(
        benefit,
        detriment,
        tokens - benefit - detriment,
        clustered_auroc(*ours),
        clustered_auroc(*theirs),
        clustered_auroc_difference((ours[0], theirs[0]), (ours[1], theirs[1])),
    )


def _sides(traces: Mapping[str, Streams], score: Score) -> tuple[Side, Side]:
    """Scores of the tokens that only one stream has right: that with passages, and the closed-book one."""
    only_with: Side = {}
    only_without: Side = {}
    for trace, streams in traces.items():
        hits = scalars(streams, HIT_WITH) - scalars(streams, HIT_WITHOUT)
        values = score(streams)
        only_with[trace], only_without[trace] = values[hits > 0].tolist(), values[hits < 0].tolist()
    return only_with, only_without
