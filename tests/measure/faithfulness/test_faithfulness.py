import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.measure.faithfulness import (
    FAITHFULNESS,
    CurveNeeds,
    Curves,
    aipc,
    comprehensiveness,
    comprehensiveness_over_random,
    counts,
    needs_of,
    randomised_weights,
    removals,
    sufficiency,
    sufficiency_over_random,
)

WEIGHTS = np.array([4.0, 3.0, 2.0, 1.0])
ALL = needs_of(FAITHFULNESS)


def curves_of(values, weights=WEIGHTS, needs=ALL):
    """Curves of an additive score: the sum of the weights of the tokens that stay."""
    kept = removals(np.asarray(values, float), needs, 0, "t")
    scores = {name: rows @ weights for name, rows in kept.items()}
    return Curves(len(values), counts(len(values), needs.steps), scores)


def test_a_perfect_saliency_of_an_additive_score_by_hand():
    # most first: 10 6 3 1 0; least first: 10 9 7 4 0, over steps of a quarter, on the scale 0 to 10
    found = curves_of(WEIGHTS)
    assert found.of("most").tolist() == [10, 6, 3, 1, 0]
    assert found.of("least").tolist() == [10, 9, 7, 4, 0]
    assert aipc(found).value == pytest.approx((3 + 4 + 3) / 4 / 10)


def test_an_inverted_saliency_is_worse_than_random():
    assert aipc(curves_of(-WEIGHTS)).value == pytest.approx(-0.25)


def test_comprehensiveness_and_sufficiency_by_hand():
    # tops of one and two tokens: without them the score falls by 4 and 7; alone they keep 4 and 7 of 10
    found = curves_of(WEIGHTS)
    assert comprehensiveness(found).value == pytest.approx((4 + 7) / 2)
    assert sufficiency(found).value == pytest.approx((6 + 3) / 2)


def test_the_control_is_what_random_tokens_do():
    rows = {"most": [10, 6, 3, 1, 0], "least": [10, 9, 7, 4, 0], "random:0": [10, 8, 5, 2, 0]}
    flat = Curves(4, np.arange(5), {name: np.array(row, float) for name, row in rows.items()})
    assert comprehensiveness_over_random(flat).value == pytest.approx(5.5 - (2 + 5) / 2)
    # random tops of one and two alone: the scores where three and two were removed, 2 and 5
    assert sufficiency_over_random(flat).value == pytest.approx((8 + 5) / 2 - 4.5)


def test_random_values_give_about_zero():
    rng = np.random.default_rng(0)
    found = [aipc(curves_of(rng.normal(size=12), rng.random(12))).value for _ in range(400)]
    assert abs(np.mean(found)) < 0.02


def test_absent_curves_and_constant_scores_are_undefined_with_a_reason():
    only = curves_of(WEIGHTS, needs=CurveNeeds(most=True))
    assert aipc(only).reason == "the removal of tokens in the order 'least' was not scored"
    assert "without a control" in comprehensiveness_over_random(only).reason
    assert aipc(curves_of(WEIGHTS, np.zeros(4))).reason == "removing tokens changes no score"
    assert comprehensiveness(curves_of([1.0], np.ones(1))).reason.startswith("the text has fewer than two")


@given(st.integers(0, 60), st.integers(1, 20))
def test_points_rise_from_none_to_all_and_lie_symmetrically(tokens, steps):
    points = counts(tokens, steps)
    assert points[0] == 0
    assert points[-1] == tokens
    assert (np.diff(points) > 0).all()
    assert np.array_equal(points, (tokens - points)[::-1])


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=25))
def test_removals_keep_all_then_less_then_none_and_repeat(values):
    kept = removals(np.array(values), ALL, 5, "trace")
    again = removals(np.array(values), ALL, 5, "trace")
    for name, rows in kept.items():
        assert rows[0].all()
        assert not rows[-1].any()
        assert (rows[1:] <= rows[:-1]).all()
        assert np.array_equal(rows, again[name])


def test_needs_are_joined_and_say_what_they_cost():
    assert CurveNeeds(most=True, least=True, random=3) == ALL
    assert ALL.orders == ("most", "least", "random:0", "random:1", "random:2")
    assert ALL.evaluations(100) == 5 * 9 + 2
    assert CurveNeeds(most=True).evaluations(0) == 1
    with pytest.raises(ValueError, match="cannot be read together"):
        _ = CurveNeeds(steps=5) | CurveNeeds(steps=10)


def test_a_curve_with_nan_is_refused():
    with pytest.raises(ValueError, match="needs 2 finite scores"):
        Curves(1, np.array([0, 1]), {"most": np.array([1.0, np.nan])})


def test_the_sanity_check_is_a_rank_correlation_of_sizes():
    trained = np.array([1.0, -3.0, 2.0])
    assert randomised_weights(trained, np.array([-10.0, 30.0, 20.0])).value == pytest.approx(1)
    assert randomised_weights(trained, np.array([3.0, 1.0, 2.0])).value == pytest.approx(-1)
    assert randomised_weights(trained, np.ones(3)).state == "undefined"
    assert randomised_weights(trained[:2], trained[:2]).reason == "the text has fewer than 3 tokens"
    with pytest.raises(ValueError, match="one shape"):
        randomised_weights(trained, trained[:2])


def test_declarations_are_complete_and_named_once():
    names = [measure.name for measure in FAITHFULNESS]
    assert len(names) == len(set(names)) == 5
    for measure in FAITHFULNESS:
        assert measure.compute(curves_of(WEIGHTS)).is_defined
        assert measure.formula
        assert measure.source
