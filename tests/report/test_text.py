"""Text from traces is shown on a terminal and never acts on it."""

import pytest

from boresight.report.text import cut, duration, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\ufffd[31mred"),
        ("a\x00b\x10c", "a\ufffdb\ufffdc"),
        ("line\r\nbreak\u2028and\ttab", "line break and tab"),
        ("\u202eright to left", "\ufffdright to left"),
        ("[bold]kept[/bold]", "[bold]kept[/bold]"),
        ("family 👨\u200d👩", "family 👨\u200d👩"),
    ],
)
def test_control_characters_are_made_visible(text, shown):
    assert plain(text) == shown


def test_a_name_is_cut_in_the_middle():
    assert cut("humber-bridge-1981", 9) == "humb…1981"
    assert cut("short", 9) == "short"


def test_long_text_is_cut_with_a_mark():
    assert plain("abcdefgh", 5) == "abcd…"


@pytest.mark.parametrize(("seconds", "words"), [(3, "3 s"), (99, "99 s"), (600, "10 min"), (7200, "2.0 h")])
def test_durations_read_well(seconds, words):
    assert duration(seconds) == words
