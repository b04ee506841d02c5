"""The base definitions, by hand."""

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.measure import utility
from boresight.outcome import Measure

USED = {"a": 3.0, "b": 1.0, "c": -2.0, "d": 0.0}


def values(measures):
    return {passage: measure.value for passage, measure in measures.items()}


def test_a_share_is_that_of_the_positive_attributions():
    assert values(utility.share(USED)) == {"a": 0.75, "b": 0.25, "c": 0.0, "d": 0.0}


def test_without_a_positive_attribution_no_share_is_defined():
    nothing = Measure.undefined("no passage has a positive attribution")
    assert utility.share({"a": 0.0, "b": -1.0}) == {"a": nothing, "b": nothing}
    assert utility.effective_passages({"a": 0.0, "b": -1.0}) == nothing


def test_harm_is_what_a_passage_costs():
    assert values(utility.harm(USED)) == {"a": 0.0, "b": 0.0, "c": 2.0, "d": 0.0}
    assert utility.total_harm({"a": -1.5, "b": -0.25, "c": 9.0}).value == 1.75


def test_nothing_harmful_is_plain_zero():
    assert math.copysign(1, utility.total_harm({"a": 0.0}).value) == 1
    assert math.copysign(1, utility.harm({"a": 0.0})["a"].value) == 1


def test_effective_passages_count_even_use():
    assert utility.effective_passages({"a": 2.0, "b": 2.0, "c": 2.0, "d": -1.0}).value == pytest.approx(3.0)
    assert utility.effective_passages({"a": 5.0, "b": 0.0}).value == 1.0
    assert utility.effective_passages(USED).value == pytest.approx(1 / (0.75**2 + 0.25**2))


@given(st.dictionaries(st.text(max_size=3), st.floats(-1e300, 1e300), min_size=1, max_size=8))
def test_shares_sum_to_one_and_effective_passages_lie_between_one_and_all(attribution):
    shares = utility.positive_shares(attribution)
    if shares is None:
        assert max(attribution.values()) <= 0
    else:
        assert math.fsum(shares.values()) == pytest.approx(1.0)
        assert 1 - 1e-9 <= utility.effective_passages(attribution).value <= len(attribution) + 1e-9


def test_shares_of_numbers_at_the_ends_of_the_floats_stay_finite():
    assert values(utility.share({"a": 1e308, "b": 1e308, "c": -1e308})) == {"a": 0.5, "b": 0.5, "c": 0.0}
    assert values(utility.share({"a": 5e-324, "b": -1e308})) == {"a": 1.0, "b": 0.0}


def test_leaving_one_out_is_the_fall_from_the_full_context():
    found = utility.leave_one_out(-1.0, {"a": -3.0, "b": -0.5}, ("a", "b"))
    assert values(found) == {"a": 2.0, "b": -0.5}


def test_the_gain_of_a_passage_is_over_the_closed_book():
    assert values(utility.gain({"a": -1.0, "b": -4.0}, -3.0, ("a", "b"))) == {"a": 2.0, "b": -1.0}


def test_a_row_that_was_not_scored_undefines_its_passage_alone():
    left = utility.leave_one_out(-1.0, {"a": -3.0}, ("a", "b"))
    alone = utility.gain({"b": 0.0}, -3.0, ("a", "b"))
    assert left["a"].value == 2.0
    assert left["b"] == Measure.undefined("the prompt without this passage was not scored")
    assert alone["a"] == Measure.undefined("the prompt with this passage alone was not scored")
    assert alone["b"].value == 3.0


def test_the_context_is_compared_with_the_closed_book_and_with_the_empty_coalition():
    assert utility.context_gain(-1.0, -3.0).value == 2.0
    assert utility.context_effect(-1.0, -5.0).value == 4.0


def test_the_toy_world_shares_ln_9_and_gains_nothing(toy):
    """The attributions are first enumerated from the rows: every order, each passage's step."""
    players = toy.players
    steps = dict.fromkeys(players, 0.0)
    for order in permutations(players):
        steps[order[0]] += (toy.grand - toy.empty) / 6  # only the first passage of an order changes the value
    for passage in players:
        assert toy.attribution[passage] == pytest.approx(steps[passage], abs=1e-12)
    assert math.fsum(toy.attribution.values()) == pytest.approx(math.log(9), abs=1e-12)
    assert utility.context_effect(toy.grand, toy.empty).value == pytest.approx(math.log(9), abs=1e-12)
    assert utility.context_gain(toy.grand, toy.closed_book).value == 0.0
    assert utility.effective_passages(toy.attribution).value == pytest.approx(3.0)
    assert values(utility.gain(toy.singletons, toy.closed_book, players)) == dict.fromkeys(players, 0.0)
    assert values(utility.leave_one_out(toy.grand, toy.without, players)) == dict.fromkeys(players, 0.0)
