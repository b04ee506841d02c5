import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import SpecError
from boresight.pipeline.splitter import Splitter

texts = st.text(alphabet=st.sampled_from("ab .!\n\r\t\u3002\u4e2d\u0301\U0001f600"), max_size=200)
splitters = st.integers(1, 40).flatmap(
    lambda size: st.builds(Splitter, st.just(size), st.integers(0, size // 2))
)


def split(text, size, overlap=0):
    return [text[start:end] for start, end in Splitter(size, overlap).spans(text)]


@given(texts, splitters)
def test_every_visible_character_is_in_a_passage_of_at_most_the_size(text, splitter):
    spans = list(splitter.spans(text))
    covered = {place for start, end in spans for place in range(start, end)}
    assert covered >= {place for place, character in enumerate(text) if not character.isspace()}
    assert all(0 < end - start <= splitter.size for start, end in spans)


@given(texts, splitters)
def test_passages_advance_overlap_no_more_than_allowed_and_have_no_blank_ends(text, splitter):
    spans = list(splitter.spans(text))
    for (start, end), (following, last) in pairwise(spans):
        assert start < following
        assert end < last
        assert end - following <= splitter.overlap
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)


def test_a_text_within_the_size_is_one_passage():
    assert split("  one two ", 10) == ["one two"]


def test_a_blank_text_has_no_passage():
    assert split(" \n\t ", 5) == []


def test_a_paragraph_ends_a_passage_before_a_sentence_does():
    assert split("One two three.\n\nFour. Five six.", 21)[0] == "One two three."


def test_a_paragraph_that_would_leave_less_than_half_a_passage_does_not_end_it():
    assert split("One two.\n\nThree. Four five six.", 20)[0] == "One two.\n\nThree."


def test_a_sentence_ends_a_passage_before_a_word_does():
    assert split("One two three. Four five six", 20) == ["One two three.", "Four five six"]


def test_chinese_sentences_end_without_a_space():
    assert split("中中中中。中中中中。中", 6) == ["中中中中。", "中中中中。中"]


def test_a_word_without_a_break_is_cut_at_the_size():
    assert split("abcdefghij", 4) == ["abcd", "efgh", "ij"]


def test_a_cut_parts_no_accent_from_its_letter():
    parts = split("abce\u0301fgh", 4)
    assert parts == ["abc", "e\u0301fg", "h"]
    assert not any(unicodedata.combining(part[0]) for part in parts)


def test_the_overlap_begins_with_a_whole_word():
    assert split("one two three four five six", 14, 6) == ["one two three", "three four", "four five six"]


def test_a_part_of_a_text_gives_spans_in_the_whole():
    assert list(Splitter(10, 0).spans("head body tail", 5, 9)) == [(5, 9)]


@pytest.mark.parametrize(
    ("size", "overlap", "word"), [(0, 0, "size"), (10, 6, "overlap"), (10, -1, "overlap")]
)
def test_settings_out_of_range_are_refused(size, overlap, word):
    with pytest.raises(SpecError, match=word):
        Splitter(size, overlap)
