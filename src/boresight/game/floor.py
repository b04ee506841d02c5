"""The numeric floor: how far rounding alone moves a value.

A coalition is scored alone and together with others: in a padded batch with a shorter prompt, or in the packs
of the tree. The text is the same, so the difference is noise of the arithmetic. An attribution is above the
floor when it is more than twice that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.game.coalitions import coalition_of, middle_coalitions
from boresight.game.scales import Scale, on_scale

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy as np
    from numpy.typing import NDArray

OTHERS = 6


@dataclass(frozen=True, slots=True)
class FloorPair:
    """Two prompts of one padded batch.

    Attributes:
        coalition: The coalition whose noise is measured.
        companion: The shorter one beside it, whose own noise is read off too.
    """

    coalition: str
    companion: str


def floor_pairs(n: int, rng: np.random.Generator) -> list[FloorPair]:
    """Which coalitions are scored twice: the grand, the empty and up to six of the sizes nearest n/2.

    The empty coalition is the shorter companion of all others, which measures its own noise as well.
    """
    grand, empty = coalition_of(range(n), n), coalition_of([], n)
    pairs = [FloorPair(grand, empty)]
    return pairs + [FloorPair(coalition, empty) for coalition in middle_coalitions(n, OTHERS, rng)]


def numeric_floor(
    values: Mapping[str, NDArray[np.float32]],
    repeats: Iterable[tuple[str, NDArray[np.float32]]],
    scale: Scale,
) -> float:
    """Largest difference of the summed target value, alone against together.

    Args:
        values: Row of each coalition in the table, shape (T,).
        repeats: Coalition and row of each second scoring, done the other way.
        scale: Value scale to sum on.

    Returns:
        The floor on that scale, at least 0.
    """
    return max(
        (
            abs(float(on_scale(row, scale).sum() - on_scale(values[coalition], scale).sum()))
            for coalition, row in repeats
            if coalition in values
        ),
        default=0.0,
    )
