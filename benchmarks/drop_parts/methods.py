"""Attributions of one game by every method that the benchmarks compare, on the same prompts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from benchmarks.drop_parts.context_cite import ablations, cited
from boresight.explain.shapley import ESTIMATORS, exact_shapley
from boresight.game.coalitions import all_but_one, all_coalitions, coalition_of, from_masks
from boresight.models.attention_choice import attending
from boresight.models.rankers.bm25 import Bm25Ranker
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    import numpy as np

    from boresight.game.context_game import ContextGame
    from boresight.game.table import ValueTable
    from boresight.models.transformers_generator import TransformersGenerator

BUDGET_PER_PASSAGE = 8
SAMPLER = "kriging"
OURS, CITE, CITE_TOKENS = "boresight", "context-cite", "context-cite by token"
METHODS = (OURS, "leave-one-out", CITE, CITE_TOKENS, "attention", "random")
REFERENCES = ("first", "BM25")  # they see no model


@dataclass(frozen=True, slots=True)
class Measured:
    """One game.

    Attributes:
        attributions: By method, then passage id.
        grand: Value of the whole context, nats.
        without: Per passage the value of all others, nats.
        exact: Whether ours is exact.
    """

    attributions: dict[str, dict[str, float]]
    grand: float
    without: dict[str, float]
    exact: bool


def measure(game: ContextGame, seed: int) -> Measured:
    """Score what the methods need, once, and attribute by each."""
    players, n = game.players, len(game.players)
    exact = 1 << n <= BUDGET_PER_PASSAGE * n
    rng = rng_for(seed, game.trace.id, "design")
    design = None if exact else ESTIMATORS[SAMPLER].design(n, BUDGET_PER_PASSAGE * n, rng)
    masks = ablations(game, seed)
    rows = set(all_coalitions(n)) if design is None else set(from_masks(design.coalitions))
    rows |= {coalition_of(range(n), n), *all_but_one(n), *from_masks(masks)}
    table = game.table(sorted(rows), closed_book=False)
    whole = table.value(players)
    without = {one: table.value([other for other in players if other != one]) for one in players}
    found = {
        OURS: _ours(table, design),
        "leave-one-out": {one: whole - value for one, value in without.items()},
        **cited(table, masks),
        "attention": attention(game),
        "random": dict(zip(players, rng_for(seed, game.trace.id, "random").random(n).tolist(), strict=True)),
        "first": {one: float(-place) for place, one in enumerate(players)},
        "BM25": bm25(game),
    }
    return Measured(found, whole, without, exact)


def cite(game: ContextGame, seed: int) -> dict[str, dict[str, float]]:
    """ContextCite alone, in both forms, by passage id."""
    masks = ablations(game, seed)
    return cited(game.table(sorted(set(from_masks(masks))), closed_book=False), masks)


def _ours(table: ValueTable, design: object) -> dict[str, float]:
    if design is None:
        return _named(table, exact_shapley(table.lattice()))
    values = table.take(from_masks(design.coalitions))
    return _named(table, ESTIMATORS[SAMPLER].estimate(design, values).attribution)


def _named(table: ValueTable, values: np.ndarray) -> dict[str, float]:
    """Per passage the sum over tokens."""
    return {one: float(row.sum()) for one, row in zip(table.players, values, strict=True)}


def attention(game: ContextGame) -> dict[str, float]:
    """Attention of the answer's tokens to each passage's, mean over heads, summed over layers and tokens.

    The baseline of AttriBoT (arXiv 2411.15102); the row of a token is that of the position that predicts it.
    """
    generator: TransformersGenerator = game.generator
    request = game.request("1" * len(game.players), (game.target,))
    prompt, target = list(request.prompt_ids), list(game.target.token_ids)
    model = generator.model
    with torch.no_grad():
        cache = model(torch.tensor([prompt[:-1]]), use_cache=True, logits_to_keep=1).past_key_values
        with attending(model, "eager"):
            step = torch.tensor([prompt[-1:] + target[:-1]])
            layers = model(step, past_key_values=cache, output_attentions=True).attentions
    mass = sum(layer[0].float().mean(0).sum(0) for layer in layers).numpy()
    found, place = {}, 0
    for segment in request.segments:
        if segment.player is not None:
            found[segment.player] = float(mass[place : place + len(segment.ids)].sum())
        place += len(segment.ids)
    return found


def bm25(game: ContextGame) -> dict[str, float]:
    """Scores of the question's terms, with the statistics of the trace's own passages."""
    texts = {one.id: f"{one.title or ''}\n{one.text}" for one in game.trace.context_passages}
    return dict(Bm25Ranker.fit(texts).score(game.trace.query, texts))


def top(attribution: dict[str, float]) -> str:
    """The passage with the largest value; of equal ones the first of the context."""
    return max(attribution, key=lambda one: attribution[one])
