"""Orders of a context that put passages in other positions, evenly: rows of a Latin square and reverses.

Row r of the cyclic square is the context rotated by r. In all rows together, each passage stands in each
position once; so it does in every second row with its reverse, where the number of passages is even. So every
second row comes first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np

    Order = tuple[int, ...]

MOST_ORDERS = 12


def latin_orders(n: int, count: int, rng: np.random.Generator) -> tuple[Order, ...]:
    """Different orders of n passages: the recorded one, its reverse, another row, its reverse, and so on.

    Args:
        n: Number of passages.
        count: How many orders; there are n with their n reverses, fewer where these are the same.
        rng: Draws which rows come next, every second row of the square before the others.

    Returns:
        Context positions in prompt order, the recorded order first.
    """
    found: dict[Order, None] = {}
    for row in _rows(n, rng):
        order = tuple((place + row) % n for place in range(n))
        found |= dict.fromkeys((order, order[::-1]))
    return tuple(found)[:count]


def _rows(n: int, rng: np.random.Generator) -> Iterator[int]:
    """Rows of the square, the recorded order first."""
    yield 0
    for start in (2, 1):
        rest = range(start, n, 2)
        yield from (rest[int(place)] for place in rng.permutation(len(rest)))


def context_orders(n: int, rng: np.random.Generator) -> tuple[Order, ...]:
    """The orders in which a context of n passages is scored: as many as passages, at most 12."""
    return latin_orders(n, min(n, MOST_ORDERS), rng)


def without(order: Order, place: int) -> Order:
    """The order of the others once the passage at a context position is gone."""
    return tuple(other for other in order if other != place)


def with_gaps(orders: Iterable[Order]) -> tuple[Order, ...]:
    """Every order, and every order without one passage; none twice, for rotations leave some alike."""
    found: dict[Order, None] = {}
    for order in orders:
        found |= dict.fromkeys((order, *(without(order, place) for place in sorted(order))))
    return tuple(found)


def order_name(order: Order) -> str:
    """An order as a plan names it: context positions, joined by commas."""
    return ",".join(map(str, order))


def order_of(name: str) -> Order:
    """The inverse of :func:`order_name`."""
    return tuple(map(int, name.split(","))) if name else ()


def follows_context(order: Order) -> bool:
    """Whether the passages stand as they do in the context, so that the order is a plain coalition."""
    return list(order) == sorted(order)
