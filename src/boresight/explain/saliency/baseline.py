"""What stands for "no word": the start of the path of Integrated Gradients, and the filler of removed tokens.

Control tokens stay as they are; every other token's embedding is replaced by one vector at the same position.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import torch

if TYPE_CHECKING:
    from boresight.models.embedding_path import EmbeddingPath, Filler

Baseline = Literal["unk", "mask", "pad", "zero"]
_NEXT: dict[Baseline, tuple[Filler, ...]] = {
    "unk": ("unk", "mask", "pad"),
    "mask": ("mask", "unk", "pad"),
    "pad": ("pad", "unk", "mask"),
    "zero": (),
}


@dataclass(frozen=True)
class Chosen:
    """The baseline that was used.

    Attributes:
        name: ``unk``, ``mask``, ``pad`` or ``zero``.
        asked: The one that was asked for.
        embeddings: One row a token, shape (tokens, h).
    """

    name: Baseline
    asked: Baseline
    embeddings: torch.Tensor


def choose(path: EmbeddingPath, changeable: torch.Tensor, asked: Baseline) -> Chosen:
    """The baseline of a text.

    A tokenizer without the asked token gives the next of unk, mask and pad that it has, and zero if it has
    none (byte-level tokenizers have no unknown token).

    Args:
        path: The text and its model.
        changeable: Which tokens are replaced, bool of shape (tokens,).
        asked: The baseline to use if there is such a token.

    Raises:
        ValueError: There is no such baseline.
    """
    if asked not in _NEXT:
        raise ValueError(f"there is no baseline {asked!r}; choose one of {', '.join(_NEXT)}")
    own = path.embeddings()
    name: Baseline = next((one for one in _NEXT[asked] if path.fillers[one] is not None), "zero")
    filler = None if name == "zero" else path.filler(name)
    other = torch.zeros_like(own[:1]) if filler is None else filler
    return Chosen(name, asked, torch.where(changeable[:, None], other, own))
