"""The query game in a run: which coalitions of the query's words are scored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.explain.shapley import sampling_method
from boresight.game.coalitions import all_coalitions, from_masks
from boresight.game.context_game import MOST_EXACT_PLAYERS
from boresight.game.query_game import QUERY, words_of
from boresight.run.design import AUTO, EXACT, budget_of, design_for

if TYPE_CHECKING:
    from boresight.game.context_game import ContextGame
    from boresight.models.seam import Target
    from boresight.run.spec import RunSpec


def query_method(game: ContextGame, target: Target, spec: RunSpec) -> str:
    """Exact within the token cap, or where a sample would hold every coalition anyway, else sampled."""
    words = len(words_of(game.trace.query))
    sampler = sampling_method(budget_of(spec, AUTO, words))
    if words > MOST_EXACT_PLAYERS:
        return sampler
    fits = _exact_cost(game, target, words) <= spec.max_tokens_per_trace
    return EXACT if fits or 1 << words <= spec.coalitions_sampled(words) else sampler


def _exact_cost(game: ContextGame, target: Target, words: int) -> int:
    """Tokens of all 2^n coalitions of words: the passages once in the tree, else every time."""
    parts = game.parts(target.thoughts)
    blocks = [parts.block(passage, place + 1).ids for place, passage in enumerate(game.players)]
    before = len(parts.header.ids) + sum(map(len, blocks))
    ending = len(parts.tail.ids) + len(target.token_ids)
    if game.generator.capabilities().packs is None:
        return (before + ending) << words
    return before + (ending << words)


def query_coalitions(game: ContextGame, target: Target, spec: RunSpec) -> list[str]:
    """The coalitions of words to score; none where the query has no word."""
    words = len(words_of(game.trace.query))
    if not words:
        return []
    method = query_method(game, target, spec)
    if method == EXACT:
        return all_coalitions(words)
    return from_masks(design_for(spec, game.trace.id, method, words, QUERY).coalitions)
