from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import InputError
from boresight.trace import passage_id
from boresight.trace.ids import FreshIds, trace_id


def test_a_passage_id_is_the_start_of_the_hash_of_title_and_text():
    assert passage_id("T", "text") == hashlib.sha256(b"T\ntext").hexdigest()[:16]
    assert passage_id("Ü", "é") == hashlib.sha256("Ü\né".encode()).hexdigest()[:16]


def test_no_title_counts_as_the_empty_title():
    assert passage_id(None, "x") == passage_id("", "x") == hashlib.sha256(b"\nx").hexdigest()[:16]


def test_a_trace_id_is_the_start_of_the_hash_of_the_query():
    assert trace_id("Why?") == hashlib.sha256(b"Why?").hexdigest()[:16]


def test_text_that_cannot_be_hashed_is_refused():
    with pytest.raises(InputError, match="text holds a lone surrogate"):
        passage_id(None, "\udfff")


def test_repeats_are_numbered_from_two_around_the_taken():
    ids = FreshIds(["a", "a#3"])
    assert [ids.fresh(base) for base in ("a", "b", "a", "b", "a#2")] == ["a#2", "b", "a#4", "b#2", "a#2#2"]


@given(st.lists(st.sampled_from(["a", "a#2", "a#3", "b"])))
def test_fresh_ids_never_repeat(bases):
    ids = FreshIds()
    names = [ids.fresh(base) for base in bases]
    assert len(set(names)) == len(names)
