"""How far the order moves value and answer."""

from boresight.measure.order import answer_clusters, order_spread, orders_changing_answer
from boresight.measure.rows import OrderRow


def row(value, answer=None):
    return OrderRow(("a", "b"), value, answer=answer)


def test_the_spread_is_between_the_largest_and_the_smallest_value():
    assert order_spread([row(-3.0), row(-1.0), row(-2.5)]).value == 2.0
    assert order_spread([row(-3.0)]).reason == "the context was scored in one order only"


def test_answers_that_differ_in_marks_and_articles_are_the_same():
    rows = [row(0, "Rome."), row(0, "the ROME"), row(0, "Paris"), row(0, "Oslo")]
    assert orders_changing_answer(rows).value == 2 / 3
    assert answer_clusters(rows).value == 3


def test_orders_without_an_answer_count_for_nothing():
    assert orders_changing_answer([row(0, "Rome"), row(0), row(0, "Rome")]).value == 0.0
    assert answer_clusters([row(0, "Rome"), row(0)]).reason == "an answer was generated in one order only"
