"""Which requests are scored together: branches of their tree where the engine takes packs, else equal ones.

A pure function of token ids and the engine's limits, so that a plan made today is carried out the same way
tomorrow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.game.tree import branches, lay_out, tree_tokens
from boresight.models.packing import PackedBatch
from boresight.models.seam import Capabilities, Request, equal_length_batches

if TYPE_CHECKING:
    from collections.abc import Sequence

LONG_PROMPTS = 4  # a batch holds at least as many tokens as so many of its longest prompts


def grouped(requests: Sequence[Request], able: Capabilities) -> list[list[int]]:
    """Index groups of the requests that share a batch; each index appears once.

    Args:
        requests: Prompts with their targets.
        able: What the engine can do.
    """
    if able.side_by_side:
        places = range(len(requests))
        return [list(places[start : start + able.side_by_side]) for start in places[:: able.side_by_side]]
    if able.packs is None:
        return equal_length_batches(request.lengths for request in requests)
    longest = max((request.prompt_length for request in requests), default=0)
    return branches(requests, max(able.packs.batch, LONG_PROMPTS * longest))


def as_batch(
    requests: Sequence[Request], able: Capabilities, guests: Sequence[Request] = ()
) -> Sequence[Request]:
    """The batch that a generator scores: the requests, then the guests."""
    return [*requests, *guests] if able.packs is None else lay_out(requests, able.packs, guests)


def cost(requests: Sequence[Request], able: Capabilities) -> int:
    """Tokens that the engine computes for these requests, batch by batch."""
    if able.packs is None:
        return sum(request.tokens for request in requests)
    return sum(tree_tokens([requests[index] for index in group]) for group in grouped(requests, able))


def tokens_of(batch: Sequence[Request]) -> int:
    """Tokens that the engine computes for a batch."""
    if isinstance(batch, PackedBatch):
        return batch.tokens
    return sum(request.tokens for request in batch)
