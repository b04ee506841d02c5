"""Sampling until a question is decided."""

import numpy as np
import pytest

from boresight.explain.shapley import exact_shapley
from boresight.explain.shapley.stopping import attribute_until, look_budgets


class Recorder:
    """A value function that counts what it was asked."""

    def __init__(self, value):
        self.value, self.rows = value, []

    def __call__(self, coalitions):
        self.rows += [row.tobytes() for row in coalitions]
        return self.value(coalitions)


def members(n):
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(bool)


def clear(rows):
    """Player 3 first by far, then 1; the others add little; a small interaction."""
    return rows @ np.array([0.1, 3.0, 0.2, 9.0, 0.3, 0.0, 0.4, 0.05, 0.15, 0.25]) + 0.1 * rows[:, :3].all(
        axis=1
    )


def test_looks_double_from_four_a_player_to_the_cap():
    assert look_budgets(10, 512) == [40, 80, 160, 320, 512]
    assert look_budgets(10, 30) == [30]
    assert look_budgets(5, 1_024) == [20, 32]  # there are no more


@pytest.mark.parametrize(("until", "answer"), [("top1", (3,)), ("warg", (0, 1, 0, 1, 0, 0, 0, 0, 0, 0))])
def test_a_clear_question_is_decided_at_the_first_look(until, answer):
    game = Recorder(clear)
    found = attribute_until(game, 10, until, cap=320)
    assert (found.decided, found.answer, found.looks) == (True, answer, (40,))
    assert found.calls == len(game.rows) == len(set(game.rows)) == 40
    assert found.saved == 280


def test_a_ranking_of_unequal_players_is_decided_before_the_cap():
    game = Recorder(lambda rows: rows @ 2.0 ** np.arange(8))
    found = attribute_until(game, 8, "ranking", cap=200)
    assert (found.decided, found.answer) == (True, (7, 6, 5, 4, 3, 2, 1, 0))


def test_twins_are_not_told_apart_by_sampling():
    noise = np.random.default_rng(0).normal(size=512) * 0.1
    twin = noise[members(10)[:, 1:] @ (1 << np.arange(9))]
    game = Recorder(lambda rows: rows[:, :2].any(axis=1) * 5.0 + twin[rows @ (1 << np.arange(10))])
    found = attribute_until(game, 10, "ranking", cap=300)
    assert (found.decided, found.answer, found.saved) == (False, None, 0)
    assert found.calls == len(game.rows) == len(set(game.rows)) == 300
    assert found.looks == (40, 80, 160, 300)


def test_all_coalitions_decide_every_question():
    table = np.random.default_rng(2).normal(size=32)
    found = attribute_until(lambda rows: table[rows @ (1 << np.arange(5))], 5, "ranking")
    assert found.answer == tuple(np.argsort(-exact_shapley(table)))
    assert found.calls == 32


@pytest.mark.parametrize("until", ["top1", "warg"])
def test_wrong_decisions_are_rare(until, rough_game):
    table = rough_game.sum(axis=1)
    phi = exact_shapley(table)
    truth = {"top1": (int(phi.argmax()),), "warg": tuple((phi > 1.5 / 8 * phi[phi > 0].sum()).astype(int))}[
        until
    ]
    answers = [
        attribute_until(lambda rows: table[rows @ (1 << np.arange(8))], 8, until, cap=128, seed=seed).answer
        for seed in range(100)
    ]
    assert sum(answer not in (None, truth) for answer in answers) <= 5


def test_tokens_are_summed():
    found = attribute_until(lambda rows: np.outer(clear(rows), [0.5, 0.5]), 10, "top1", cap=320)
    assert found.answer == (3,)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"until": "best"}, "unknown question 'best': choose one of top1, ranking, warg"),
        ({"n_players": 0}, "a question about players needs at least one"),
        ({"n_players": 20, "cap": 10_000}, "cap must be at most 4,098 coalitions, got 10,000"),
        ({"cap": 19}, "a budget of 19 is too small for 10 players"),
    ],
)
def test_options_that_cannot_hold_are_refused(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        attribute_until(clear, **{"n_players": 10, "until": "top1", **options})
