"""What the passage that a method ranks first does to the matching target and to the other one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.game.batches import as_batch
from boresight.game.coalitions import coalition_of
from boresight.game.targets import text_target

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from boresight.game.context_game import ContextGame


def drops(game: ContextGame, texts: Sequence[str], passages: Collection[str]) -> dict[str, list[float]]:
    """Per passage what each text loses when it goes, nats: v(N) - v(N minus it), in the order of the texts.

    Args:
        game: The context; its own target is not read.
        texts: The targets.
        passages: The passages to take away, one at a time.
    """
    generator, players = game.generator, game.players
    targets = [
        text_target(generator, game.trace, f"target:{place}", "recorded", text)
        for place, text in enumerate(texts)
    ]
    every, gone = range(len(players)), sorted(passages, key=players.index)
    kept = [every, *([one for one in every if players[one] != passage] for passage in gone)]
    requests = [game.request(coalition_of(places, len(players)), targets) for places in kept]
    scored = generator.score(as_batch(requests, generator.capabilities()))
    whole, *rest = ([float(row.logprobs[one.id].sum()) for one in targets] for row in scored)
    return {
        passage: [before - after for before, after in zip(whole, row, strict=True)]
        for passage, row in zip(gone, rest, strict=True)
    }
