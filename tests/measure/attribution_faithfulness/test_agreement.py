"""The linear score, agreement of methods, and attributions under random weights."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from boresight.measure.attribution_faithfulness import (
    Lattice,
    fresh_coalitions,
    lattice_of,
    linear_datamodelling_score,
    randomised_weights,
    rank_agreement,
    same_top,
)
from boresight.measure.registry import parse


def test_an_additive_game_is_predicted_in_full(weighted):
    assert parse("linear_datamodelling_score").compute(weighted).value == pytest.approx(1.0)


def test_the_score_is_the_rank_correlation_of_predicted_and_true_values(play):
    game = play(3, lambda present: -float({"a", "b"} <= present) + ("c" in present) / 4)
    values = lattice_of(game).values
    predicted = [sum(game.attribution[p] for i, p in enumerate("abc") if mask >> i & 1) for mask in range(8)]
    expected = spearmanr(np.round(predicted, 9), values).statistic
    assert parse("linear_datamodelling_score").compute(game).value == pytest.approx(expected)


def test_fresh_coalitions_are_seeded_and_not_those_of_the_design():
    used = {0, 1, 2, 15}
    drawn = fresh_coalitions(4, used, 6, np.random.default_rng(1))
    assert len(set(drawn.tolist())) == 6
    assert not set(drawn.tolist()) & used
    assert (drawn == fresh_coalitions(4, used, 6, np.random.default_rng(1))).all()
    assert len(fresh_coalitions(4, used, 99, np.random.default_rng(1))) == 12


def test_too_few_fresh_coalitions_say_nothing():
    lattice = Lattice(("a", "b"), np.arange(4.0))
    found = linear_datamodelling_score({"a": 1.0, "b": 2.0}, lattice, np.array([1, 2, 3]))
    assert found.reason == "there are only 3 fresh coalitions, 4 are needed"


@pytest.mark.parametrize(
    ("attribution", "values", "reason"),
    [
        ((0.0, 0.0), np.arange(4.0), "predict the same value"),
        ((1.0, 2.0), np.ones(4), "no coalition changes"),
    ],
)
def test_a_side_without_ranks_has_no_score(attribution, values, reason):
    named = dict(zip("ab", attribution, strict=True))
    found = linear_datamodelling_score(named, Lattice(("a", "b"), values), np.arange(4))
    assert reason in found.reason


def test_methods_agree_on_an_additive_game(weighted):
    for other in ("leave_one_out", "alone", "banzhaf"):
        assert parse(f"agreement_{other}").compute(weighted).value == pytest.approx(1.0)
        top = parse(f"same_top_{other}").compute(weighted)
        assert (top.value, top.chance) == (1.0, pytest.approx(1 / 3))


def test_leave_one_out_misses_twins_that_shapley_values_name(play):
    """a and b stand in for each other: leave-one-out gives both 0 and puts c first."""
    game = play(3, lambda present: 4.0 * bool(present & {"a", "b"}) + ("c" in present))
    found = parse("agreement_leave_one_out").compute(game)
    assert found.value == pytest.approx(-1.0)
    assert parse("same_top_leave_one_out").compute(game).value == 0.0
    assert parse("same_top_alone").compute(game).value == pytest.approx(0.5)


def test_a_sampled_trace_agrees_with_what_was_scored(play):
    rows = ["000", "111", "011", "101", "110"]
    game = play(3, lambda present: float("a" in present) + 0.5 * ("b" in present), only=rows)
    assert parse("agreement_leave_one_out").compute(game).value == pytest.approx(1.0)
    assert "alone was not scored" in parse("agreement_alone").compute(game).reason
    assert "was sampled" in parse("agreement_banzhaf").compute(game).reason


def test_a_method_that_tells_no_passage_from_another_has_no_order():
    found = rank_agreement({"a": 0.0, "b": 0.0}, {"a": 1.0, "b": 2.0})
    assert found.reason == "one method gives every passage the same"
    assert rank_agreement({"a": 1.0, "b": 2.0}, {"a": 0.0, "b": 0.0}).state == "undefined"
    assert rank_agreement({"a": 1.0}, {"a": 0.0}).reason == "there is only one passage"
    assert same_top({"a": 0.0, "b": 0.0}, {"a": 1.0, "b": 2.0}).value == pytest.approx(0.5)


def test_attributions_that_stay_under_random_weights_fail_the_check():
    trained = {"a": 3.0, "b": 2.0, "c": 1.0}
    assert randomised_weights(trained, trained).value == pytest.approx(1.0)
    assert randomised_weights(trained, {"a": 1.0, "b": 2.0, "c": 3.0}).value == pytest.approx(-1.0)
    assert randomised_weights({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 2.0}).state == "undefined"
    with pytest.raises(ValueError, match="same passages"):
        randomised_weights(trained, {"a": 1.0, "b": 2.0, "d": 3.0})
