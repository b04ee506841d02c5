"""Runs the packs of a batch on a causal model: one call a pack, keys and values kept between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from boresight.models.attention_choice import attending
from boresight.models.tree_attention import by_blocks, view_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.models.packing import Ask, Pack, PackedBatch, Piece
    from boresight.models.tree_attention import View

Rows = dict[tuple[int, str], "NDArray[np.float32]"]  # by request and target


@dataclass(frozen=True, slots=True)
class TreeScorer:
    """Scores packed batches.

    Attributes:
        model: A causal language model in evaluation mode that takes 4-D masks.
        cache: Name of its argument that holds the cache.
        windows: Attention window by layer type (None sees everything); the type is ``""`` where all layers
            are alike.
        flex: Whether to attend by FlexAttention, as suits a CUDA device.
    """

    model: Any
    cache: str
    windows: Mapping[str, int | None]
    flex: bool = False

    @torch.no_grad()
    def score(self, batch: PackedBatch) -> Rows:
        """Log-probabilities in nats by request and target; float32, shape (T,)."""
        from transformers import DynamicCache

        rows = _empty_rows(batch)
        kept = DynamicCache()
        inside: tuple[int, ...] = ()  # the pieces that the cache holds
        for pack in batch.packs:
            _keep(kept, _columns(inside, pack.held, batch.pieces))
            for ask, values in self._run(pack, batch.pieces, kept):
                rows[ask.request, ask.target][ask.first : ask.first + len(ask.ids)] = values
            inside = pack.held + pack.pieces
        return rows

    def _run(self, pack: Pack, pieces: Sequence[Piece], kept: Any) -> list[tuple[Ask, NDArray[np.float32]]]:
        """One call: what each ask of the pack gets."""
        device = self.model.get_input_embeddings().weight.device
        ids = torch.tensor([[token for index in pack.pieces for token in pieces[index].ids]], device=device)
        view = view_of(pack, pieces, device)
        columns, predicted = _predictions(pack, pieces)
        wanted = sorted(set(columns)) or [0]
        with attending(self.model, "flex_attention") if self.flex else by_blocks(self.model, view):
            logits = self.model(
                input_ids=ids,
                position_ids=view.rows[None],
                attention_mask=self._masks(view),
                use_cache=True,
                logits_to_keep=torch.tensor(wanted, device=device),
                **{self.cache: kept},
            ).logits[0]
        if not pack.asks:
            return []
        place = {column: row for row, column in enumerate(wanted)}
        values = _pick(logits, [place[column] for column in columns], predicted)
        ends = np.cumsum([len(ask.ids) for ask in pack.asks])[:-1]
        return list(zip(pack.asks, np.split(values, ends), strict=True))

    def _masks(self, view: View) -> Any:
        """One mask, or one by layer type."""
        masks = {
            kind: view.sparse_mask(window) if self.flex else view.mask(window, self.model.dtype)
            for kind, window in self.windows.items()
        }
        return masks.get("", masks)


def _empty_rows(batch: PackedBatch) -> Rows:
    return {
        (index, target.id): np.full(len(target.token_ids), np.nan, dtype=np.float32)
        for index, request in enumerate(batch)
        for target in request.targets
    }


def _keep(cache: Any, columns: list[int] | None) -> None:
    """Drop all other columns of a cache; None keeps everything."""
    if columns is None:
        return
    for layer in cache.layers:
        chosen = torch.tensor(columns, device=layer.keys.device, dtype=torch.long)
        layer.keys = layer.keys.index_select(2, chosen)
        layer.values = layer.values.index_select(2, chosen)


def _columns(inside: tuple[int, ...], held: tuple[int, ...], pieces: Sequence[Piece]) -> list[int] | None:
    """Where the pieces to keep lie in a cache that holds ``inside``; None where nothing changes."""
    if inside == held:
        return None
    start, places = 0, {}
    for index in inside:
        places[index] = range(start, start + len(pieces[index].ids))
        start += len(pieces[index].ids)
    return [column for index in held for column in places[index]]


def _predictions(pack: Pack, pieces: Sequence[Piece]) -> tuple[list[int], list[int]]:
    """Column of the pack and predicted token, for every token that the asks want, in their order."""
    start, starts = 0, {}
    for index in pack.pieces:
        starts[index] = start
        start += len(pieces[index].ids)
    columns = [starts[ask.piece] + ask.start + step for ask in pack.asks for step in range(len(ask.ids))]
    return columns, [token for ask in pack.asks for token in ask.ids]


def _pick(logits: torch.Tensor, rows: list[int], ids: list[int]) -> NDArray[np.float32]:
    """Log-softmax in float32 at the given rows and ids only."""
    scores = logits.float()
    total = scores.logsumexp(-1)
    chosen, tokens = torch.tensor(rows, device=scores.device), torch.tensor(ids, device=scores.device)
    values: NDArray[np.float32] = (scores[chosen, tokens] - total[chosen]).cpu().numpy()
    return values
