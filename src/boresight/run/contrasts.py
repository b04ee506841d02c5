"""Pairs of prompts whose whole distributions are compared: each passage, or all of them, with closed book."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.errors import ScoringError
from boresight.game.coalitions import coalition_of, singletons
from boresight.models.streams import ALPHA, CONTRASTIVE, STREAM_KINDS, ComparesStreams
from boresight.run.plan import NO_COALITION, Batch
from boresight.store.values import ValueRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.game.context_game import ContextGame
    from boresight.game.needs import Needs
    from boresight.models.seam import Generator, Request, Target

CONTRASTS, STREAMS = "contrastive", "streams"
PAIRED = (CONTRASTS, STREAMS)
"""Games whose batches are pairs: a coalition, and closed book as the empty name."""

MIXED = f"contrastive@{ALPHA:g}"
"""Value kind of a reference under the contrastive mixture."""
STREAM = "stream:"
"""What the value kind of a number of two streams begins with."""

KINDS: Mapping[str, frozenset[str]] = {
    CONTRASTS: frozenset({CONTRASTIVE}),
    STREAMS: STREAM_KINDS - {CONTRASTIVE},
}
NO_DISTRIBUTIONS = "this generator shows no distributions"


def shows_distributions(generator: Generator) -> bool:
    """Whether a generator can compare two streams."""
    return isinstance(generator, ComparesStreams)


def pairs_to_compare(game: ContextGame, targets: Sequence[Target], needs: Needs) -> Iterator[Batch]:
    """One batch a pair: each passage alone for the references, all passages for the answer.

    Args:
        game: The trace's context game.
        targets: The targets that have tokens, the answer first.
        needs: What the chosen measures read.
    """
    n = len(game.players)
    wanted = [(CONTRASTS, name) for name in singletons(n)] if needs.contrastive else []
    wanted += [(STREAMS, coalition_of(range(n), n))] if needs.streams else []
    for name, coalition in wanted if shows_distributions(game.generator) else ():
        if targets_of(name, targets):
            pair = pair_of(game, name, coalition, targets)
            yield Batch({name: (coalition, NO_COALITION)}, sum(map(_tokens, pair)))


def targets_of(name: str, targets: Sequence[Target]) -> tuple[Target, ...]:
    """What is compared behind a pair: the answer, or every reference."""
    if name == STREAMS:
        return tuple(targets[:1])
    return tuple(target for target in targets if target.kind == "reference")


def pair_of(
    game: ContextGame, name: str, coalition: str, targets: Sequence[Target]
) -> tuple[Request, Request]:
    """The prompt with passages and the closed-book prompt, over the same targets."""
    own = targets_of(name, targets)
    return game.request(coalition, own), game.closed_book_request(own)


def _tokens(request: Request) -> int:
    """Tokens that a comparison reads of one of its prompts: the prompt once, then each target behind it."""
    return request.prompt_length - 1 + sum(len(target.token_ids) for target in request.targets)


def compared(game: ContextGame, targets: Sequence[Target], batch: Batch, number: int) -> list[ValueRow]:
    """Compare a planned pair; one row a target and kind.

    Args:
        game: The trace's context game.
        targets: The targets that have tokens, the answer first.
        batch: A batch of :func:`pairs_to_compare`.
        number: Its place in the trace's plan.

    Raises:
        ScoringError: The generator cannot compare, or a number is not finite.
    """
    ((name, (coalition, _)),) = batch.games.items()
    ours, theirs = pair_of(game, name, coalition, targets)
    generator = game.generator
    if not isinstance(generator, ComparesStreams):
        raise ScoringError(f"trace {game.trace.id!r}: {NO_DISTRIBUTIONS}")
    found = generator.compare(ours, theirs, KINDS[name], ALPHA)
    return [
        _row(ours, (name, coalition), target.id, (kind, found[target.id][kind]), number)
        for target in ours.targets
        for kind in sorted(found[target.id])
    ]


def _row(
    request: Request,
    place: tuple[str, str],
    target_id: str,
    number_of: tuple[str, NDArray[np.float32]],
    batch: int,
) -> ValueRow:
    (name, coalition), (kind, values) = place, number_of
    if not np.isfinite(values).all():
        raise ScoringError(f"trace {request.trace!r}, {name} {coalition}: {kind} is not finite")
    value_kind = MIXED if name == CONTRASTS else f"{STREAM}{kind}"
    return ValueRow(
        request.trace, name, target_id, coalition, request.order, values, batch, value_kind=value_kind
    )
