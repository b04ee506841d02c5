"""Guards for what a model returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.errors import ModelError

if TYPE_CHECKING:
    import torch


def require_finite(values: torch.Tensor, name: str) -> None:
    """Refuse NaN and infinity.

    Raises:
        ModelError: Naming model and device.
    """
    if not bool(values.isfinite().all()):
        raise ModelError(
            f"{name} gave NaN or infinity on {values.device}; try fp32 or the CPU, or run `boresight doctor`."
        )
