"""The preference gap: what a retriever takes for a good passage is not what helps the generator.

Three numbers over a run with references, each the mean of a trace measure: the share of wrong answers among
traces with a passage that holds the answer; the share of right answers without any such passage among right
answers; the rank correlation of the retriever's order and the gain. A passage holds the answer when a
reference stands in its text and no label calls it irrelevant. An answer is right when it holds a reference.

Source: the observation that motivates GainRAG, arXiv 2505.18710; the exact counting is ours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.measure.correlation import spearman
from boresight.measure.evidence import AbsentError
from boresight.measure.funnel.words import sought
from boresight.measure.quality import containment
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.measure.evidence import Evidence

NONE_HOLDS = "no passage of the context holds the answer"
WRONG = "the answer is wrong"
NOT_COMPARABLE = "not every passage has a gain"


def wrong_despite_answer(seen: Evidence) -> Measure:
    """1 if the answer is wrong although a passage of the context holds it, 0 if right; else undefined."""
    right = _right(seen)
    return Measure.defined(not right) if _held(seen) else Measure.undefined(NONE_HOLDS)


def right_without_answer(seen: Evidence) -> Measure:
    """1 if the answer is right though no passage of the context holds it, 0 if one does; else undefined."""
    return Measure.defined(not _held(seen)) if _right(seen) else Measure.undefined(WRONG)


def rank_correlation(ranks: Mapping[str, float], gains: Mapping[str, Measure]) -> Measure:
    """Spearman's correlation of the retriever's ranks and the gains; 1 where they agree.

    Args:
        ranks: Rank of each passage, 0 is best.
        gains: Gain of each passage.
    """
    known = {passage: gain.value for passage, gain in gains.items() if gain.value is not None}
    if known.keys() != ranks.keys():
        return Measure.undefined(NOT_COMPARABLE)
    return spearman(ranks, known)


def _right(seen: Evidence) -> bool:
    return bool(containment(seen.known_answer(), seen.known_references()))


def _held(seen: Evidence) -> bool:
    """Whether a passage of the context holds the answer."""
    if not sought(seen.known_references()):
        raise AbsentError("no passage can be searched for these references")
    holders = [row for row in seen.funnel if row.good.answer_end is not None]
    if any(row.in_context is None for row in holders):
        raise AbsentError("no context is recorded")
    return any(row.in_context for row in holders)
