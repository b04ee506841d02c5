import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import SpecError
from boresight.models.rankers.llm.listwise import FirstTokenRanker
from boresight.models.rankers.llm.pairwise import Comparisons, Pair, PairwiseRanker
from boresight.models.rankers.llm.pointwise import QueryLikelihoodRanker, YesNoRanker
from boresight.models.rankers.llm.setwise import SetwiseRanker
from boresight.models.rankers.seam import Ranker, ranking
from llm_rankers import TableGenerator

WORTH = {"a": 0.5, "b": 2.0, "c": -1.0, "d": 1.0}
TEXTS = {key: f"Text of {key}." for key in WORTH}
BEST_FIRST = ("b", "d", "a", "c")
KINDS = (YesNoRanker, QueryLikelihoodRanker, PairwiseRanker, SetwiseRanker, FirstTokenRanker)


@pytest.mark.parametrize("kind", KINDS)
def test_every_method_ranks_by_worth_and_describes_itself(kind):
    ranker = kind(TableGenerator(WORTH))
    scores = ranker.score("which?", TEXTS)
    assert list(scores) == list(TEXTS)
    assert ranking(scores) == BEST_FIRST
    assert isinstance(ranker, Ranker)
    assert json.dumps(ranker.describe(), allow_nan=False)


@pytest.mark.parametrize("kind", KINDS)
def test_no_passage_and_one_passage_are_ranked(kind):
    ranker = kind(TableGenerator(WORTH))
    assert ranker.score("which?", {}) == {}
    assert list(ranker.score("which?", {"a": ""})) == ["a"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_generator_that_scores_no_text_is_refused(kind):
    with pytest.raises(SpecError, match="log-probabilities of given text"):
        kind(TableGenerator(WORTH, scores_text=False))


def test_yes_against_no_is_log_odds():
    scores = YesNoRanker(TableGenerator(WORTH)).score("which?", TEXTS)
    assert scores == pytest.approx(WORTH, abs=1e-5)


def test_query_likelihood_is_a_mean_over_the_tokens_of_the_query():
    scores = QueryLikelihoodRanker(TableGenerator(WORTH)).score("which one is it", TEXTS)
    assert scores == pytest.approx({key: value - 10 for key, value in WORTH.items()}, abs=1e-5)


def test_answers_that_begin_alike_are_refused():
    generator = TableGenerator(WORTH)
    generator.encode_target = lambda trace, text, end=False: ((7,), ((0, 1),))
    with pytest.raises(SpecError, match="'Yes' and 'No' begin with the same token"):
        YesNoRanker(generator)


def test_pairs_are_asked_in_both_orders():
    generator = TableGenerator(WORTH)
    found = PairwiseRanker(generator).compare("which?", TEXTS)
    assert len(generator.asked) == 4 * 3
    assert found.scores == {"a": 1.0, "b": 3.0, "c": 0.0, "d": 2.0}
    assert (found.order_flips, found.triads, found.intransitive_triads) == (0, 4, 0)
    assert found.pairs[0].first == pytest.approx(0.5 - 2.0, abs=1e-5)
    assert found.pairs[0].place_effect == pytest.approx(0, abs=1e-5)


def test_a_model_that_chooses_by_place_flips_and_wins_nothing():
    found = PairwiseRanker(TableGenerator(WORTH, place_bonus=(9.0,))).compare("which?", TEXTS)
    assert found.order_flips == 6
    assert set(found.scores.values()) == {1.5}
    assert found.triads == 0
    assert found.pairs[0].place_effect == pytest.approx(9.0, abs=1e-4)


def test_a_circle_of_three_is_an_intransitive_triad():
    pairs = (Pair("a", "b", 1, 1), Pair("a", "c", -1, -1), Pair("b", "c", 1, 1), Pair("a", "d", 1, 1))
    found = Comparisons(("a", "b", "c", "d"), (*pairs, Pair("b", "d", 1, 1), Pair("c", "d", 1, -1)))
    assert (found.triads, found.intransitive_triads) == (
        2,
        1,
    )  # abc in a circle, abd not, the others undecided
    assert found.order_flips == 1
    assert found.scores == {"a": 2.0, "b": 2.0, "c": 1.5, "d": 0.5}


@given(st.lists(st.integers(-9, 9), unique=True, max_size=9), st.integers(2, 5))
def test_setwise_sorts_like_sorted_for_a_model_that_is_sure(values, size):
    worth = {f"p{value}": float(value) for value in values}
    found = SetwiseRanker(TableGenerator(worth), size=size).sort("which?", dict.fromkeys(worth, "text"))
    assert found.ranking == tuple(sorted(worth, key=lambda key: -worth[key]))


def test_setwise_margins_are_the_lead_of_the_choice():
    found = SetwiseRanker(TableGenerator(WORTH), size=4).sort("which?", TEXTS)
    assert found.choices[0].passages == ("a", "b", "c", "d")
    assert found.choices[0].best == "b"
    assert found.choices[0].margin == pytest.approx(2.0 - 1.0, abs=1e-5)
    assert 0 < found.smallest_margin <= 1.0 + 1e-5


def test_a_set_of_one_or_of_too_many_is_refused():
    for size in (1, 27):
        with pytest.raises(SpecError, match="a set holds 2 to 26 passages"):
            SetwiseRanker(TableGenerator(WORTH), size=size)


def test_first_tokens_without_calibration_are_swayed_by_letters_and_with_it_are_not():
    habits = {"C": 5.0, "A": 1.0}
    swayed = FirstTokenRanker(TableGenerator(WORTH, letter_bonus=habits), calibrated=False)
    assert ranking(swayed.score("which?", TEXTS))[0] == "c"
    calibrated = FirstTokenRanker(TableGenerator(WORTH, letter_bonus=habits))
    assert ranking(calibrated.score("which?", TEXTS)) == BEST_FIRST


def test_windows_move_from_the_end_and_carry_the_best_forward():
    worth = {f"p{place}": float(place) for place in range(7)}
    generator = TableGenerator(worth)
    scores = FirstTokenRanker(generator, calibrated=False, window=3, step=2).score(
        "which?", dict.fromkeys(worth, "text")
    )
    windows = [[s.player for s in request.segments if s.player] for request in generator.asked]
    assert windows == [["p4", "p5", "p6"], ["p2", "p3", "p6"], ["p0", "p1", "p6"]]
    assert ranking(scores)[0] == "p6"
    assert sorted(scores.values()) == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("wrong", [{"window": 1}, {"window": 27}, {"step": 0}, {"step": 21}])
def test_windows_out_of_range_are_refused(wrong):
    with pytest.raises(SpecError, match="a window holds 2 to 26 passages"):
        FirstTokenRanker(TableGenerator(WORTH), **wrong)
