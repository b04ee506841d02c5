from __future__ import annotations

import hashlib

import pytest

from boresight.errors import InputError
from boresight.trace import Passage, Ranked, Stage, Turn, passage_id, quick_trace


def test_texts_objects_and_passages_may_be_mixed():
    given = Passage("b", "Beta.", "T", {"page": 1})
    trace = quick_trace(
        query="Why?",
        passages=["Alpha.", given, {"id": "c", "text": "Gamma.", "score": 0.5, "relevant": True}],
    )
    alpha = passage_id(None, "Alpha.")
    assert trace.passages == (Passage(alpha, "Alpha."), given, Passage("c", "Gamma."))
    assert trace.context == (alpha, "b", "c")
    assert trace.stages == (Stage("retrieve", "retrieve", (Ranked(alpha), Ranked("b"), Ranked("c", 0.5))),)
    assert trace.relevance == {"c": 1.0}


def test_the_id_comes_from_the_query_unless_given():
    assert quick_trace(query="Why?", passages=[]).id == hashlib.sha256(b"Why?").hexdigest()[:16]
    assert quick_trace(query="Why?", passages=[], trace_id="q").id == "q"


def test_all_other_fields_pass_through():
    turn = Turn("user", "Hi")
    trace = quick_trace(
        query="?",
        passages=["x"],
        answer="",
        history=[turn, {"role": "assistant", "content": "Yes?"}],
        references="r",
        relevance={"p9": 2},
        meta={"topic": "t"},
    )
    assert (trace.answer, trace.history) == ("", (turn, Turn("assistant", "Yes?")))
    assert (trace.references, trace.relevance, trace.meta) == (("r",), {"p9": 2.0}, {"topic": "t"})


def test_equal_texts_are_two_passages():
    first, second = quick_trace(query="?", passages=["x", "x"]).context
    assert second == f"{first}#2"


@pytest.mark.parametrize(
    ("passages", "message"),
    [
        ("one text", "passages must be a list, got the text 'one text'"),
        ([3], "passages[0] must be an object, got the number 3"),
        (
            [Passage("a", "x"), Passage("a", "y")],
            "passages[0] and passages[1] share the id 'a' but differ in text or title",
        ),
    ],
)
def test_wrong_passages_are_refused(passages, message):
    with pytest.raises(InputError) as error:
        quick_trace(query="?", passages=passages, trace_id="q")
    assert message in str(error.value)
