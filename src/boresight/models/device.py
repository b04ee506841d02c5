"""Which torch device a name means, and which number format suits it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from boresight.errors import ModelError, SpecError

if TYPE_CHECKING:
    from collections.abc import Callable

NATIVE_BF16 = ("avx512_bf16", "amx_bf16", "arm_bf16", "bf16")  # as torch names what a processor can do


def native_dtype(place: str) -> str:
    """The fast number format of a device: ``bfloat16`` where it computes in it natively, else ``float32``.

    Args:
        place: A device as :func:`single_device` gives it, or ``auto`` for a model spread over all.
    """
    cuda = torch.cuda.is_available() if place == "auto" else place.startswith("cuda")
    if cuda:
        able = torch.cuda.is_bf16_supported(including_emulation=False)
    else:
        able = place in ("cpu", "auto") and any(_processor().get(name) for name in NATIVE_BF16)
    return "bfloat16" if able else "float32"


def _processor() -> dict[str, Any]:
    """What the processor can do, by torch's names; nothing from releases that cannot be asked."""
    ask: Callable[[], dict[str, Any]] = getattr(torch.cpu, "get_capabilities", dict)
    return ask()


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
