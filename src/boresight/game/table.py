"""The value table: every stored value of one trace and target, looked up by coalition."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from boresight.game.coalitions import all_coalitions, coalition_of, from_masks
from boresight.game.scales import Scale, on_scale

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class ValueTable:
    """Values of the context game of one trace and one target.

    Attributes:
        players: Passage ids in context order.
        target: Target id.
        rows: Per coalition string, nats per target token, float32, shape (T,).
        closed_book: The closed-book row, shape (T,), or None if it was not scored.
    """

    players: tuple[str, ...]
    target: str
    rows: Mapping[str, NDArray[np.float32]]
    closed_book: NDArray[np.float32] | None = None
    _positions: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        places = {passage: position for position, passage in enumerate(self.players)}
        object.__setattr__(self, "_positions", places)

    @property
    def n(self) -> int:
        """Number of players."""
        return len(self.players)

    @property
    def complete(self) -> bool:
        """Whether all 2^n coalitions are there."""
        return len(self.rows) == 1 << self.n

    @cached_property
    def totals(self) -> Mapping[int, float]:
        """Nats of the whole target by the bit mask of each stored coalition, bit i for passage i."""
        whole = np.stack(list(self.rows.values())).sum(axis=1, dtype=np.float64) if self.rows else ()
        masks = (int(coalition[::-1] or "0", 2) for coalition in self.rows)
        return dict(zip(masks, map(float, whole), strict=True))

    def coalition(self, passage_ids: Iterable[str]) -> str:
        """The coalition of these passages.

        Raises:
            KeyError: An id is not a player.
        """
        return coalition_of([self._positions[passage] for passage in passage_ids], self.n)

    def logprobs(self, passage_ids: Iterable[str]) -> NDArray[np.float64]:
        """Nats per target token with exactly these passages present, shape (T,).

        Raises:
            KeyError: The coalition was not scored.
        """
        return np.asarray(self.rows[self.coalition(passage_ids)], np.float64)

    def value(self, passage_ids: Iterable[str]) -> float:
        """Nats of the whole target with exactly these passages present."""
        return float(self.logprobs(passage_ids).sum())

    def take(self, coalitions: Sequence[str], scale: Scale = "nats") -> NDArray[np.float64]:
        """Values of the given coalitions on a scale, shape (m, T)."""
        return on_scale(np.stack([self.rows[coalition] for coalition in coalitions]), scale)

    def __call__(self, masks: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Values of the rows of a boolean matrix, shape (m, n) to (m, T): a value function to attribute."""
        return self.take(from_masks(masks))

    def lattice(self, scale: Scale = "nats") -> NDArray[np.float64]:
        """All values, shape (2^n, T); the row index is the bit mask.

        Raises:
            KeyError: The table is not complete.
        """
        return self.take(all_coalitions(self.n), scale)
