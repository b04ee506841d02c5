"""Passages against positions: what each passage is worth wherever it stands, and each position by itself.

Leave-one-out in each order, fitted by least squares as

    v_o(N) - v_o(N minus i) = level of order o + content effect of i + position effect of i's place in o,

where content effects and position effects each sum to zero over passages and positions. Over rows of a Latin
square and their reverses the two are told apart; where too few orders leave them entangled there is no value.

Source: Boresight; two-factor models of passage and position after arXiv 2412.10684 (MoI) and arXiv 2406.16008
(found in the middle), whose estimators are not published in full, so this one is not theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boresight.stats.interval import Interval
from boresight.stats.jackknife import jackknife_interval

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.measure.rows import OrderRow

    Floats = NDArray[np.float64]

FEWEST = 2
TOO_FEW = "too few orders to tell passages from positions"
NO_INTERVAL = "without one of the orders passages and positions cannot be told apart"


@dataclass(frozen=True, slots=True)
class Effects:
    """Both kinds of effects of one trace, nats of the answer.

    Attributes:
        content: Per passage its effect wherever it stands; they sum to 0.
        position: Per position of the prompt, the first one first, its effect whatever stands there; they sum
            to 0.
        primacy: Effect of the first position minus the mean of those between the ends.
        recency: The same of the last position. Both None below three passages.
    """

    content: Mapping[str, Interval[float]]
    position: tuple[Interval[float], ...]
    primacy: Interval[float] | None
    recency: Interval[float] | None


def effects_of(rows: Sequence[OrderRow], players: Sequence[str]) -> Effects | None:
    """Fit both kinds of effects, with jackknife intervals over orders.

    Args:
        rows: Orders of the context, each with the values without one passage.
        players: Passage ids in context order.

    Returns:
        The effects; None where the orders do not tell passages from positions.

    Raises:
        ValueError: An order lacks the value without one of the passages.
    """
    if len(players) < FEWEST:
        return None
    drops = np.array([[_drop(row, passage) for passage in players] for row in rows])
    places = np.array([[row.order.index(passage) for passage in players] for row in rows], dtype=np.float64)
    sample = np.stack([drops, places], axis=-1)
    if not _told_apart(places):
        return None
    numbers = _numbers(sample)
    n = len(players)
    ends_known = n > FEWEST
    return Effects(
        dict(zip(players, numbers[:n], strict=True)),
        tuple(numbers[n : 2 * n]),
        numbers[2 * n] if ends_known else None,
        numbers[2 * n + 1] if ends_known else None,
    )


def _numbers(sample: Floats) -> list[Interval[float]]:
    """The fitted numbers, with intervals where no order is needed to tell passages from positions."""
    places = sample[..., 1]
    if all(_told_apart(np.delete(places, one, axis=0)) for one in range(len(places))):
        found = jackknife_interval(_fit, sample)
        if found.low is not None and found.high is not None:
            columns = (found.value.tolist(), found.low.tolist(), found.high.tolist())
            return [Interval(value, low, high) for value, low, high in zip(*columns, strict=True)]
    return [Interval(value, None, None, NO_INTERVAL) for value in _fit(sample).tolist()]


def _drop(row: OrderRow, passage: str) -> float:
    if passage not in row.without:
        raise ValueError(f"the order {', '.join(row.order)} was not scored without {passage}")
    return row.value - row.without[passage]


def _design(places: Floats) -> Floats:
    """One row a passage and order: indicators of the order, of the passage, and of its place."""
    orders, n = places.shape
    order, passage = np.divmod(np.arange(orders * n), n)
    return np.hstack([np.eye(orders)[order], np.eye(n)[passage], np.eye(n)[places.ravel().astype(int)]])


def _told_apart(places: Floats) -> bool:
    """Whether only the two constants are free: one may move from levels to either kind of effect."""
    orders, n = places.shape
    rank = np.linalg.matrix_rank(_design(places)) if orders else 0
    return bool(rank == orders + 2 * (n - 1))


def _fit(sample: Floats) -> Floats:
    """Content effects, position effects, primacy and recency, shape (2n + 2,)."""
    drops, places = sample[..., 0], sample[..., 1]
    orders, n = drops.shape
    found = np.linalg.lstsq(_design(places), drops.ravel(), rcond=None)[0]
    content, position = found[orders : orders + n], found[orders + n :]
    content, position = content - content.mean(), position - position.mean()
    between = position[1:-1].mean() if n > FEWEST else 0.0
    return np.concatenate([content, position, position[[0, -1]] - between])
