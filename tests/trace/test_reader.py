from __future__ import annotations

import hashlib
import io
import json
import sys

import pytest

from boresight.errors import InputError
from boresight.trace import Trace, read_objects, read_traces

ONE = {"id": "a", "query": "?", "passages": []}
TWO = {"id": "b", "query": "?", "passages": []}


def ids(reading):
    return [trace.id for trace in reading.traces]


def test_traces_come_in_the_order_of_the_file(read):
    assert ids(read(TWO, ONE)) == ["b", "a"]


def test_byte_order_mark_carriage_returns_and_blank_lines_are_passed_over(write):
    path = write(
        b"\xef\xbb\xbf" + json.dumps(ONE).encode() + b"\r",
        b"",
        b" \t\r",
        json.dumps(TWO).encode() + b"\r\n\n",
    )
    assert ids(read_traces(path)) == ["a", "b"]


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\x7f"])
def test_only_a_line_feed_ends_a_line(read_one, character):
    trace, _ = read_one(json.dumps({**ONE, "answer": f"a{character}b"}, ensure_ascii=False))
    assert trace.answer == f"a{character}b"


def test_escaped_control_characters_are_text(read_one):
    assert read_one({**ONE, "answer": "\x00\x10\r\n"})[0].answer == "\x00\x10\r\n"


def test_the_limit_stops_the_reading_before_later_lines(write):
    path = write(ONE, TWO, "broken")
    assert ids(read_traces(path, limit=2)) == ["a", "b"]
    with pytest.raises(InputError, match="line 3, column 1: malformed JSON"):
        read_traces(path, limit=3)


def test_a_limit_below_one_is_refused(write):
    with pytest.raises(InputError, match="the limit must be at least 1, got 0"):
        read_traces(write(ONE), limit=0)


def test_a_path_object_will_do(write, tmp_path):
    write(ONE)
    assert ids(read_traces(tmp_path / "traces.jsonl")) == ["a"]


def test_a_dash_reads_standard_input(monkeypatch):
    lines = json.dumps(ONE).encode() + b"\n{}"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    with pytest.raises(
        InputError, match=r"^standard input, line 2: query is missing; every trace needs one$"
    ):
        read_traces("-")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    assert ids(read_traces("-", limit=1)) == ["a"]


def test_a_trace_without_id_is_named_after_its_query_and_repeats_are_numbered(read):
    base = hashlib.sha256(b"Why?").hexdigest()[:16]
    nameless = {"query": "Why?", "passages": []}
    assert ids(read(nameless, ONE, nameless, {**nameless, "id": None})) == [
        base,
        "a",
        f"{base}#2",
        f"{base}#3",
    ]


def test_a_name_made_for_a_trace_keeps_clear_of_given_ids(read):
    base = hashlib.sha256(b"Why?").hexdigest()[:16]
    assert ids(read({**ONE, "id": base}, {"query": "Why?", "passages": []})) == [base, f"{base}#2"]


def test_a_warning_that_many_traces_share_is_told_once_and_names_the_first(read):
    reading = read(*({"id": f"q{n}", "query": "", "passages": []} for n in range(1200)))
    assert reading.warnings == (
        "traces.jsonl, line 1: 1,200 traces 'q0', 'q1', 'q2', 'q3', 'q4' and 1,195 more: query is empty",
    )


# --- objects in memory


def test_objects_and_traces_are_read_by_the_rules_of_a_file():
    base = hashlib.sha256(b"?").hexdigest()[:16]
    nameless = {"query": "?", "passages": []}
    reading = read_objects([ONE, Trace("b", ""), nameless, nameless])
    assert ids(reading) == ["a", "b", base, f"{base}#2"]
    assert reading.warnings == ("traces[1]: trace 'b': query is empty",)
    assert read_objects(iter([ONE, 3]), limit=1).traces == reading.traces[:1]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([], "the input holds no traces; at least one is needed"),
        (
            [ONE, TWO, Trace("a", "")],
            "traces[2]: the id 'a' is that of traces[0] already; give each trace its own id",
        ),
        ([ONE, 3], "traces[1]: a trace must be an object, got the number 3; write one JSON object a line"),
    ],
)
def test_objects_are_refused_by_their_place(items, message):
    with pytest.raises(InputError) as error:
        read_objects(items)
    assert str(error.value) == message
