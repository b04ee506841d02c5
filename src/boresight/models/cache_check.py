"""Does a model compute the same in steps behind a cache as in one pass?

Most do. Some recurrent and hybrid architectures start anew with every call of more than one token, some
return no cache at all, and a configuration with an attention window that its model ignores makes the cache
forget what the model still looks at. Nothing of that raises an error while numbers come out, so one short
text is computed both ways before a cache is trusted.
"""

from __future__ import annotations

from contextlib import contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import torch

from boresight.errors import ModelError
from boresight.models.foreign import foreign_code, reason

if TYPE_CHECKING:
    from collections.abc import Iterator

_LENGTH = 24  # tokens
_CUTS = (0, 10, 23, 24)  # a first step, one of many tokens, one of a single token
_WINDOW = 8  # tokens; shorter than the first step, so that a cache cut to the window shows
_TOLERANCE = 1e-3  # nats in fp32; a cache that forgets is off by tenths
_ROUNDING_STEPS = 16  # of half precision, which may round each way of computing apart
_CLOSE = 0.2  # mean of sum |p - q|; bf16 of a small model rounds to 0.06, a cache that forgets is at 1


def steps_agree(model: Any, cache: str) -> bool:
    """Whether log-probabilities in steps equal those of one pass.

    Args:
        model: A causal language model in evaluation mode.
        cache: Name of its argument and output that hold the cache.
    """
    rows = _tried(model, cache)
    if rows is None:
        return False
    gap = float((rows[0] - rows[1]).abs().max())  # NaN compares as too large
    return gap <= tolerance(model)


def steps_close(model: Any, cache: str) -> bool:
    """Whether distributions in steps are those of one pass, but for the rounding of half precision.

    In half precision the log-probability of an unlikely token moves far when the rest hardly does, so
    :func:`steps_agree` turns such models down. Where whole distributions are compared, this is the question.

    Args:
        model: As :func:`steps_agree`.
        cache: As :func:`steps_agree`.
    """
    rows = _tried(model, cache)
    if rows is None:
        return False
    gap = float((rows[0].exp() - rows[1].exp()).abs().sum(-1).mean())
    return gap <= _CLOSE


def _tried(model: Any, cache: str) -> tuple[torch.Tensor, torch.Tensor] | None:
    """Both ways; None where the model cannot run in steps at all."""
    try:
        with foreign_code(lambda problem: ModelError(reason(problem))), short_window(model):
            return _both_ways(model, cache)
    except ModelError:
        return None


@torch.no_grad()
def _both_ways(model: Any, cache: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities of every position and token in steps and in one pass, nats."""
    embeddings = model.get_input_embeddings().weight
    ids = (torch.arange(_LENGTH, device=embeddings.device) * 7 + 3) % embeddings.shape[0]
    whole = model(input_ids=ids[None], use_cache=False).logits[0]
    parts = []
    held: dict[str, Any] = {}
    for start, stop in pairwise(_CUTS):
        output = model(input_ids=ids[None, start:stop], use_cache=True, **held)
        held = {cache: getattr(output, cache)}
        parts.append(output.logits[0])
    return torch.cat(parts).float().log_softmax(-1), whole.float().log_softmax(-1)


def tolerance(model: Any) -> float:
    """How far apart, in nats, two ways of computing may be in the model's number format."""
    return max(_TOLERANCE, _ROUNDING_STEPS * torch.finfo(model.dtype).eps)


@contextmanager
def short_window(model: Any) -> Iterator[None]:
    """Shorten an attention window while we look, so that a short text is longer than it."""
    config = model.config.get_text_config()
    window = getattr(config, "sliding_window", None)
    if not isinstance(window, int) or window <= _WINDOW:
        yield
        return
    config.sliding_window = _WINDOW
    try:
        yield
    finally:
        config.sliding_window = window
