"""A batch of requests whose shared beginnings are read once, as data: what is computed where.

The requests form a tree of token runs (pieces). Packs hold the pieces in reading order; what a piece
continues stands earlier in its own pack or was kept from an earlier one. An engine that knows packs runs them
one after the other; any other engine sees a plain sequence of requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    from boresight.models.seam import Request


@dataclass(frozen=True, slots=True)
class PackLimits:
    """How large packs and batches may be.

    Attributes:
        batch: Most tokens of a batch, unless its prompts are long.
        tokens: Most tokens of a pack.
        predictions: Most tokens of a pack that predict; each costs a row over the vocabulary.
    """

    batch: int
    tokens: int
    predictions: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of tokens that is read once, whatever follows it.

    Attributes:
        ids: Token ids.
        position: Place of the first token in its prompt, from 0.
        parent: Index of the piece that it continues; None at the start of a prompt.
    """

    ids: tuple[int, ...]
    position: int
    parent: int | None


@dataclass(frozen=True, slots=True)
class Ask:
    """Target tokens that the consecutive tokens of a piece predict.

    Attributes:
        request: Index of the request in the batch.
        target: Target id.
        first: Index in the target of the first token predicted.
        ids: The tokens predicted.
        piece: Index of the piece.
        start: Place in the piece of the token that predicts the first of them.
    """

    request: int
    target: str
    first: int
    ids: tuple[int, ...]
    piece: int
    start: int


@dataclass(frozen=True, slots=True)
class Pack:
    """Pieces that are computed in one call.

    Attributes:
        held: Pieces of earlier packs whose keys and values are kept for this pack or a later one, in order.
        pieces: The pieces of this pack, in order.
        asks: What the pack predicts.
    """

    held: tuple[int, ...]
    pieces: tuple[int, ...]
    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True)
class PackedBatch(Sequence["Request"]):
    """Requests, and the packs that score them all.

    Attributes:
        requests: The requests.
        pieces: All pieces; packs name them by index.
        packs: The packs, in the order of computing.
    """

    requests: tuple[Request, ...]
    pieces: tuple[Piece, ...]
    packs: tuple[Pack, ...]

    @overload
    def __getitem__(self, index: int) -> Request: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Request, ...]: ...
    def __getitem__(self, index: int | slice) -> Request | tuple[Request, ...]:
        return self.requests[index]

    def __len__(self) -> int:
        return len(self.requests)

    @property
    def tokens(self) -> int:
        """Tokens that are computed."""
        return sum(len(piece.ids) for piece in self.pieces)
