"""Which requests are scored together: branches of their tree where the engine takes packs, else equal ones.

A pure function of token ids and the engine's limits, so that a plan made today is carried out the same way
tomorrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.game.tree import branches, lay_out, tree_tokens
from boresight.models.packing import PackedBatch, PackLimits
from boresight.models.seam import Request, equal_length_batches

if TYPE_CHECKING:
    from collections.abc import Sequence

LONG_PROMPTS = 4  # a batch holds at least as many tokens as so many of its longest prompts


def grouped(requests: Sequence[Request], packs: PackLimits | None) -> list[list[int]]:
    """Index groups of the requests that share a batch; each index appears once.

    Args:
        requests: Prompts with their targets.
        packs: Limits of an engine that takes packs; None for the plain engine.
    """
    if packs is None:
        return equal_length_batches(request.lengths for request in requests)
    longest = max((request.prompt_length for request in requests), default=0)
    return branches(requests, max(packs.batch, LONG_PROMPTS * longest))


def as_batch(
    requests: Sequence[Request], packs: PackLimits | None, guests: Sequence[Request] = ()
) -> Sequence[Request]:
    """The batch that a generator scores: the requests, then the guests."""
    return [*requests, *guests] if packs is None else lay_out(requests, packs, guests)


def cost(requests: Sequence[Request], packs: PackLimits | None) -> int:
    """Tokens that the engine computes for these requests, batch by batch."""
    if packs is None:
        return sum(request.tokens for request in requests)
    return sum(tree_tokens([requests[index] for index in group]) for group in grouped(requests, packs))


def tokens_of(batch: Sequence[Request]) -> int:
    """Tokens that the engine computes for a batch."""
    if isinstance(batch, PackedBatch):
        return batch.tokens
    return sum(request.tokens for request in batch)
