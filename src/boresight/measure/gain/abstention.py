"""Utility and distraction by abstention: does one passage keep the model from saying that it cannot answer?

``a`` is the probability that the answer begins like the abstention string when the passage stands alone. For
a passage labelled relevant ``u = 1 - a`` is its utility; for one labelled irrelevant the same number is its
distracting effect. Labels come from people or a judge; without one neither can be said.

Sources: UDCG, arXiv 2510.21440, as its code was released (the learned weights by position that its abstract
speaks of are not public); the distracting effect, arXiv 2505.06914, defined there for passages that do not
hold the answer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

IRRELEVANT = -0.333
"""Weight of a passage labelled irrelevant; its text says a third, the released scores follow this number."""
NOT_SCORED = "abstention was not scored with this passage alone"
NOT_JUDGED = "the passage was never judged"


def utility(
    abstention: Mapping[str, float], relevance: Mapping[str, float], players: Iterable[str]
) -> dict[str, Measure]:
    """``1 - a`` of each passage labelled relevant (above 0); undefined for the others."""
    return _answered(abstention, relevance, players, relevant=True)


def distracting_effect(
    abstention: Mapping[str, float], relevance: Mapping[str, float], players: Iterable[str]
) -> dict[str, Measure]:
    """``1 - a`` of each passage labelled irrelevant (0 or below); undefined for the others."""
    return _answered(abstention, relevance, players, relevant=False)


def udcg(abstention: Mapping[str, float], relevance: Mapping[str, float], players: Iterable[str]) -> Measure:
    """``sigmoid((sum of u over relevant - 0.333 sum of u over irrelevant) / n)``, positions aside.

    Args:
        abstention: ``a`` by passage.
        relevance: Labels by passage; above 0 is relevant.
        players: The n passages.

    Returns:
        A number between 0 and 1, 0.5 where nothing speaks for or against; undefined without passages, or
        where one was not scored or never judged.
    """
    ids = tuple(players)
    if not ids:
        return Measure.undefined("the context holds no passage")
    if any(passage not in abstention for passage in ids):
        return Measure.undefined("abstention was not scored with each passage alone")
    if any(passage not in relevance for passage in ids):
        return Measure.undefined("not every passage was judged")
    parts = [(1.0 if relevance[one] > 0 else IRRELEVANT) * (1 - abstention[one]) for one in ids]
    return Measure.defined(1 / (1 + math.exp(-math.fsum(parts) / len(parts))))


def _answered(
    abstention: Mapping[str, float], relevance: Mapping[str, float], players: Iterable[str], *, relevant: bool
) -> dict[str, Measure]:
    return {one: _one(abstention.get(one), relevance.get(one), relevant=relevant) for one in players}


def _one(abstention: float | None, grade: float | None, *, relevant: bool) -> Measure:
    if abstention is None:
        return Measure.undefined(NOT_SCORED)
    if grade is None:
        return Measure.undefined(NOT_JUDGED)
    if (grade > 0) != relevant:
        return Measure.undefined(f"the passage is labelled {'irrelevant' if relevant else 'relevant'}")
    return Measure.defined(1 - abstention)
