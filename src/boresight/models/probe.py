"""Is this a causal language model at all? Asked of the model itself, with a text of a few tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import ModelError
from boresight.models.foreign import foreign_code, reason

if TYPE_CHECKING:
    import torch

_LENGTH = 12  # tokens of the probe; the first third stays as it is
# How far early predictions may move, as a share of how far later ones do: rounding stays far below, while
# even an untrained encoder passes more than that on.
_SHARE = {"float32": 1e-4, "float64": 1e-4, "float16": 2e-3, "bfloat16": 1e-2}


def require_causal(model: Any, name: str) -> None:
    """Make sure that a model gives numbers, and that a later token cannot change an earlier prediction.

    Raises:
        ModelError: If it cannot run, gives NaN or infinity, or looks ahead as encoders do.
    """
    if getattr(model.config, "is_encoder_decoder", False):
        raise ModelError(f"{name} is an encoder-decoder; Boresight needs a causal (decoder-only) model")
    with foreign_code(lambda problem: ModelError(f"{name} cannot read a short text: {reason(problem)}")):
        first, second = _two_readings(model)
    if not bool(first.isfinite().all() and second.isfinite().all()):
        raise ModelError(
            f"{name} gives NaN or infinity on device {first.device} in {_dtype(model)}; "
            "try --dtype fp32 or --device cpu, and fetch the weights again if that does not help"
        )
    moved = (first - second).abs()
    same = max(1, len(moved) // 3)
    if float(moved[:same].max()) > _SHARE.get(_dtype(model), 1e-2) * float(moved.max()):
        raise ModelError(f"{name} looks ahead, as encoders do; Boresight needs a causal (decoder-only) model")


def require_vocabulary(model: Any, tokenizer: Any, name: str) -> None:
    """Make sure that every id that text can become has a row in the embedding.

    Added tokens beyond it are let pass: some checkpoints bring markers (for images, say) that no text uses.

    Raises:
        ModelError: If tokenizer and model do not belong together.
    """
    rows = int(model.get_input_embeddings().weight.shape[0])
    added = tokenizer.added_tokens_decoder
    largest = max((token for token in tokenizer.get_vocab().values() if token not in added), default=0)
    if largest >= rows:
        raise ModelError(
            f"the tokenizer of {name} knows {largest + 1} tokens and the model {rows}, so they do not belong "
            "together; fetch the whole checkpoint again"
        )


def _two_readings(model: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits of two texts that differ behind their first third; each of shape (tokens, V)."""
    import torch

    embeddings = model.get_input_embeddings().weight
    rows = int(embeddings.shape[0])
    length = max(1, min(_LENGTH, getattr(model.config.get_text_config(), "max_position_embeddings", _LENGTH)))
    first = torch.arange(length) % min(rows, 3)
    second = first.clone()
    second[max(1, length // 3) :] = (first[max(1, length // 3) :] + 1) % rows
    with torch.no_grad():
        readings = [
            model(input_ids=ids[None].to(embeddings.device)).logits[0].float() for ids in (first, second)
        ]
    return readings[0], readings[1]


def _dtype(model: Any) -> str:
    return str(model.dtype).removeprefix("torch.")
