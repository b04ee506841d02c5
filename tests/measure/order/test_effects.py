"""Content and position, told apart on numbers that are written down."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.game.orders import context_orders
from boresight.measure.order import effects_of
from boresight.measure.rows import OrderRow
from boresight.stats.random import rng_for

PLAYERS = ("a", "b", "c", "d")


def rows_of(drop, players=PLAYERS, level=lambda _: 0.0, count=None):
    """Orders whose leave-one-out is what ``drop(passage, place)`` says, plus a level of the order."""
    n = len(players)
    orders = context_orders(n, rng_for(0, "t", "orders"))[:count]
    rows = []
    for number, order in enumerate(orders):
        names = tuple(players[place] for place in order)
        lost = {name: drop(name, place) + level(number) for place, name in enumerate(names)}
        rows.append(OrderRow(names, -5.0, {name: -5.0 - lost[name] for name in players}))
    return rows


def values(effects):
    return list(effects.content.values()), list(effects.position)


def test_where_only_the_order_matters_positions_carry_all():
    weights = (4.0, 1.0, 0.0, 3.0)
    content, position = values(effects_of(rows_of(lambda _, place: weights[place]), PLAYERS))
    assert [one.value for one in content] == pytest.approx([0.0] * 4, abs=1e-12)
    assert [one.value for one in position] == pytest.approx([2.0, -1.0, -2.0, 1.0])


def test_where_only_the_passage_matters_positions_are_0():
    worth = {"a": 3.0, "b": 1.0, "c": 0.0, "d": 0.0}
    content, position = values(effects_of(rows_of(lambda name, _: worth[name]), PLAYERS))
    assert [one.value for one in content] == pytest.approx([2.0, 0.0, -1.0, -1.0])
    assert [one.value for one in position] == pytest.approx([0.0] * 4, abs=1e-12)


def test_levels_of_orders_move_no_effect():
    weights = (4.0, 1.0, 0.0, 3.0)
    found = effects_of(rows_of(lambda _, place: weights[place], level=lambda number: 10.0 * number), PLAYERS)
    assert [one.value for one in found.position] == pytest.approx([2.0, -1.0, -2.0, 1.0])


def test_primacy_and_recency_are_the_ends_against_the_middle():
    weights = (4.0, 1.0, 0.0, 3.0)
    found = effects_of(rows_of(lambda _, place: weights[place]), PLAYERS)
    assert found.primacy.value == pytest.approx(4.0 - 0.5)
    assert found.recency.value == pytest.approx(3.0 - 0.5)
    assert found.primacy.low == pytest.approx(3.5)  # no noise, no width
    assert found.primacy.high == pytest.approx(3.5)


def test_two_passages_have_effects_and_no_ends():
    found = effects_of(rows_of(lambda name, place: (name == "a") + 2.0 * place, ("a", "b")), ("a", "b"))
    assert found is None or found.primacy is None


def test_too_few_orders_give_nothing():
    assert effects_of(rows_of(lambda *_: 0.0, count=1), PLAYERS) is None
    assert effects_of(rows_of(lambda *_: 0.0, ("a",)), ("a",)) is None


def test_a_missing_removal_is_an_error():
    row = OrderRow(PLAYERS, -5.0, {"a": -6.0})
    with pytest.raises(ValueError, match="was not scored without b"):
        effects_of([row], PLAYERS)


@given(st.lists(st.floats(-3, 3), min_size=12, max_size=12))
def test_effects_sum_to_0_and_follow_the_drops(numbers):
    worth, weights = dict(zip("abcdef", numbers[:6], strict=True)), numbers[6:]
    players = tuple("abcdef")
    found = effects_of(rows_of(lambda name, place: worth[name] + weights[place], players), players)
    content = np.array([one.value for one in found.content.values()])
    assert content == pytest.approx(np.array(numbers[:6]) - np.mean(numbers[:6]), abs=1e-8)
    assert sum(one.value for one in found.position) == pytest.approx(0.0, abs=1e-8)


def test_the_interval_covers_as_often_as_it_says():
    rng, covered = np.random.default_rng(0), []
    players = tuple("abcdef")
    for _ in range(300):
        found = effects_of(rows_of(lambda name, _: (name == "a") + rng.normal(), players), players)
        one = found.content["a"]
        covered.append(one.low <= 5 / 6 <= one.high)
    assert 0.90 < np.mean(covered) < 0.995
