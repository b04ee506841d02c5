import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.explain.saliency import Saliency, TokenSaliency
from boresight.explain.saliency.looks import (
    negative_share,
    over_run,
    query_matches,
    share_by,
    share_by_position,
    share_on,
    top_bigrams,
)
from boresight.explain.saliency.words import WordSaliency, words_of

TEXT = "Rivers, flooding towns"


def saliency(*tokens):
    made = tuple(TokenSaliency("", start, end, value, "text") for start, end, value in tokens)
    return Saliency("passage", "m", "approximate", "cosine", made, 1.0)


@pytest.fixture
def words():
    # river|s| ,| flood|ing| towns; a leading blank belongs to its token, the comma to no word
    tokens = ((0, 5, 2.0), (5, 6, 1.0), (6, 7, 9.0), (7, 13, 3.0), (13, 16, -1.0), (16, 22, -2.0))
    return words_of(saliency(*tokens), TEXT)


def test_tokens_are_summed_into_words_and_punctuation_into_none(words):
    assert [(word.text, word.value, word.tokens) for word in words] == [
        ("Rivers", 3.0, 2), ("flooding", 2.0, 2), ("towns", -2.0, 1),
    ]  # fmt: skip


def test_a_word_that_was_not_read_has_no_token():
    assert [word.tokens for word in words_of(saliency((0, 6, 1.0)), TEXT)] == [1, 0, 0]


def test_matches_are_exact_by_stem_or_by_spelling():
    matches = query_matches("Which river floods?", lambda word: word.rstrip("s"))
    assert [matches["exact"](word) for word in ("River", "rivers", "bridge")] == [True, False, False]
    assert [matches["stem"](word) for word in ("Rivers", "flood", "bridge")] == [True, True, False]
    assert [matches["soft"](word) for word in ("rivers", "flooding", "bridge")] == [True, False, False]
    assert "stem" not in query_matches("river")


def test_the_share_on_query_words_stands_beside_their_share_of_all_words(words):
    assert share_on(words, lambda word: word == "Rivers") == (pytest.approx(3 / 5), pytest.approx(1 / 3))
    assert share_on([WordSaliency("a", 0, 1, -1.0, 1)], lambda _: True) is None


def test_negative_values_and_labels_and_bigrams(words):
    assert negative_share(words) == pytest.approx(2 / 7)
    assert share_by(["NOUN", "VERB", "NOUN"], words) == {
        "NOUN": pytest.approx(0.6),
        "VERB": pytest.approx(0.4),
    }
    assert share_by_position(words) == {"0": pytest.approx(0.6), "3": pytest.approx(0.4), "6": 0.0}
    long = [WordSaliency(str(place), 0, 1, -place, 1) for place in range(10)]
    assert top_bigrams(["A", "B", "C"] + ["D"] * 7, long) == {"A B": 1, "B C": 1}


def test_over_a_run_the_control_is_taken_off_in_pairs():
    look = over_run({"a": (0.6, 0.2), "b": (0.5, 0.3), "c": (0.7, 0.1)}, 0, "exact")
    assert (look.share.value, look.over_random.value) == (pytest.approx(0.6), pytest.approx(0.4))
    assert look.over_random.low > 0
    assert look.passages == 3


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=20))
def test_shares_of_positions_sum_to_one_or_there_are_none(values):
    words = [WordSaliency("w", 0, 1, value, 1) for value in values]
    shares = share_by_position(words)
    assert sum(shares.values()) == pytest.approx(1 if any(value > 0 for value in values) else 0)
