"""Sentences by rule: where a text is cut, and that nothing of it is lost."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.trace.sentences import sentences_of
from boresight.trace.text_parts import joined

MARKS = st.sampled_from(list(' \n\t.!?…。！？।؟"”)»Aab1é東👍\u202e\u200d\u0301'))  # noqa: RUF001 - marks of many scripts


def cut(text):
    return [sentence.text for sentence in sentences_of(text)]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One. ", "Two! ", "Three? ", "Four"]),
        ("He said “no.” Then he left.", ["He said “no.” ", "Then he left."]),
        ("Pi is 3.14 or so. Next.", ["Pi is 3.14 or so. ", "Next."]),
        ("J. R. R. Tolkien wrote. He did.", ["J. R. R. Tolkien wrote. ", "He did."]),
        ("The U.S. Army came. It left.", ["The U.S. Army came. ", "It left."]),
        ("Dr. Who met Mr. Bean. Both ran.", ["Dr. Who met Mr. Bean. ", "Both ran."]),
        ("approx. five etc. and more. End.", ["approx. five etc. and more. ", "End."]),
        ("“Why?” he asked. Nobody knew.", ["“Why?” he asked. ", "Nobody knew."]),
        ("1. First thing. 2. Second thing.", ["1. First thing. ", "2. Second thing."]),
        ("東京は首都。人口は多い！本当？はい", ["東京は首都。", "人口は多い！", "本当？", "はい"]),  # noqa: RUF001
        ("彼は「はい。」と言った。", ["彼は「はい。」", "と言った。"]),
        ("यह एक है। यह दो है।", ["यह एक है। ", "यह दो है।"]),
        ("هذا سؤال؟ نعم. لا.", ["هذا سؤال؟ ", "نعم. ", "لا."]),
        ("A heading\n\nA text", ["A heading\n\n", "A text"]),
        ("a line\nthat goes on", ["a line\nthat goes on"]),
        ("  Lead. Tail.  ", ["  Lead. ", "Tail.  "]),
        ("Great! 👍👍 Really.", ["Great! ", "👍👍 Really."]),
        ("Wait... what? No... Yes.", ["Wait... what? ", "No... ", "Yes."]),
        ("The end. ...", ["The end. ..."]),
        ("👍 👎", ["👍 👎"]),
        ("...", ["..."]),
    ],
)
def test_a_text_is_cut_at_the_ends_of_its_sentences(text, sentences):
    assert cut(text) == sentences


@pytest.mark.parametrize("text", ["", " ", "\n\n \t"])
def test_a_blank_text_has_no_sentence(text):
    assert sentences_of(text) == ()


@given(st.text() | st.text(MARKS))
def test_spans_rebuild_the_text_and_none_is_blank(text):
    found = sentences_of(text)
    assert "".join(sentence.text for sentence in found) == (text if text.strip() else "")
    assert [text[sentence.start : sentence.end] for sentence in found] == [one.text for one in found]
    assert all(sentence.text.strip() for sentence in found)


@given(st.text(MARKS), st.integers(1, 9))
def test_merged_spans_rebuild_the_text_and_are_as_many_as_asked_for(text, count):
    found = sentences_of(text)
    spans = joined(text, found, count)
    assert len(spans) == min(count, len(found))
    assert "".join(span.text for span in spans) == "".join(one.text for one in found)
    assert [text[span.start : span.end] for span in spans] == [span.text for span in spans]


def test_merging_is_even():
    text = " ".join(f"Part {place}b." for place in range(20))
    assert [span.text.count("Part") for span in joined(text, sentences_of(text), 8)] == [
        2,
        3,
        3,
        2,
        2,
        3,
        3,
        2,
    ]


@pytest.mark.parametrize("piece", ["a", ". ", "!", " ", "! ! ", "\n\n", "1. ", "”", "A. "])
def test_no_input_makes_it_slow(piece):
    begin = time.perf_counter()
    sentences_of(piece * 100_000)
    assert time.perf_counter() - begin < 2
