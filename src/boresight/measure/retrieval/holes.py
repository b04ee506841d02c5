"""Label holes: passages that the answer rests on and that no label calls relevant.

Either the answer rests on the wrong passage, or the labels miss a right one. The number says which passages
to look at, and how far measures that count the unjudged as irrelevant can be trusted on this trace.

Source of the term: C. Buckley and E. Voorhees, *Retrieval Evaluation with Incomplete Information* (2004);
that the answer is what shows the hole is Boresight's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.measure.evidence import noise_bar
from boresight.measure.retrieval.ranking import NO_LABELS
from boresight.outcome import Measure

if TYPE_CHECKING:
    from boresight.measure.evidence import Evidence


def label_holes(seen: Evidence) -> Measure:
    """Number of passages whose attribution is above the numeric floor and whose label is 0 or missing.

    Undefined where the trace has no label at all.

    Raises:
        AbsentError: There are no attributions.
    """
    if not seen.extra.relevance:
        return Measure.undefined(NO_LABELS)
    bar = noise_bar(seen.floor)
    rests_on = [passage for passage, value in seen.resolved().items() if value > bar]
    return Measure.defined(sum(seen.extra.relevance.get(passage, 0) <= 0 for passage in rests_on))


def share_outside_labels(seen: Evidence) -> Measure:
    """Share of the answer that rests on passages without a label above 0: the sum of their shares.

    Undefined where the trace has no label, or no passage speaks for the answer.

    Raises:
        AbsentError: There are no attributions.
    """
    if not seen.extra.relevance:
        return Measure.undefined(NO_LABELS)
    helping = {passage: value for passage, value in seen.resolved().items() if value > 0}
    if not helping:
        return Measure.undefined("no attribution is positive")
    relevance = seen.extra.relevance
    outside = sum(value for passage, value in helping.items() if relevance.get(passage, 0) <= 0)
    return Measure.defined(min(outside / sum(helping.values()), 1.0))
