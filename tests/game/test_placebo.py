"""The placebo is an honest outsider among the players."""

import numpy as np
import pytest

from boresight.explain.shapley import exact_shapley
from boresight.game.coalitions import all_coalitions
from boresight.game.placebo import (
    CANDIDATES,
    candidates,
    placebo_attribution,
    placebo_coalitions,
    placebo_orders,
    with_placebo,
)
from boresight.trace import trace_from_dict
from helpers import make_trace


def rng():
    return np.random.default_rng(3)


def traces(count):
    made = [make_trace(f"t{index}") for index in range(count)]
    for index, trace in enumerate(made):
        for passage in trace["passages"]:
            passage["text"] += f" of {index}"
    return [trace_from_dict(trace) for trace in made]


def test_candidates_come_from_other_traces_only():
    own, *others = traces(4)
    assert {other.id for other, _ in candidates(own, [own, *others], rng())} == {"t1", "t2", "t3"}


def test_a_text_that_the_trace_holds_itself_is_no_placebo():
    own = traces(1)[0]
    twin = trace_from_dict(
        make_trace("u", ("a",)) | {"passages": [{"id": "x", "text": own.passages[0].text}]}
    )
    assert candidates(own, [twin], rng()) == []


def test_candidates_are_bounded():
    own, *others = traces(CANDIDATES + 20)
    assert len(candidates(own, others, rng())) == CANDIDATES


def test_the_placebo_stands_last_under_an_id_of_its_own():
    own, other = traces(2)
    joined = with_placebo(own, other.passages[0])
    assert joined.context == (*own.context, "placebo")
    assert joined.passage("placebo").text == other.passages[0].text
    assert with_placebo(joined, other.passages[1]).context[-1] == "placebo'"


def test_the_exact_value_is_the_last_shapley_value_of_the_larger_game():
    n, values = 3, np.random.default_rng(0).normal(size=16).astype(np.float32)
    rows = {name: values[mask : mask + 1] for mask, name in enumerate(all_coalitions(n + 1))}
    own = {name[:n]: row for name, row in rows.items() if name[n] == "0"}
    joined = {name: row for name, row in rows.items() if name in placebo_coalitions(n, None)}
    expected = exact_shapley(values.astype(float))[n]
    assert placebo_attribution(own, joined, n, None, "nats") == pytest.approx(expected)


def test_a_sampled_placebo_that_adds_a_constant_has_that_value():
    n, orders = 4, [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]]
    joined = {
        name: np.float32([-0.75 if name.endswith("1") else -1.0]) for name in placebo_coalitions(n, orders)
    }
    assert placebo_attribution({}, joined, n, orders, "nats") == 0.25
    assert {name.count("1") for name in joined if name[-1] == "1"} == {1, 3, 5}  # alone, in the middle, last


def test_orders_of_entry_come_with_their_reverses():
    orders = placebo_orders(6, np.random.default_rng(0))
    assert len(orders) == 8
    assert orders[4:] == [order[::-1] for order in orders[:4]]
    assert all(sorted(order) == list(range(6)) for order in orders)
