"""The measures of order, declared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from boresight.game.needs import Needs
from boresight.measure.evidence import AbsentError
from boresight.measure.family import Family
from boresight.measure.order import effects, spread
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from boresight.measure.evidence import Evidence
    from boresight.measure.order.effects import Effects
    from boresight.stats.interval import Interval

    Unit = Literal["nats", "share", "index"]

_ORDERS, _ANSWERS = Needs(orders=True), Needs(orders=True, order_answers=True)
_OURS = "Boresight"
_MODEL = (
    "leave-one-out in each order = level of the order + content effect of the passage + position effect of "
    "its place, effects summing to 0"
)
TWO_PASSAGES = "primacy and recency need three passages"


def order_families() -> tuple[Family, ...]:
    """The declared measures of order; none is taken unless asked for."""
    return (
        _trace(
            "order_spread", "largest - smallest v(N) over the orders", "nats", _ORDERS,
            lambda seen: spread.order_spread(seen.known_orders()),
        ),
        _trace(
            "orders_changing_answer",
            "share of the sampled orders whose greedy answer differs from that of the recorded order",
            "share", _ANSWERS, lambda seen: spread.orders_changing_answer(seen.known_order_answers()),
        ),
        _trace(
            "answer_clusters", "number of different greedy answers over the sampled orders", "index",
            _ANSWERS, lambda seen: spread.answer_clusters(seen.known_order_answers()),
        ),
        _trace(
            "primacy", f"effect of the first position - mean of those between the ends; {_MODEL}", "nats",
            _ORDERS, _end("primacy"),
        ),
        _trace(
            "recency", f"effect of the last position - mean of those between the ends; {_MODEL}", "nats",
            _ORDERS, _end("recency"),
        ),
        Family(
            name="content_effect", formula=_MODEL, unit="nats", range=(None, None), needs=_ORDERS,
            source=_OURS, passages=_content, default=False,
        ),
    )  # fmt: skip


def _trace(name: str, formula: str, unit: Unit, needs: Needs, trace: Callable[[Evidence], Measure]) -> Family:
    low = {"order_spread": 0.0, "orders_changing_answer": 0.0, "answer_clusters": 1.0}.get(name)
    high = 1.0 if unit == "share" else None
    return Family(name, formula, unit, (low, high), needs, _OURS, trace, default=False)


def known_effects(seen: Evidence) -> Effects:
    """The effects of a trace.

    Raises:
        AbsentError: The orders were not scored, or do not tell passages from positions.
    """
    rows = seen.known_orders()
    if any(set(seen.players) - set(row.without) for row in rows):
        raise AbsentError("the context was not scored in other orders without each passage")
    found = effects.effects_of(rows, seen.players)
    if found is None:
        raise AbsentError(effects.TOO_FEW)
    return found


def _end(name: Literal["primacy", "recency"]) -> Callable[[Evidence], Measure]:
    def measured(seen: Evidence) -> Measure:
        found: Interval[float] | None = getattr(known_effects(seen), name)
        return Measure.undefined(TWO_PASSAGES) if found is None else _measure(found)

    return measured


def _content(seen: Evidence) -> Mapping[str, Measure]:
    return {passage: _measure(effect) for passage, effect in known_effects(seen).content.items()}


def _measure(effect: Interval[float]) -> Measure:
    return Measure.defined(effect.value, low=effect.low, high=effect.high)
