"""Checks and rescaling of the two mappings that an alignment measure compares."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_PASSAGE = "there is no passage"
ONE_PASSAGE = "there is only one passage"
ALL_TIED = "all attributions are equal"


def check_pair(retriever: Mapping[str, float], generator: Mapping[str, float]) -> None:
    """Refuse mappings that do not describe the same passages in finite numbers.

    Raises:
        ValueError: Names the passages that one mapping lacks or whose number is not finite.
    """
    odd = set(retriever) ^ set(generator)
    if odd:
        raise ValueError(f"retriever and generator must hold the same passages, but differ in {_listed(odd)}")
    broken = {passage for passage in retriever if not _finite(retriever[passage], generator[passage])}
    if broken:
        raise ValueError(f"retriever and generator must be finite, but are not for {_listed(broken)}")


def too_few(count: int, least: int = 2) -> str | None:
    """Why a measure of at least ``least`` passages has no value for ``count``; None when it has."""
    if count >= least:
        return None
    if count > 1:
        return f"there are only {count} passages, {least} are needed"
    return ONE_PASSAGE if count == 1 else NO_PASSAGE


def unit_interval(values: Mapping[str, float]) -> dict[str, float] | None:
    """The values moved and stretched so that the lowest is 0 and the highest is 1; None when all are equal.

    What is invariant under such a map can be computed from the result without overflow.
    """
    low, high = min(values.values()), max(values.values())
    if low == high:
        return None
    half = 1.0 if math.isfinite(high - low) else 0.5
    span = high * half - low * half
    return {passage: (value * half - low * half) / span for passage, value in values.items()}


def _finite(*numbers: float) -> bool:
    return all(math.isfinite(number) for number in numbers)


def _listed(passages: set[str]) -> str:
    return ", ".join(repr(passage) for passage in sorted(passages, key=str))
