"""The order alone moves the answer."""

from dataclasses import replace

import pytest

from boresight.findings import asked_kinds, diagnose
from boresight.measure.rows import OrderRow


@pytest.fixture
def case(make_case, lattice_of):
    """Two passages that do the same, in two orders that differ by 2 nats and in the answer."""
    orders = (OrderRow(("a", "b"), -3.0, answer="Rome"), OrderRow(("b", "a"), -5.0, answer="Paris"))
    return replace(make_case(lattice_of(2, lambda s: float(len(s)) - 9), floor=0.02), orders=orders)


def of_kind(case):
    return [one for one in diagnose(case) if one.kind == "order_sensitive"]


def test_spread_and_changed_answers_are_told_without_a_passage(case):
    (found,) = of_kind(case)
    assert found.passages == ()
    assert found.score == 2.0
    assert found.sentence == (
        "The same passages in another order make this answer up to 2.00 nats more or less likely; in 100% of "
        "the orders that were tried the model answers something else."
    )


def test_the_same_answer_in_every_order_is_no_finding(case):
    alike = tuple(replace(one, answer="Rome") for one in case.orders)
    assert of_kind(replace(case, orders=alike)) == []


def test_a_spread_within_the_floor_is_no_finding(case):
    assert of_kind(replace(case, placebo_floor=2.0)) == []


def test_without_answers_the_spread_decides_and_says_so(case):
    silent = tuple(replace(one, answer=None) for one in case.orders)
    (found,) = of_kind(replace(case, orders=silent))
    assert "was not asked" in found.sentence


def test_one_order_is_not_asked(case):
    assert "order_sensitive" in asked_kinds(case)
    assert "order_sensitive" not in asked_kinds(replace(case, orders=()))
