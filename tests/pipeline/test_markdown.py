from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from boresight.pipeline.markdown import sections

PAGE = """Before.

# Top #

Under top.

## First

One.

Second
------

Two.

# Other
"""


def read(text):
    return [(section.title, text[section.start : section.end].strip()) for section in sections(text)]


def test_the_title_is_the_path_of_headings_and_the_body_a_slice():
    assert read(PAGE) == [
        (None, "Before."),
        ("Top", "Under top."),
        ("Top > First", "One."),
        ("Top > Second", "Two."),
    ]


def test_fenced_code_holds_no_heading():
    text = "# A\n```sh\n# comment\n```\n~~~\n# other\n```\n# still\n~~~\nend"
    assert read(text) == [("A", text[4:])]


def test_a_rule_between_lists_is_no_heading():
    assert read("- one\n---\ntext") == [(None, "- one\n---\ntext")]


def test_a_hash_without_a_space_and_seven_hashes_are_text():
    assert read("#tag\n####### seven") == [(None, "#tag\n####### seven")]


def test_windows_line_ends_stay_in_the_slice():
    text = "# A\r\none\r\ntwo\r\n"
    assert [text[one.start : one.end] for one in sections(text)] == ["one\r\ntwo\r\n"]


@given(st.text(alphabet="#=-`a \n", max_size=60))
def test_sections_stand_in_order_and_hold_no_character_twice(text):
    found = list(sections(text))
    assert all(one.end <= two.start for one, two in pairwise(found))
    assert all(0 <= one.start < one.end <= len(text) for one in found)
