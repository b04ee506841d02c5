"""The numeric floor: the same text, other arithmetic."""

import numpy as np
import pytest

from boresight.game.floor import CLOSED_BOOK, floor_pairs, numeric_floor


def rng():
    return np.random.default_rng(0)


def test_grand_empty_and_six_others_are_scored_twice():
    pairs = floor_pairs(5, rng(), closed_book=True)
    assert len(pairs) == 8
    assert pairs[0].coalition == "11111"
    assert (pairs[-1].coalition, pairs[-1].companion) == ("00000", CLOSED_BOOK)
    assert {pair.companion for pair in pairs[:-1]} == {"00000"}


@pytest.mark.parametrize(("n", "coalitions"), [(1, 2), (2, 4), (3, 8)])
def test_small_games_use_all_their_coalitions(n, coalitions):
    pairs = floor_pairs(n, rng(), closed_book=True)
    assert len({pair.coalition for pair in pairs}) == coalitions


def test_the_floor_is_the_largest_difference_of_the_summed_value():
    alone = {"11": np.float32([-1, -1]), "00": np.float32([-2, -2])}
    together = [("11", np.float32([-1.25, -0.875])), ("00", np.float32([-2, -2.0625]))]
    assert numeric_floor(alone, together, "nats") == pytest.approx(0.125)


def test_differences_that_cancel_over_tokens_do_not_count():
    alone = {"1": np.float32([-1, -1])}
    assert numeric_floor(alone, [("1", np.float32([-1.5, -0.5]))], "nats") == 0


def test_the_floor_on_the_probability_scale():
    alone, together = {"1": np.log(np.float32([0.5]))}, [("1", np.log(np.float32([0.25])))]
    assert numeric_floor(alone, together, "probability") == pytest.approx(0.25, abs=1e-6)
