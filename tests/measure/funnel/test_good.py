"""Which passages are good, and when a text holds an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.measure.funnel import answer_is_right, good_passages
from boresight.measure.funnel.words import reference_end, sought
from boresight.trace import Passage, Trace


def make(**fields):
    texts = {"p1": "She was born in Warsaw.", "p2": "Warsaw again", "p3": "nothing"}
    passages = tuple(Passage(key, text) for key, text in texts.items())
    return Trace("q", "?", passages, **fields)


def goods(*given, **fields):
    return [(one.passage, one.by) for one in good_passages(make(**fields), *given)]


def test_labels_names_and_references_make_a_passage_good():
    found = goods(["p3"], references=("Warsaw",), relevance={"p1": 1, "far": 2, "p2": 0})
    assert found == [("p3", ("named",)), ("far", ("labelled",)), ("p1", ("labelled", "reference"))]


def test_a_label_of_not_relevant_decides_over_the_words():
    assert goods(references=("Warsaw",), relevance={"p1": 0}) == [("p2", ("reference",))]


def test_the_least_grade_can_be_raised():
    assert goods((), 2, relevance={"p1": 1, "p2": 2}) == [("p2", ("labelled",))]


def test_nothing_is_good_without_a_word_on_it():
    assert goods() == []


@pytest.mark.parametrize(
    ("text", "reference", "holds"),
    [
        ("the United States of America", "The United States", True),
        ("a well-known fact", "well known", True),
        ("Curie's prize", "Curie", True),
        ("unitedly", "united", False),
        ("1911 and 1903", "190", False),
        ("STRASSE", "straße", True),
        ("她出生在华沙。", "华沙", True),
        ("出生在华沙", "华 沙", True),
        ("Warsaw, then Paris", "Warsaw Paris", False),
        ("anything", "the", False),
        ("yes it is", "Yes", False),
    ],
)
def test_containment(text, reference, holds):
    assert (reference_end(text, sought([reference])) is not None) is holds


def test_the_end_is_that_of_the_first_whole_answer():
    assert reference_end("born in Warsaw, in Warsaw", sought(["Warsaw"])) == len("born in Warsaw")


@given(st.text(), st.text(), st.text(alphabet="xyz", min_size=1))
def test_a_text_holds_its_own_words(before, after, word):
    assert reference_end(f"{before} {word} {after}", sought([word])) is not None


def test_an_answer_is_right_when_it_holds_a_reference():
    assert answer_is_right("It was Warsaw.", ("Krakow", "warsaw")) is True
    assert answer_is_right("No.", ("no",)) is True
    assert answer_is_right("Paris", ("Warsaw",)) is False
    assert answer_is_right("", ("Warsaw",)) is False
    assert answer_is_right(None, ("Warsaw",)) is None
    assert answer_is_right("Warsaw", ()) is None
