"""Answers against references, by hand, and ROUGE-L beside another implementation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from boresight.explain.saliency.language import english_stemmer
from boresight.measure.quality import (
    answer_recall,
    containment,
    exact_match,
    normal_form,
    rouge_l,
    stemmed_containment,
    token_f1,
)

WORDS = st.lists(st.sampled_from(["red", "green", "blue", "dog", "cat"]), max_size=8).map(" ".join)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("The  Humber-Bridge!", "humberbridge"),
        ("A dog, an owl", "dog owl"),
        ("«Ça» va?", "ça va"),
        ("", ""),
        ("Theatre", "theatre"),
    ],
)
def test_the_normal_form_drops_case_marks_articles_and_blanks(text, form):
    assert normal_form(text) == form


def test_of_several_references_the_best_counts():
    assert exact_match("the Rome.", ["Paris", "Rome"]) == 1.0
    assert exact_match("Rome, Italy", ["Rome"]) == 0.0


def test_f1_is_worked_out_by_hand():
    # Three words against two, two of them shared: P = 2/3, R = 1.
    assert token_f1("in Rome Italy", ["Rome Italy"]) == pytest.approx(0.8)
    assert token_f1("Rome Rome", ["Rome"]) == pytest.approx(2 / 3)
    assert token_f1("", ["the"]) == 1.0
    assert token_f1("", ["Rome"]) == 0.0


def test_containment_keeps_word_boundaries():
    assert containment("It is in Rome, Italy.", ["rome italy"]) == 1.0
    assert containment("Romework", ["Rome"]) == 0.0
    assert containment("anything", ["the"]) == 0.0


def test_stems_must_stand_next_to_each_other():
    stem = english_stemmer().stem
    assert stemmed_containment("They were running shoes", ["run shoe"], stem) == 1.0
    assert stemmed_containment("They ran in shoes", ["ran shoes"], stem) == 0.0


def test_recall_counts_the_references_that_are_said():
    assert answer_recall("Rome and Paris", ["Rome", "Oslo", "Paris", "Bonn"]) == 0.5


def test_rouge_l_is_worked_out_by_hand():
    # Longest common subsequence: police the gunman, 3 of 4 words on both sides.
    assert rouge_l("police kill the gunman", ["police killed the gunman"]) == 0.75


@given(WORDS, WORDS)
def test_rouge_l_equals_the_usual_package(answer, reference):
    theirs = RougeScorer(["rougeL"]).score(reference, answer)["rougeL"].fmeasure
    assert rouge_l(answer, [reference]) == pytest.approx(theirs)


@given(WORDS, WORDS)
def test_all_scores_are_symmetric_and_1_for_the_same_words(answer, reference):
    for score in (token_f1, rouge_l):
        assert score(answer, [reference]) == score(reference, [answer])
    assert token_f1(answer, [answer]) == 1.0
