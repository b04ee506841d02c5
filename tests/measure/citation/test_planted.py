"""Statements planted into passages that do not support them."""

import pytest

from boresight.measure.citation import claims_of
from boresight.measure.citation.planted import Planting, judge, planted, plantings, rates, statement_of
from boresight.stats.random import rng_for
from boresight.trace import Passage, trace_from_dict

ANSWER = "She was born in Warsaw [1]. She died in Passy [2]. It is known."


@pytest.fixture
def trace():
    passages = [{"id": name, "text": f"Text of {name}."} for name in "abc"]
    return trace_from_dict({"id": "t", "query": "Where?", "passages": passages, "answer": ANSWER})


def test_each_cited_sentence_meets_each_kind_of_host(trace):
    found = list(plantings(trace, ANSWER, 3, rng_for(0, "t", "test"), stranger=True))
    assert [(one.sentence, one.condition, one.host) for one in found] == [
        (1, "random", "forged"), (1, "uncited", "c"), (1, "other", "b"),
        (2, "random", "forged"), (2, "uncited", "c"), (2, "other", "a"),
    ]  # fmt: skip
    assert {one.statement for one in found} == {"She was born in Warsaw.", "She died in Passy."}


def test_a_condition_without_host_is_absent(trace):
    found = list(plantings(trace, "Only a [1].", 3, rng_for(0, "t", "test"), stranger=False))
    assert {one.condition for one in found} == {"uncited"}


def test_a_statement_keeps_its_words_and_loses_its_markers():
    text = "Both [1] and so [2, 3] it is."
    (claim,) = claims_of(text, ("a", "b", "c"))
    assert statement_of(text, claim) == "Both and so it is."


def test_the_host_holds_the_statement_and_the_answer_is_open(trace):
    forged = planted(trace, Planting("t", 1, "uncited", "c", "She was born in Warsaw."))
    assert forged.passage("c").text == "Text of c. She was born in Warsaw."
    assert forged.answer is None
    assert forged.context == ("a", "b", "c")


def test_a_stranger_stands_last_under_an_id_of_its_own(trace):
    planting = Planting("t", 1, "random", "forged", "She was born in Warsaw.")
    forged = planted(trace, planting, Passage("x", "A stranger."))
    assert forged.context == ("a", "b", "c", "forged")
    assert forged.passage("forged").text == "A stranger. She was born in Warsaw."
    with pytest.raises(ValueError, match="another trace"):
        planted(trace, planting)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("She was born in Warsaw [3].", "post_rationalised"),
        ("Indeed she was born in Warsaw [1, 3].", "post_rationalised"),
        ("She was born in Warsaw [1].", "not"),
        ("She was born in Warsaw.", "not"),
        ("I do not know. [3]", "indeterminate"),
        ("She died in Passy [3].", "indeterminate"),
        ("", "indeterminate"),
    ],
)
def test_a_new_answer_is_judged_by_the_sentence_that_repeats_the_statement(answer, label):
    assert (
        judge(answer, ("a", "b", "c"), Planting("t", 1, "uncited", "c", "She was born in Warsaw.")) == label
    )


def test_indeterminate_cases_are_in_no_rate():
    labels = ["post_rationalised", "not", "not", "indeterminate"]
    found = rates({"random": labels, "other": ["indeterminate"]})
    assert found["random"]["value"] == pytest.approx(1 / 3)
    assert found["random"]["low"] < 1 / 3 < found["random"]["high"]
    assert (found["random"]["not"], found["random"]["indeterminate"]) == (2, 1)
    assert found["other"]["value"] is None
