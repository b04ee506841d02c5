"""The smallest passage sets that keep an answer, and the smallest removals that break it.

A set S keeps the answer when ``v(S) >= v(N) - margin``; a removal R breaks it when the rest does not keep it,
``v(N minus R) < v(N) - margin``. Both read the whole table, so what they name is certain within the margin.

Source: combination counterfactuals of retrieved sources, Rorseth et al., RAGE Against the Machine:
Retrieval-Augmented LLM Explanations, 2024 (arXiv 2405.13000); found here by enumeration instead of search.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


class PassageSet(NamedTuple):
    """Some passages of a context and what the answer is worth for it.

    Attributes:
        passages: Passage ids in context order.
        value: Nats of the answer when these passages are all there is (of a set that keeps), or when they are
            the ones that are gone (of a removal that breaks).
    """

    passages: tuple[str, ...]
    value: float


def minimal_keeps(values: ArrayLike, players: Sequence[str], margin: float) -> list[PassageSet]:
    """All smallest sets whose value is within ``margin`` of that of the whole context.

    Args:
        values: Value of each coalition, nats, shape (2^n,); row number = bit mask, bit i for ``players[i]``.
        players: Passage ids in context order.
        margin: Nats that the answer may lose, at least 0.

    Returns:
        Sets of one size, in context order, never none of them: the whole context keeps its own value. The
        empty set alone means that the answer needs no passage.

    Raises:
        ValueError: The shapes do not fit, a value is not finite, or the margin is not a number of at least 0.
    """
    lattice = _lattice(values, players, margin)
    return _smallest(lattice >= lattice[-1] - margin, lattice, players)


def minimal_breaks(values: ArrayLike, players: Sequence[str], margin: float) -> list[PassageSet]:
    """All smallest removals after which the answer is worth less than the whole context by over ``margin``.

    Arguments and errors are those of :func:`minimal_keeps`.

    Returns:
        Removed passages, sets of one size in context order; none when no removal breaks the answer.
    """
    lattice = _lattice(values, players, margin)
    # The complement of bit mask m is the mask 2^n - 1 - m: what remains is the lattice read backwards.
    remaining = lattice[::-1]
    return _smallest(remaining < lattice[-1] - margin, remaining, players)


def _lattice(values: ArrayLike, players: Sequence[str], margin: float) -> NDArray[np.float64]:
    lattice = np.asarray(values, dtype=np.float64)
    if lattice.shape != (1 << len(players),):
        raise ValueError(
            f"minimal sets of {len(players)} passages need {1 << len(players)} values, got {lattice.shape}"
        )
    if not np.isfinite(lattice).all():
        raise ValueError("minimal sets need finite values, got NaN or infinity")
    if not (math.isfinite(margin) and margin >= 0):
        raise ValueError(f"margin must be a number of at least 0, got {margin}")
    return lattice


def _smallest(
    wanted: NDArray[np.bool_], values: NDArray[np.float64], players: Sequence[str]
) -> list[PassageSet]:
    """The wanted sets of the smallest size at which there are any."""
    masks = np.flatnonzero(wanted)
    sizes = np.array([int(mask).bit_count() for mask in masks], dtype=np.intp)
    chosen = masks[sizes == sizes.min(initial=len(players))]
    found = ((_members(int(mask)), float(values[mask])) for mask in chosen)
    return [PassageSet(tuple(players[i] for i in places), value) for places, value in sorted(found)]


def _members(mask: int) -> tuple[int, ...]:
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)
