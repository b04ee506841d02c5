"""Another way of computing attention, for a while."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def attending(model: Any, implementation: str) -> Iterator[None]:
    """Let a model of ``transformers`` attend in another way, and in its own again afterwards.

    Args:
        model: The model.
        implementation: A name that the library knows: ``eager`` gives weights, ``flex_attention`` takes
            sparse masks.
    """
    own = model.config._attn_implementation  # noqa: SLF001 - no public way to ask
    model.set_attn_implementation(implementation)
    try:
        yield
    finally:
        model.set_attn_implementation(own)
