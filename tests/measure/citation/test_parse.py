"""Every form of citation that answers use, and what only looks like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.measure.citation import markers_in


def labels(text, passages=9):
    return [marker.labels for marker in markers_in(text, passages)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Warsaw [1].", [(1,)]),
        ("Warsaw[1].", [(1,)]),
        ("Warsaw [1, 2].", [(1, 2)]),
        ("Warsaw [1,2,1].", [(1, 2)]),
        ("Warsaw [1-3].", [(1, 2, 3)]),
        ("Warsaw [1\u20133, 5].", [(1, 2, 3, 5)]),
        ("Warsaw [1][2].", [(1,), (2,)]),
        ("Warsaw [2](https://example.org/a).", [(2,)]),
        ("Warsaw [Document 2].", [(2,)]),
        ("Warsaw (Document 3).", [(3,)]),
        ("Warsaw (documents 1 and 3).", [(1, 3)]),
        ("Warsaw (see passage 4).", [(4,)]),
        ("Warsaw (Source: 2; 5).", [(2, 5)]),
        ("Warsaw \u30103\u2020source\u3011.", [(3,)]),
        ("Warsaw \u30104:0\u2020file.pdf\u3011.", [(1,)]),
        ("Warsaw [^1].", [(1,)]),
        ("Warsaw.\u00b9", [(1,)]),
        ("Warsaw\u00b9\u00b7 and Paris\u00b2,\u00b3", [(1,), (2, 3)]),
        ("According to Passage 2, Warsaw.", [(2,)]),
        ("Documents 1 and 2 say so.", [(1, 2)]),
    ],
)
def test_a_citation_is_read(text, found):
    assert labels(text) == found


@pytest.mark.parametrize(
    "text",
    [
        *("In [1987] it ended.", "Born [1867-1934].", "It ended (2019).", "A set (3) of things."),
        *("Use `x[1]` here.", "```\ny = x[1]\n```", "x[1] = 3", "call x[0](1)", "rows[1].text", "x[2][i]"),
        *("An area of 12 km\u00b2.", "About 10\u00b3 people.", "E = mc\u00b2", "[^1]: The footnote."),
        *("References\n[1] A book\n[2] Another", "[0]", "[]", "[a]", "Passage time 3", "[12345]"),
    ],
)
def test_what_only_looks_like_a_citation_is_not_read(text):
    assert labels(text) == []


def test_raised_figures_are_one_number_where_the_context_has_it():
    assert labels("Warsaw.\u00b9\u00b2", passages=12) == [(12,)]
    assert labels("Warsaw.\u00b9\u00b2", passages=9) == [(1, 2)]


def test_a_label_beyond_the_context_is_still_read():
    assert labels("Warsaw [7].", passages=3) == [(7,)]


def test_a_huge_range_is_its_two_ends():
    assert labels("Warsaw [1-999].") == [(1, 999)]


@given(st.text(max_size=80), st.integers(0, 12))
def test_any_text_is_read_in_order_and_inside(text, passages):
    markers = markers_in(text, passages)
    ends = [place for marker in markers for place in (marker.start, marker.end)]
    assert ends == sorted(ends)
    assert all(0 <= place <= len(text) for place in ends)
    assert all(label > 0 for marker in markers for label in marker.labels)
