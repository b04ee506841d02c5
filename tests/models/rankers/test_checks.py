import pytest

from boresight.models.rankers.checks import (
    agreement,
    injection_check,
    order_check,
    reason_check,
    repeatability,
)
from boresight.models.rankers.llm.listwise import FirstTokenRanker
from boresight.models.rankers.llm.pointwise import YesNoRanker
from llm_rankers import TableGenerator

WORTH = {"a": 0.5, "b": 2.0, "c": -1.0, "d": 1.0}
TEXTS = {key: f"Text of {key}." for key in WORTH}


class Counts:
    """Scores a passage by how often it says "gold"."""

    name = "counts"

    def describe(self):
        return {"kind": "counts"}

    def score(self, query, passages):
        return {key: float(text.count("gold")) for key, text in passages.items()}


def test_agreement_by_hand():
    assert agreement(["abc", "abc"]) == 1
    assert agreement(["abc", "cba"]) == -1
    assert agreement(["abc", "acb", "abc"]) == pytest.approx((1 / 3 + 1 + 1 / 3) / 3)
    assert agreement(["abc"]) is None
    assert agreement(["a", "a"]) is None


def test_a_ranker_that_looks_at_texts_alone_has_no_position_bias():
    found = order_check(YesNoRanker(TableGenerator(WORTH)), "which?", TEXTS, repeats=6)
    assert found.agreement == 1
    assert found.drift == pytest.approx(0)  # an order and its reverse cancel
    assert len(found.orders) == len(found.rankings) == 6
    assert sum(found.first_place) == pytest.approx(1)


def test_a_ranker_that_prefers_the_front_is_found_out():
    biased = FirstTokenRanker(TableGenerator(WORTH, place_bonus=(90, 60, 30, 0)), calibrated=False)
    found = order_check(biased, "which?", TEXTS, repeats=4, seed=1)
    assert found.first_place == (1, 0, 0, 0)
    assert found.drift == 1
    assert found.agreement < 0.5


def test_orders_come_from_the_seed():
    ranker = YesNoRanker(TableGenerator(WORTH))
    first, again, other = (order_check(ranker, "which?", TEXTS, seed=seed).orders for seed in (3, 3, 4))
    assert first == again != other


def test_orders_of_one_passage_say_nothing():
    found = order_check(Counts(), "which?", {"a": "gold"})
    assert (found.agreement, found.drift) == (None, None)


def test_repeatability_over_windows():
    worth = {f"p{place}": float(place) for place in range(7)}
    texts = dict.fromkeys(worth, "text")
    wide, narrow = (
        FirstTokenRanker(TableGenerator(worth), calibrated=False, window=window, step=1) for window in (7, 2)
    )
    assert repeatability([wide], "which?", texts) == 1
    assert repeatability([wide, narrow], "which?", texts, times=1) < 1


def test_an_instruction_that_is_obeyed_moves_its_passage():
    obedient = YesNoRanker(TableGenerator(WORTH, obeys=9.0))
    found = injection_check(obedient, "which?", TEXTS)
    assert (found.passage, found.before, found.control, found.after) == ("c", 3, 3, 0)
    assert found.obeyed


def test_an_instruction_that_is_ignored_moves_nothing():
    found = injection_check(YesNoRanker(TableGenerator(WORTH)), "which?", TEXTS, "a")
    assert (found.before, found.control, found.after) == (2, 2, 2)
    assert not found.obeyed


def test_a_reason_holds_when_removing_its_span_costs_more_than_chance():
    texts = {"a": "There is gold in the hills and nothing else at all.", "b": "gold gold", "c": ""}
    start = texts["a"].index("gold")
    found = reason_check(Counts(), "which?", texts, "a", (start, start + 4))
    assert (found.drop, found.random_drop) == (1.0, 0.0)
    assert (found.before, found.after) == (1, 1)
    assert found.holds
    wrong = reason_check(Counts(), "which?", texts, "a", (0, 5))
    assert not wrong.holds


def test_a_reason_that_is_the_whole_passage_has_no_control():
    found = reason_check(Counts(), "which?", {"a": "gold", "b": ""}, "a", (0, 4))
    assert found.random_drop is None
    assert found.holds
