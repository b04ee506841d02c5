"""What the order of the same passages does to an answer."""

from boresight.measure.order.effects import Effects, effects_of
from boresight.measure.order.spread import answer_clusters, order_spread, orders_changing_answer

__all__ = ["Effects", "answer_clusters", "effects_of", "order_spread", "orders_changing_answer"]
