"""Compact numbers, and the pieces of an answer."""

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.report.html.numbers import base64_floats, compact, compact_all, milli, pieces


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (1.23456789, 1.23457),
        (-3.4332275390625e-05, -3.43323e-05),
        (1e308, 1e308),
        (2.0, 2),
        (0.0, 0),
        (float("nan"), None),
        (float("inf"), None),
        (float("-inf"), None),
        (True, True),
        ("x", "x"),
        (None, None),
    ],
)
def test_numbers_keep_six_digits_and_stay_finite(value, kept):
    assert compact(value) == kept


def test_numbers_inside_are_compact_too():
    assert compact_all({"a": [1.23456789, {"b": float("nan")}]}) == {"a": [1.23457, {"b": None}]}


def test_thousandths_are_whole():
    assert milli([0.0004, 0.0006, -1.2345]) == [0, 1, -1234]


def test_floats_are_little_endian():
    assert base64.b64decode(base64_floats(np.array([1.0]))) == b"\x00\x00\x80\x3f"


@pytest.mark.parametrize(
    ("text", "offsets", "shown"),
    [
        ("in Rome", [[0, 2], [2, 7]], ["in", " Rome"]),
        ("in Rome", [[0, 2], [3, 7]], ["in ", "Rome"]),  # a gap
        ("word", [[0, 4], [0, 4]], ["", "word"]),  # two tokens of one word
        ("\U0001f600!", [[0, 0], [0, 1], [1, 2]], ["", "\U0001f600", "!"]),  # bytes of an emoji
        ("", [], []),
        ("no offsets", [], ["no offsets"]),
    ],
)
def test_pieces_show_each_character_once(text, offsets, shown):
    assert pieces(text, offsets) == shown


@given(st.text(max_size=30), st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=8))
def test_pieces_rebuild_the_text_whatever_the_offsets(text, spans):
    offsets = [[min(a, len(text)), min(b, len(text))] for a, b in spans]
    assert "".join(pieces(text, offsets)) == text
