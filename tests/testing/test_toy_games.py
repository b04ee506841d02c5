import math
from itertools import permutations

import numpy as np
import pytest

from boresight.models.fake import FakeGenerator
from boresight.testing.toy_games import (
    additive,
    all_coalitions,
    any_helps,
    constant,
    duplicate_pair,
    fake_table,
    game_table,
    harmful,
    subsets,
    two_hop,
)

GAMES = [
    additive((1.0, -2.0, 0.5)),
    constant(3, 4.0),
    duplicate_pair(4),
    two_hop(4, 2.0),
    harmful(3),
    any_helps(4),
]


def shapley_by_permutations(game):
    """The definition, with no shortcut: the mean marginal value over all orders of arrival."""
    orders = list(permutations(range(game.players)))
    total = np.zeros(game.players)
    for order in orders:
        inside = np.zeros((1, game.players), dtype=bool)
        for player in order:
            before = game.value(inside)[0]
            inside[0, player] = True
            total[player] += game.value(inside)[0] - before
    return total / len(orders)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_stated_shapley_values_are_those_of_the_definition(game):
    assert shapley_by_permutations(game) == pytest.approx(game.shapley, abs=1e-12)


@pytest.mark.parametrize("make", [duplicate_pair, two_hop, harmful])
def test_a_game_about_a_pair_needs_two_players(make):
    with pytest.raises(ValueError, match="at least two"):
        make(1)


def test_coalitions_are_listed_once_from_empty_to_grand():
    found = all_coalitions(3)
    assert found.shape == (8, 3)
    assert len({tuple(row) for row in found}) == 8
    assert not found[0].any()
    assert found[-1].all()


def test_subsets_are_listed_once_smallest_first():
    assert subsets("ab") == [(), ("a",), ("b",), ("a", "b")]


def test_a_table_entry_joins_ids_as_a_fake_file_does():
    entry = fake_table(
        "yes", {("b", "a"): [-1.0], (): [-2.0]}, closed_book=[-3.0], orders={("b", "a"): [-4.0]}, window=9
    )
    assert entry == {
        "answer": "yes",
        "values": {"a,b": [-1.0], "": [-2.0]},
        "closed_book": [-3.0],
        "orders": {"b,a": [-4.0]},
        "window": 9,
    }


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_game_table_is_one_that_a_fake_accepts_and_keeps_all_differences(game):
    passages = [f"p{index}" for index in range(game.players)]
    table = game_table(game, passages)
    FakeGenerator({"*": table})
    grand, empty = (table["values"][key][0] for key in (",".join(passages), ""))
    assert grand - empty == pytest.approx(sum(game.shapley))


def test_a_game_table_can_start_from_a_given_value():
    table = game_table(any_helps(2, math.log(9)), ["a", "b"], base=math.log(0.1), closed_book=math.log(0.9))
    assert math.exp(table["values"][""][0]) == pytest.approx(0.1)
    assert math.exp(table["values"]["a,b"][0]) == pytest.approx(0.9)
    assert math.exp(table["closed_book"][0]) == pytest.approx(0.9)


def test_a_game_table_refuses_what_is_no_log_probability():
    with pytest.raises(ValueError, match="positive"):
        game_table(any_helps(2), ["a", "b"], base=-0.5)
    with pytest.raises(ValueError, match="got 1 passages"):
        game_table(any_helps(2), ["a"])
