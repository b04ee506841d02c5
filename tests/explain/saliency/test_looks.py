import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.explain.saliency import Saliency, TokenSaliency
from boresight.explain.saliency.looks import (
    negative_on,
    negative_share,
    over_run,
    query_matches,
    share_by,
    share_by_bigram,
    share_by_tenth,
    share_on,
)
from boresight.explain.saliency.reading import DRAWS, Reading, reading
from boresight.explain.saliency.words import words_of
from boresight.stats.random import rng_for

TEXT = "Rivers, flooding towns"
# river|s| ,| flood|ing| towns; a leading blank belongs to its token, the comma to no word
PIECES = ((0, 5, 2.0), (5, 6, 1.0), (6, 7, 9.0), (7, 13, 3.0), (13, 16, -1.0), (16, 22, -2.0))
FLOODING = [False, True, False]


def saliency(*tokens):
    made = tuple(TokenSaliency("", start, end, value, "text") for start, end, value in tokens)
    return Saliency("passage", "m", "approximate", "cosine", made, 1.0)


def read(text, pieces, *, whole=False):
    return reading(text, pieces, rng_for(0, "test"), whole=whole)


def table(*rows):
    """A reading of words whose values, and values by chance, are written down."""
    spans = tuple((2 * place, 2 * place + 1) for place in range(len(rows[0])))
    return Reading("a b c d e f g h i j", spans, np.array(rows))


def test_tokens_are_summed_into_words_and_punctuation_into_none():
    found = words_of(saliency(*PIECES), TEXT)
    assert [(word.text, word.value, word.tokens) for word in found] == [
        ("Rivers", 3.0, 2), ("flooding", 2.0, 2), ("towns", -2.0, 1),
    ]  # fmt: skip


def test_a_word_that_was_not_read_has_no_token():
    assert [word.tokens for word in words_of(saliency((0, 6, 1.0)), TEXT)] == [1, 0, 0]


def test_a_reading_holds_the_words_and_deals_the_values_of_their_tokens_out_again():
    found = read(TEXT, PIECES)
    assert found.words == ["Rivers", "flooding", "towns"]
    assert found.values[0].tolist() == [3.0, 2.0, -2.0]
    assert found.values.shape == (1 + DRAWS, 3)
    assert found.values.sum(axis=1) == pytest.approx(3.0)  # the comma's 9 never takes part
    assert len(np.unique(found.values[1:, 2])) == 5  # each token's value may fall to the word of one token


def test_a_ranker_that_lists_only_what_counts_has_read_the_other_words_too():
    assert read(TEXT, [(0, 6, 1.0)]).words == ["Rivers"]
    found = read(TEXT, [(0, 6, 1.0), (0, 6, 0.5), (None, None, 4.0)], whole=True)
    assert (found.words, found.values[0].tolist()) == (["Rivers", "flooding", "towns"], [1.5, 0.0, 0.0])
    share, control = share_on(found, FLOODING)
    assert share == 0
    assert control == pytest.approx(1 / 3, abs=0.2)


def test_matches_are_exact_by_stem_or_by_spelling():
    matches = query_matches("Which river floods?", lambda word: word.rstrip("s"))
    assert [matches["exact"](word) for word in ("River", "rivers", "bridge")] == [True, False, False]
    assert [matches["stem"](word) for word in ("Rivers", "flood", "bridge")] == [True, True, False]
    assert [matches["soft"](word) for word in ("rivers", "flooding", "bridge")] == [True, False, False]
    assert "stem" not in query_matches("river")


def test_a_share_is_of_the_positive_values_and_its_control_the_mean_over_the_shuffles():
    words = table([3.0, 1.0, -2.0], [1.0, 1.0, 2.0], [-2.0, 1.0, 3.0], [-1.0, 0.0, -2.0])
    assert share_on(words, FLOODING) == (0.25, 0.25)  # the last shuffle holds nothing positive
    assert share_on(table([-1.0, 0.0, 0.0], [1.0, 1.0, 1.0]), FLOODING) is None


def test_negative_values_have_a_share_of_their_own():
    words = table([3.0, -1.0, -2.0], [0.0, 1.0, -1.0])
    assert negative_share(words) == (0.5, 0.5)
    assert negative_on(words, FLOODING) == (pytest.approx(1 / 3), 0.0)
    assert negative_on(table([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), FLOODING) is None
    assert negative_share(table([0.0], [0.0])) is None


def test_labels_and_their_bigrams_share_the_positive_values():
    words = table([3.0, 1.0, -2.0], [1.0, 1.0, 2.0])
    assert share_by(words, ["NOUN", "VERB", "NOUN"]) == {"NOUN": (0.75, 0.75), "VERB": (0.25, 0.25)}
    # the pairs hold 3 + 1 and 1 + 0, by chance 1 + 1 and 1 + 2
    found = share_by_bigram(words, ["NOUN", "VERB", "NOUN"])
    assert found == {"NOUN VERB": (0.8, 0.4), "VERB NOUN": (pytest.approx(0.2), pytest.approx(0.6))}
    assert share_by_bigram(table([1.0], [1.0]), ["NOUN"]) is None


def test_tenths_count_the_words_that_were_read():
    words = table([3.0, 0.0, 1.0], [0.0, 1.0, 1.0])
    assert share_by_tenth(words) == {"0": (0.75, 0.0), "3": (0.0, 0.5), "6": (0.25, 0.5)}
    assert share_by_tenth(read("", ())) is None


def test_over_a_run_the_control_is_taken_off_in_pairs():
    look = over_run({"t": [(0.6, 0.2), (0.5, 0.3)], "u": [(0.7, 0.1)], "v": []}, 0, "exact")
    assert (look.share.value, look.control) == (pytest.approx(0.6), pytest.approx(0.2))
    assert look.over_random.value == pytest.approx(0.4)
    assert look.over_random.low == pytest.approx(0.3)  # the mean of trace t alone
    assert (look.passages, look.traces) == (3, 2)


def test_passages_of_one_trace_are_no_independent_witnesses():
    pairs = [(0.6, 0.2), (0.5, 0.3)] * 10
    assert over_run({"t": pairs}, 0, "exact").share.low is None
    apart = over_run({str(place): [pair] for place, pair in enumerate(pairs)}, 0, "exact").share
    together = over_run({"a": pairs[::2], "b": pairs[1::2]}, 0, "exact").share
    assert together.high - together.low > 2 * (apart.high - apart.low)


def test_random_saliency_looks_nowhere_and_a_word_of_two_tokens_gets_twice_as_much():
    rng, found = np.random.default_rng(4), {}
    for trace in range(200):
        pieces = [(start, end, rng.exponential()) for start, end, _ in PIECES]
        shuffles = reading(TEXT, pieces, rng_for(0, str(trace)), whole=False)
        found[str(trace)] = [share_on(shuffles, [True, False, False])]
    look = over_run(found, 0, "random")
    assert look.over_random.low < 0 < look.over_random.high
    assert look.control == pytest.approx(2 / 5, abs=0.01)  # two of five tokens, not one of three words


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=20))
def test_shares_of_positions_sum_to_one_or_there_are_none(values):
    pieces = [(2 * place, 2 * place + 1, value) for place, value in enumerate(values)]
    shares = share_by_tenth(read("w " * len(values), pieces))
    if not any(value > 0 for value in values):
        assert shares is None
    else:
        assert sum(share for share, _ in shares.values()) == pytest.approx(1)
        assert sum(control for _, control in shares.values()) == pytest.approx(1)
