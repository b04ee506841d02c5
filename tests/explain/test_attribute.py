"""attribute: the method it chooses, what it asks for, and what it refuses."""

import tracemalloc

import numpy as np
import pytest

import boresight.explain
from boresight.explain.shapley import attribute, shapley


class Recorder:
    """A value function that remembers what it was asked."""

    def __init__(self, value):
        self.value, self.blocks = value, []

    def __call__(self, coalitions):
        self.blocks.append(coalitions.copy())
        return self.value(coalitions)

    @property
    def rows(self):
        return np.concatenate(self.blocks)


def either(coalitions):
    return coalitions[:, :2].any(axis=1).astype(float)


def ragged(coalitions):
    return coalitions @ np.arange(1.0, coalitions.shape[1] + 1) + np.sin(coalitions.sum(axis=1) * 9)


@pytest.mark.parametrize("call", [attribute, shapley])
@pytest.mark.parametrize("n", [2, 6, 10])
def test_auto_is_exact_when_all_coalitions_fit_the_default_budget(call, n):
    found = call(either, n)
    assert (found.method, found.estimand, found.calls, found.n_players) == ("exact", "shapley", 2**n, n)
    assert np.allclose(found.values, [0.5, 0.5, *[0] * (n - 2)], rtol=0, atol=1e-14)
    assert (found.low, found.high) == (None, None)
    assert found.diagnostics["interval"] == "exact: nothing was sampled"


def test_auto_samples_beyond_the_budget():
    assert attribute(ragged, 11).method == "kriging"
    assert attribute(ragged, 4, budget=16).method == "exact"
    assert attribute(ragged, 4, budget=15).method == "kriging"
    assert attribute(ragged, 13, budget=4_100).method == "leverage"


def test_exact_on_demand_goes_beyond_the_default_budget():
    found = attribute(either, 12, method="exact")
    assert (found.calls, found.method) == (4096, "exact")
    assert np.allclose(found.values[:2], 0.5, rtol=0, atol=1e-13)


@pytest.mark.parametrize("n", [3, 8, 50])
@pytest.mark.parametrize("method", ["auto", "leverage", "permutation", "kernel"])
def test_calls_are_the_distinct_coalitions_and_stay_within_the_budget(n, method):
    game = Recorder(ragged)
    found = attribute(game, n, method)
    assert len(game.rows) == len(np.unique(game.rows, axis=0)) == found.calls <= 1024
    assert game.rows.all(axis=1).sum() == 1
    assert (~game.rows.any(axis=1)).sum() == 1
    assert max(map(len, game.blocks)) <= 256


def test_fifty_players_by_default_take_a_thousand_calls_and_have_intervals():
    found = attribute(ragged, 50)
    assert (found.method, found.diagnostics["pairs"]) == ("kriging", 511)
    assert 900 < found.calls <= found.diagnostics["budget"] == 1024
    assert (found.low <= found.values).all()
    assert (found.values <= found.high).all()


def test_fifty_players_and_two_thousand_tokens_take_little_more_memory_than_their_table():
    tracemalloc.start()
    found = attribute(lambda coalitions: np.outer(ragged(coalitions), np.ones(2000)), 50)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.values.shape == (50, 2000)
    assert peak < 5 * found.calls * 2000 * 8


@pytest.mark.parametrize(("n", "budget"), [(5, 32), (12, 200)])
def test_efficiency_is_reported_and_holds_for_each_token(n, budget):
    found = attribute(lambda c: np.stack([ragged(c), -7 * either(c)], axis=1), n, budget=budget)
    everyone, nobody = np.ones((1, n), bool), np.zeros((1, n), bool)
    assert np.allclose(
        found.values.sum(axis=0), [(ragged(everyone) - ragged(nobody))[0], -7], rtol=0, atol=1e-12
    )
    assert 0 <= found.diagnostics["efficiency_gap"] < 1e-12


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize(
    "method", ["auto", "exact", "kriging", "leverage", "permutation", "kernel", "mcshap", "pmcshap", "loo"]
)
def test_no_player_and_one_player_are_games_too(n, method):
    game = Recorder(lambda c: c.sum(axis=1) * 3.0)
    found = attribute(game, n, method)
    assert found.values.tolist() == [3.0][:n]
    assert found.calls == len(game.rows) == 2**n


def test_a_target_without_tokens_gives_no_column():
    assert attribute(lambda c: np.zeros((len(c), 0)), 3).values.shape == (3, 0)


@pytest.mark.parametrize("n", [5, 30])
def test_a_constant_game_gives_zeros(n):
    found = attribute(lambda c: np.full(len(c), 0.1), n)
    assert not found.values.any()


def as_bytes(found):
    return b"".join(part.tobytes() for part in (found.values, found.low, found.high))


def test_a_seed_decides_everything_whatever_else_draws():
    def disturbed(coalitions):
        np.random.seed(len(coalitions))  # noqa: NPY002 (other code that uses the global state)
        np.random.random(3)  # noqa: NPY002
        return ragged(coalitions)

    first = as_bytes(attribute(ragged, 12, seed=3))
    assert as_bytes(attribute(disturbed, 12, seed=3)) == first
    assert as_bytes(attribute(ragged, 12, seed=4)) != first


def test_the_global_state_of_numpy_is_left_alone():
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    attribute(ragged, 12)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_a_value_function_may_scribble_on_what_it_gets_and_reuse_its_buffer():
    buffer = np.empty(256)

    def rude(coalitions):
        out = buffer[: len(coalitions)]
        out[:] = ragged(coalitions)
        coalitions[:] = True
        return out

    assert as_bytes(attribute(rude, 40)) == as_bytes(attribute(ragged, 40))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"n_players": -1}, "n_players must be a whole number, 0 or more, got -1"),
        ({"n_players": 2.0}, "n_players must be a whole number, 0 or more, got 2.0"),
        ({"n_players": True}, "n_players must be a whole number, 0 or more, got True"),
        ({"n_players": 3, "budget": 0}, "budget must be a whole number of coalitions, 1 or more, got 0"),
        ({"n_players": 3, "seed": None}, "seed must be a whole number, got None"),
        (
            {"n_players": 3, "method": "magic"},
            "unknown method 'magic': choose one of auto, exact, kriging, leverage, permutation, kernel",
        ),
        ({"n_players": 21, "method": "exact"}, r"needs all 2\^21 coalitions and the budget is 1,048,576"),
        (
            {"n_players": 4, "method": "exact", "budget": 15},
            r"needs all 2\^4 coalitions and the budget is 15",
        ),
        (
            {"n_players": 8, "budget": 15},
            "a budget of 15 is too small for 8 players: .* at least 16 coalitions",
        ),
        ({"n_players": 600}, "a budget of 1,024 is too small for 600 players: .* at least 1,200 coalitions"),
    ],
)
@pytest.mark.parametrize("call", [attribute, shapley])
def test_options_that_cannot_hold_are_refused_before_anything_is_asked(call, options, sentence):
    game = Recorder(ragged)
    with pytest.raises(ValueError, match=sentence):
        call(game, **options)
    assert not game.blocks


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (lambda _: 1.0, r"must have the shape \(m,\) or \(m, T\), got \(\)"),
        (lambda c: np.zeros((len(c), 1, 1)), r"must have the shape \(m,\) or \(m, T\), got \(4, 1, 1\)"),
        (lambda c: np.zeros(len(c) - 1), r"for 4 coalitions it returned \(3,\)"),
        (lambda c: [[1.0], [1.0, 2.0]] * (len(c) // 2), "as many numbers for each coalition"),
        (lambda c: ["much"] * len(c), "values must be real numbers"),
        (lambda _: None, "values must be real numbers"),
        (lambda c: np.full(len(c), np.nan), "must be finite, got nan in row 0"),
        (lambda c: np.where(c.all(axis=1), -np.inf, 0.0), "must be finite, got -inf in row 3"),
    ],
)
def test_values_that_are_no_game_are_refused(value, sentence):
    with pytest.raises(ValueError, match=sentence):
        attribute(value, 2)


def test_a_number_of_tokens_that_changes_between_calls_is_refused():
    widths = iter([2, 3, 3, 3])
    with pytest.raises(ValueError, match=r"the same T at every call: .* it returned \(256, 3\)"):
        attribute(lambda c: np.zeros((len(c), next(widths))), 10)


def test_the_sub_package_is_not_hidden_by_the_function():
    assert boresight.explain.shapley.shapley is shapley
