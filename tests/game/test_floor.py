"""The numeric floor: the same text, other arithmetic."""

import numpy as np
import pytest

from boresight.game.floor import floor_pairs, numeric_floor


def rng():
    return np.random.default_rng(0)


def test_grand_empty_and_six_others_are_scored_twice():
    pairs = floor_pairs(5, rng())
    assert len(pairs) == 7
    assert pairs[0].coalition == "11111"
    assert {pair.companion for pair in pairs} == {"00000"}
    assert {abs(2 * pair.coalition.count("1") - 5) for pair in pairs[1:]} == {1}


@pytest.mark.parametrize(("n", "coalitions"), [(1, 2), (2, 4), (3, 8)])
def test_small_games_use_all_their_coalitions(n, coalitions):
    pairs = floor_pairs(n, rng())
    assert len({name for pair in pairs for name in (pair.coalition, pair.companion)}) == coalitions


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
