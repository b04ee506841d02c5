"""Which weights are these? A short identity that changes when a checkpoint is trained further or swapped.

A path or a branch name says where weights lay, not what they were. Hashing gigabytes would cost a minute, so
a sample of every tensor is hashed: any training step moves all of them.
"""

from __future__ import annotations

import hashlib
from typing import Any

SAMPLES = 64  # values of each tensor, evenly spaced


def weights_fingerprint(model: Any) -> str:
    """Hash of the names, shapes and sampled values of a torch model's parameters, 16 hex digits."""
    digest = hashlib.sha256()
    for name, weight in sorted(model.named_parameters()):
        flat = weight.detach().reshape(-1)
        step = max(1, flat.numel() // SAMPLES)
        digest.update(f"{name} {tuple(weight.shape)}".encode())
        digest.update(flat[::step].float().cpu().numpy().tobytes())
    return digest.hexdigest()[:16]
