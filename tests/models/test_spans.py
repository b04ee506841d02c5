from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from boresight.models.spans import cover, spans_by_decoding, spans_by_words


def test_blanks_between_tokens_go_to_the_token_after_them():
    assert cover(9, [(0, 3), (4, 8)]) == ((0, 3), (3, 9))


def test_of_tokens_that_share_a_character_the_last_one_gets_it():
    assert cover(2, [(0, 1), (1, 2), (1, 2), (1, 2)]) == ((0, 1), (1, 1), (1, 1), (1, 2))


@given(st.integers(0, 20), st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), min_size=1))
def test_covering_spans_never_decrease_and_cover_the_text_once(length, raw):
    spans = cover(length, [(min(a, b, length), min(max(a, b), length)) for a, b in raw])
    assert spans[0][0] == 0
    assert spans[-1][1] == length
    assert all(low <= high for low, high in spans)
    assert all(left[1] == right[0] for left, right in pairwise(spans))


@given(st.text(max_size=12))
def test_decoding_bytes_one_by_one_finds_spans_that_rebuild_the_text(text):
    ids = list(text.encode())
    spans = spans_by_decoding(ids, text, lambda part: bytes(part).decode(errors="replace"))
    assert spans is not None
    assert len(spans) == len(ids)
    assert "".join(text[low:high] for low, high in spans) == text


def test_long_texts_are_decoded_in_short_pieces():
    text = "Käse 🙂 " * 500
    ids, asked = list(text.encode()), []
    spans = spans_by_decoding(
        ids, text, lambda part: asked.append(len(part)) or bytes(part).decode(errors="replace")
    )
    assert "".join(text[low:high] for low, high in spans) == text
    assert sum(asked) < 12 * len(ids)  # the square of their number, if every prefix were decoded


def test_a_decoder_that_drops_the_first_blank_gives_the_same_spans():
    words = ["▁the", "▁old", "town"]
    spans = spans_by_decoding(
        [0, 1, 2], "the oldtown", lambda ids: "".join(words[one] for one in ids).replace("▁", " ").strip(" ")
    )
    assert spans == ((0, 3), (3, 7), (7, 11))


def test_a_decoder_that_looks_at_the_whole_text_is_asked_for_every_prefix():
    spans = spans_by_decoding([1, 1, 1], "3 of 3", lambda ids: f"{len(ids)} of {len(ids)}")
    assert spans == ((0, 0), (0, 0), (0, 6))


def test_a_text_that_the_ids_do_not_spell_has_no_spans():
    assert spans_by_decoding([97], "A", lambda part: bytes(part).decode()) is None


def test_every_token_of_a_word_gets_the_word():
    encode = {"Hello": [1, 2], "you": [3]}.get
    assert spans_by_words([1, 2, 3], "Hello  you", encode) == ((0, 5), (0, 5), (7, 10))
    assert spans_by_words([1, 2, 4], "Hello  you", encode) is None
