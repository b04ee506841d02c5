"""Packing: which of the ranked passages reach the prompt, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from boresight.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Order = Literal["best-first", "best-last", "ends"]
ORDERS: tuple[str, ...] = get_args(Order)


def packed(ids: Sequence[str], order: Order = "best-first") -> tuple[str, ...]:
    """Passages in prompt order.

    Args:
        ids: Passage ids, best first; all of them are packed, since what is cut is cut before the reordering.
        order: ``best-first``, ``best-last``, or ``ends`` for the best at both ends: 1 3 5 6 4 2.

    Raises:
        SpecError: There is no such order.

    Source: N. Liu et al., Lost in the Middle, arXiv 2307.03172, on what the middle of a prompt loses.
    """
    if order not in ORDERS:
        raise SpecError(f"the order must be one of {', '.join(ORDERS)}, got {order!r}")
    if order == "best-first":
        return tuple(ids)
    if order == "best-last":
        return tuple(reversed(ids))
    return (*ids[::2], *reversed(ids[1::2]))


def fitting(ids: Sequence[str], lengths: Mapping[str, int], most: int | None) -> tuple[str, ...]:
    """The passages that fit a budget, best first; one that is too long is skipped for those behind it.

    Args:
        ids: Passage ids, best first.
        lengths: Characters of each.
        most: Characters that all may have together; None for no limit.
    """
    kept, used = [], 0
    for key in ids:
        if most is None or used + lengths[key] <= most:
            kept.append(key)
            used += lengths[key]
    return tuple(kept)
