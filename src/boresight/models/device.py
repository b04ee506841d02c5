"""Which torch device a name means."""

from __future__ import annotations

import torch

from boresight.errors import ModelError, SpecError


def single_device(device: str | None) -> str:
    """The one device to use.

    Args:
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``; None or ``auto`` takes CUDA if there is one.

    Raises:
        SpecError: If torch knows no such device.
        ModelError: If this machine has none.
    """
    if device is None or device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, NotImplementedError, ImportError) as problem:  # as backends differ
        if device.partition(":")[0] in ("cuda", "mps", "xpu"):
            raise ModelError(f"This machine has no device {device!r}; use cpu.") from problem
        raise SpecError(f"There is no device {device!r}; give cpu, cuda, cuda:1, mps or auto.") from problem
    return device
