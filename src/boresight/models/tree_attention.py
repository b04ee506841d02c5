"""Attention inside a pack: every token sees what its own prompt holds before it, and nothing else.

The mask says so for every pair of tokens. Most pairs of a pack do not see each other, so where the model uses
scaled-dot-product attention it is computed block by block, each over the columns that the block may see. On a
CUDA device, where many small calls cost more than they save, a sparse mask of FlexAttention does the same in
one.
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boresight.models.packing import Pack, Piece

BLOCKED = "boresight_blocks"  # our name in the registry of attention functions


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive rows of a pack that continue one another.

    Attributes:
        start: First row.
        stop: Behind the last row.
        columns: The columns that some row of it may see, kept pieces first; shape (k,).
    """

    start: int
    stop: int
    columns: torch.Tensor


@dataclass(frozen=True, slots=True)
class View:
    """Who sees whom in a pack.

    Attributes:
        blocks: The rows, in order.
        visible: Whether a row may see a column, before any window; shape (rows, columns).
        rows: Position of each row in its prompt, shape (rows,).
        columns: Position of each column, kept pieces first, shape (columns,).
    """

    blocks: tuple[Block, ...]
    visible: torch.Tensor
    rows: torch.Tensor
    columns: torch.Tensor

    def mask(self, window: int | None, dtype: torch.dtype) -> torch.Tensor:
        """Additive mask, shape (1, 1, rows, columns).

        Args:
            window: How many positions back a token sees, its own included; None for all.
            dtype: That of the model.
        """
        seen = self.visible
        if window is not None:
            seen = seen & (self.rows[:, None] - self.columns[None, :] < window)
        mask = torch.zeros(seen.shape, dtype=dtype, device=seen.device)
        return mask.masked_fill_(~seen, torch.finfo(dtype).min)[None, None]

    def sparse_mask(self, window: int | None) -> Any:
        """The same as a mask of FlexAttention, which skips squares of tokens that do not see each other.

        Source: J. Dong et al., Flex Attention, 2024 (arXiv 2412.05496).
        """
        from torch.nn.attention.flex_attention import create_block_mask

        def seen(_batch: Any, _head: Any, row: torch.Tensor, column: torch.Tensor) -> torch.Tensor:
            visible = self.visible[row, column]
            if window is None:
                return visible
            return visible & (self.rows[row] - self.columns[column] < window)

        rows, columns = self.visible.shape
        return create_block_mask(seen, None, None, rows, columns, device=str(self.visible.device))


def view_of(pack: Pack, pieces: Sequence[Piece], device: torch.device) -> View:
    """Who sees whom, from the parents of the pieces."""
    columns = _spans((*pack.held, *pack.pieces), pieces)
    held = sum(len(pieces[index].ids) for index in pack.held)
    total = held + sum(len(pieces[index].ids) for index in pack.pieces)
    visible = torch.zeros(total - held, total, dtype=torch.bool)
    blocks = []
    for run in _runs(pack, pieces):
        before = [place for index in _ancestors(run[0], pieces) for place in columns[index]]
        start, stop = columns[run[0]].start, columns[run[-1]].stop
        own = torch.ones(stop - start, stop - start, dtype=torch.bool).tril()
        visible[start - held : stop - held, before] = True
        visible[start - held : stop - held, start:stop] = own
        seen = torch.tensor([*before, *range(start, stop)], device=device)
        blocks.append(Block(start - held, stop - held, seen))
    position = torch.cat([_positions(pieces[index]) for index in (*pack.held, *pack.pieces)]).to(device)
    return View(tuple(blocks), visible.to(device), position[held:], position)


def _spans(indices: Sequence[int], pieces: Sequence[Piece]) -> Mapping[int, range]:
    """Columns of each piece."""
    ends = [0]
    for index in indices:
        ends.append(ends[-1] + len(pieces[index].ids))
    return {index: range(*span) for index, span in zip(indices, pairwise(ends), strict=True)}


def _runs(pack: Pack, pieces: Sequence[Piece]) -> list[list[int]]:
    """Pieces of a pack, grouped where each continues the one before it."""
    runs: list[list[int]] = []
    for index in pack.pieces:
        if runs and pieces[index].parent == runs[-1][-1]:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs


def _ancestors(index: int, pieces: Sequence[Piece]) -> list[int]:
    """What a piece continues, in reading order."""
    found: list[int] = []
    parent = pieces[index].parent
    while parent is not None:
        found.append(parent)
        parent = pieces[parent].parent
    return found[::-1]


def _positions(piece: Piece) -> torch.Tensor:
    return torch.arange(piece.position, piece.position + len(piece.ids))


_blocks: ContextVar[tuple[Block, ...] | None] = ContextVar("blocks", default=None)


def _attend_by_blocks(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: Any,
    **options: Any,
) -> tuple[torch.Tensor, None]:
    """The library's own function, a block at a time; shapes as there."""
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    blocks = _blocks.get()
    if blocks is None:  # a model in another thread that shares this one's configuration
        whole: tuple[torch.Tensor, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, **options
        )
        return whole
    found = []
    for block in blocks:
        rows, columns = slice(block.start, block.stop), block.columns.to(key.device)
        mask = attention_mask[:, :, rows].index_select(3, columns)
        inputs = (query[:, :, rows], key.index_select(2, columns), value.index_select(2, columns), mask)
        found.append(sdpa_attention_forward(module, *inputs, **options)[0])
    return torch.cat(found, dim=1), None


@contextmanager
def by_blocks(model: Any, view: View) -> Iterator[None]:
    """Let a model attend block by block, if it uses scaled-dot-product attention."""
    if model.config._attn_implementation not in ("sdpa", BLOCKED):  # noqa: SLF001 - no public way to ask
        yield
        return
    _register()
    token = _blocks.set(view.blocks)
    try:
        model.set_attn_implementation(BLOCKED)
        yield
    finally:
        model.set_attn_implementation("sdpa")
        _blocks.reset(token)


def _register() -> None:
    """Make our name known to the library, with masks as for its own function."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(BLOCKED, _attend_by_blocks)
    AttentionMaskInterface.register(BLOCKED, sdpa_mask)
