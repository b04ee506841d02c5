"""The placebo: a passage of another trace joins as one more player, to see how much any text moves the model.

Its attribution is that of an honest outsider. It stands last in the context, so the coalitions without it are
those that the trace's own table already holds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from boresight.game.coalitions import all_coalitions, coalition_of
from boresight.game.scales import Scale, on_scale

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.trace import Passage, Trace

    Rows = Mapping[str, NDArray[np.float32]]
    Orders = Sequence[Sequence[int]]

CANDIDATES = 50
PAIRS_OF_ORDERS = 4


@dataclass(frozen=True, slots=True)
class Placebo:
    """Where a placebo comes from.

    Attributes:
        trace: Id of the trace that lends it.
        passage: Its id there.
    """

    trace: str
    passage: str


def candidates(
    trace: Trace, others: Sequence[Trace], rng: np.random.Generator
) -> list[tuple[Trace, Passage]]:
    """Up to 50 seeded passages of other traces' contexts that this trace does not hold."""
    own = {passage.text for passage in trace.passages}
    found: list[tuple[Trace, Passage]] = []
    for index in rng.permutation(len(others)):
        other = others[int(index)]
        if other.id == trace.id or not other.context:
            continue
        passage = other.passage(other.context[int(rng.integers(len(other.context)))])
        if passage.text.strip() and passage.text not in own:
            found.append((other, passage))
        if len(found) == CANDIDATES:
            break
    return found


def with_placebo(trace: Trace, passage: Passage) -> Trace:
    """The trace with the passage as its last player, under an id of its own."""
    taken = {own.id for own in trace.passages}
    name = "placebo"
    while name in taken:
        name += "'"
    guest = replace(passage, id=name)
    return replace(trace, passages=(*trace.passages, guest), context=(*trace.context, name))


def placebo_orders(n: int, rng: np.random.Generator) -> list[list[int]]:
    """Eight orders in which the own passages of a sampled trace enter: four and their reverses."""
    orders = [rng.permutation(n).tolist() for _ in range(PAIRS_OF_ORDERS)]
    return [*orders, *(order[::-1] for order in orders)]


def placebo_coalitions(n: int, orders: Orders | None) -> list[str]:
    """Coalitions of n + 1 players to score for the placebo.

    Args:
        n: Number of the trace's own passages.
        orders: Orders of entry in a sampled trace, shape (k, n): its table need not hold what the placebo
            joins, so that is scored as well. None for all coalitions, where it does.
    """
    if orders is None:
        return [coalition + "1" for coalition in all_coalitions(n)]
    return [prefix + mark for prefix in dict.fromkeys(_prefixes(n, orders)) for mark in "01"]


def placebo_attribution(own: Rows, joined: Rows, n: int, orders: Orders | None, scale: Scale) -> float:
    """Shapley value of the placebo in the game of n + 1 players, summed over the target.

    Exact: sum over S of |S|! (n - |S|)! / (n + 1)! (v(S + placebo) - v(S)); sampled: the mean of what it adds
    where it enters, from first place to last place evenly over the orders.

    Args:
        own: Rows of the trace's own coalitions.
        joined: Rows of :func:`placebo_coalitions`, n + 1 characters.
        n: Number of own passages.
        orders: As in :func:`placebo_coalitions`.
        scale: Value scale.
    """
    prefixes = all_coalitions(n) if orders is None else _prefixes(n, orders)
    before = own if orders is None else {prefix: joined[prefix + "0"] for prefix in prefixes}
    added = [
        float(on_scale(joined[prefix + "1"], scale).sum() - on_scale(before[prefix], scale).sum())
        for prefix in prefixes
    ]
    if orders is not None:
        return float(np.mean(added))
    weights = [1 / ((n + 1) * comb(n, prefix.count("1"))) for prefix in prefixes]
    return float(np.dot(weights, added))


def _prefixes(n: int, orders: Orders) -> list[str]:
    """Who is there when the placebo enters: places are spread evenly over the orders."""
    places = [round(index * n / max(len(orders) - 1, 1)) for index in range(len(orders))]
    return [coalition_of(order[:place], n) for order, place in zip(orders, places, strict=True)]
