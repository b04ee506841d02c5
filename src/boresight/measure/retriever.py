"""Reads the retriever's view of a context out of a trace's stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.measure.evidence import NO_RANKING, RetrieverView

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boresight.trace import Stage, Trace

NO_SCORES = "no retriever scores"


def retriever_view(trace: Trace, stage_name: str | None = None) -> RetrieverView:
    """Ranks and scores that a stage gives the passages of the context.

    Passages are re-ranked among themselves: a rank is the number of context passages that stand before. Equal
    scores next to each other in the stage are a tie, and share the best rank of the tie.

    Args:
        trace: The trace.
        stage_name: The stage that speaks for the retriever; None for the last ranking before packing.

    Returns:
        The view; where ranks or scores are undefined it holds the reason.
    """
    if stage_name is not None and all(stage.name != stage_name for stage in trace.stages):
        reason = f"no stage is called {stage_name!r}"
        return RetrieverView(None, None, None, reason, reason)
    stage = trace.last_ranking(stage_name)
    if stage is None:
        return RetrieverView(None, None, None, NO_RANKING, NO_RANKING)
    ranking = tuple(ranked.id for ranked in stage.ranking)
    held = set(ranking)
    lost = next((passage for passage in trace.context if passage not in held), None)
    if lost is not None:
        reason = f"stage {stage.name!r} does not hold passage {lost!r} of the context"
        return RetrieverView(stage.name, None, None, reason, reason, ranking)
    ranks = _ranks(stage, set(trace.context))
    if any(ranked.score is None for ranked in stage.ranking):
        return RetrieverView(stage.name, ranks, None, None, NO_SCORES, ranking)
    scores = {ranked.id: float(ranked.score) for ranked in stage.ranking if ranked.score is not None}
    return RetrieverView(stage.name, ranks, _in_order(scores, trace.context), None, None, ranking)


def _in_order(values: dict[str, float], passages: Iterable[str]) -> dict[str, float]:
    return {passage: values[passage] for passage in passages}


def _ranks(stage: Stage, context: set[str]) -> dict[str, float]:
    """Competition ranks (1, 2, 2, 4 counted from 0) of the context's passages."""
    scored = all(ranked.score is not None for ranked in stage.ranking)
    ranks: dict[str, float] = {}
    previous: float | None = None
    rank = 0
    for ranked in stage.ranking:
        if not scored or ranked.score != previous:
            rank = len(ranks)
        previous = ranked.score
        if ranked.id in context:
            ranks[ranked.id] = float(rank)
    return ranks
