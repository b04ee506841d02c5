"""A model with its weights drawn anew: what an explanation must not survive.

Source: J. Adebayo et al., *Sanity Checks for Saliency Maps*, NeurIPS 2018 (model parameter randomisation).
"""

from __future__ import annotations

import copy
from typing import Any

import torch


def random_weights(model: Any, seed: int) -> Any:
    """A copy whose matrices are normal draws with the mean and spread of the trained ones.

    Input embeddings and layer norms stay, so that inputs keep their scale and tokens their identity.

    Args:
        model: A ``transformers`` model.
        seed: Seed of the draws; torch's own generator is left as it was.
    """
    twin = copy.deepcopy(model)
    kept = {id(weights) for weights in twin.get_input_embeddings().parameters()}
    draws = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for weights in twin.parameters():
            if weights.dim() > 1 and id(weights) not in kept:
                fresh = (
                    torch.randn(weights.shape, generator=draws) * weights.float().std()
                    + weights.float().mean()
                )
                weights.copy_(fresh.to(weights))
    return twin
