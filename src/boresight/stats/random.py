"""Random draws that depend on their purpose alone, not on what was drawn before them."""

from __future__ import annotations

import hashlib
import json

import numpy as np


def rng_for(seed: int, *purpose: str) -> np.random.Generator:
    """A generator for one purpose, the same on every machine and in every order of work.

    Args:
        seed: The seed of the run.
        purpose: What the draws are for, from the general to the special: ``"permutations", trace_id``.

    Returns:
        A PCG64 generator seeded by the SHA-256 of seed and purpose.
    """
    # JSON keeps the parts apart: ("ab", "c") and ("a", "bc") are two purposes.
    key = json.dumps([int(seed), *purpose]).encode("ascii")
    return np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(key).digest(), "big")))
