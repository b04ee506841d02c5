from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace
from typing import get_type_hints

import cloudpickle
import numpy as np
import pytest

from boresight.errors import InputError
from boresight.trace import FrozenDict, Passage, Ranked, Stage, Trace, Turn

A, B = Passage("a", "Alpha."), Passage("b", "Beta.", "Title", {"page": [1, 2]})
BM25 = Stage("bm25", "retrieve", (Ranked("a", 2.0), Ranked("b")), cut=10)
PACK = Stage("prompt", "pack", (Ranked("b"), Ranked("a")))


@pytest.fixture
def trace():
    turns = (Turn("user", "Hi"), Turn("assistant", ""))
    return Trace(
        "q", "Why?", (A, B), ("b", "a"), (BM25, PACK), turns, "So.", ("So",), {"a": 1}, {"topic": ["x"]}
    )


def test_lists_and_mappings_are_frozen_all_the_way_down():
    made = Trace(
        "q",
        "Why?",
        [B],
        ["b"],
        [Stage("s", "fuse", [Ranked("b")], notes=["n"])],
        references=["r"],
        meta={"a": [{}]},
    )
    assert (made.passages, made.context, made.references) == ((B,), ("b",), ("r",))
    assert made.stages == (Stage("s", "fuse", (Ranked("b"),), None, ("n",)),)
    assert made.meta["a"] == (FrozenDict(),)
    assert B.metadata["page"] == (1, 2)


@pytest.mark.parametrize("name", ["id", "passages", "other"])
def test_fields_cannot_be_set(trace, name):
    with pytest.raises((FrozenInstanceError, TypeError)):
        setattr(trace, name, "x")


@pytest.mark.parametrize("library", [pickle, cloudpickle])
def test_a_trace_survives_pickling_and_hashes_alike(trace, library):
    copied = library.loads(library.dumps(trace))
    assert copied == trace
    assert hash(copied) == hash(trace)


@pytest.mark.parametrize("kind", [Passage, Ranked, Stage, Turn, Trace])
def test_type_hints_resolve_at_run_time(kind):
    assert set(get_type_hints(kind)) == set(kind.__slots__)


def test_whole_number_ids_become_strings_everywhere():
    made = Trace(7, "?", [Passage(1, "x")], [1], [Stage("s", "retrieve", [Ranked(1)])], relevance={1: True})
    assert (made.id, made.context, made.stages[0].ranking[0].id, made.relevance) == (
        "7",
        ("1",),
        "1",
        {"1": 1.0},
    )


def test_numpy_scores_become_floats():
    score = Ranked("a", np.float32(0.5)).score
    assert (score, type(score)) == (0.5, float)


def test_one_reference_may_be_given_as_a_string():
    assert Trace("q", "?", references="Warsaw").references == ("Warsaw",)


def test_an_empty_answer_is_not_an_absent_one():
    assert Trace("q", "?").answer is None
    assert Trace("q", "?", answer="").answer == ""


def test_the_context_gives_its_passages_in_prompt_order(trace):
    assert trace.context_passages == (B, A)


def test_a_passage_is_found_by_id_and_a_missing_one_named(trace):
    assert trace.passage("b") is B
    with pytest.raises(InputError) as error:
        trace.passage("c")
    assert str(error.value) == "trace 'q' holds no passage 'c'; it holds 'a', 'b'"


def test_the_last_ranking_is_the_one_before_packing(trace):
    assert trace.last_ranking() is BM25
    assert trace.last_ranking("prompt") is PACK
    assert Trace("q", "?", stages=[PACK]).last_ranking() is None
    assert Trace("q", "?").last_ranking() is None


def test_an_unknown_stage_is_refused_with_the_known_ones(trace):
    with pytest.raises(InputError) as error:
        trace.last_ranking("bm52")
    assert str(error.value) == "trace 'q' has no stage 'bm52'; it has 'bm25', 'prompt'"


def test_with_stage_adds_one_at_the_end_and_refuses_a_known_name(trace):
    rerank = Stage("minilm", "rerank", (Ranked("b", 0.9),))
    assert trace.with_stage(rerank).stages == (BM25, PACK, rerank)
    assert trace.with_stage(rerank).last_ranking() == rerank
    with pytest.raises(
        InputError, match=r"^trace 'q': stages holds two stages named 'bm25'; give each its own name$"
    ):
        trace.with_stage(BM25)


def test_with_answer_changes_the_answer_only(trace):
    assert trace.with_answer("No.") == replace(trace, answer="No.")
    assert trace.answer == "So."


def test_scores_out_of_order_stay_where_they_are():
    ranking = (Ranked("a", 1.0), Ranked("b", 3.0), Ranked("c", 2.0))
    assert Stage("s", "filter", ranking).ranking == ranking


# --- refusals; messages of parts begin with the field, those of a trace with its id

S, R = Stage, Ranked
DIFFER = "differ in text or title; give each its own id, or leave the ids out"
TWICE = "an id may stand in a trace or context once, so take one out or leave the ids out"
REFUSED = [
    (lambda: Passage(True, "x"), "id must be a string or a whole number, got true"),
    (lambda: Passage(1.0, "x"), "id must be a string or a whole number, got the number 1.0"),
    (lambda: Passage(" ", "x"), "id must not be blank; write at least one visible character"),
    (lambda: Passage("a", None), "text must be a string, got null"),
    (lambda: Passage("a", "x", 3), "title must be a string, got the number 3"),
    (lambda: Passage("a", "x", metadata=[1]), "metadata must be an object, got a list"),
    (
        lambda: Passage("a", "\ud800"),
        "text holds a lone surrogate, which no UTF-8 file can hold; replace it by U+FFFD",
    ),
    (lambda: R("a", float("nan")), "score must be a finite number, got the number nan"),
    (lambda: R("a", 10**400), "score must be a finite number, got the number inf"),
    (lambda: R("a", "0.5"), "score must be a number, got the text '0.5'"),
    (lambda: R("a", True), "score must be a number, got true"),
    (
        lambda: S("s", "sort", ()),
        "kind must be one of retrieve, fuse, filter, rerank, pack; got the text 'sort'",
    ),
    (lambda: S("s", "fuse", (R("a"), R("a"))), "ranking holds the id 'a' twice; keep its best place only"),
    (lambda: S("s", "fuse", ["a"]), "ranking[0] must be a Ranked, got the text 'a'"),
    (lambda: S("s", "fuse", (), -1), "cut must be 0 or more, got -1"),
    (lambda: S("s", "fuse", (), 2.0), "cut must be a whole number, got the number 2.0"),
    (lambda: S("s", "fuse", (), True), "cut must be a whole number, got true"),
    (lambda: Turn("tool", "x"), "role must be one of user, assistant, system; got the text 'tool'"),
    (lambda: Turn("user", None), "content must be a string, got null"),
    (lambda: Trace(None, "?"), "trace: id must be a string or a whole number, got null"),
    (lambda: Trace("q", None), "trace 'q': query must be a string, got null"),
    (lambda: Trace("q", "?", [{"id": "a"}]), "trace 'q': passages[0] must be a Passage, got an object"),
    (lambda: Trace("q", "?", {"a"}), "trace 'q': passages must be a list, got a value of type set"),
    (lambda: Trace("q", "?", [A], "a"), "trace 'q': context must be a list, got the text 'a'"),
    (
        lambda: Trace("q", "?", [A], ["a", "a"]),
        "trace 'q': context holds the id 'a' twice; a copy of a passage needs its own id",
    ),
    (
        lambda: Trace("q", "?", [A], ["b"]),
        "trace 'q': context[0] is 'b', which passages lacks; add it there or take it out",
    ),
    (
        lambda: Trace("q", "?", [A, replace(A, text="x")]),
        f"trace 'q': passages[0] and passages[1] share the id 'a' but {DIFFER}",
    ),
    (
        lambda: Trace("q", "?", [A, replace(A, title="x")]),
        f"trace 'q': passages[0] and passages[1] share the id 'a' but {DIFFER}",
    ),
    (
        lambda: Trace("q", "?", [B, A, A]),
        f"trace 'q': passages[1] and passages[2] share the id 'a'; {TWICE}",
    ),
    (lambda: Trace("q", "?", answer=["x"]), "trace 'q': answer must be a string, got a list"),
    (lambda: Trace("q", "?", references=["x", None]), "trace 'q': references[1] must be a string, got null"),
    (
        lambda: Trace("q", "?", relevance={"a": "yes"}),
        "trace 'q': relevance.a must be a number, got the text 'yes'",
    ),
    (
        lambda: Trace("q", "?", relevance={1: 1, "1": 0}),
        "trace 'q': relevance holds the id '1' twice; keep one grade",
    ),
    (
        lambda: Trace("q", "?", meta={"a": {"b": float("inf")}}),
        "trace 'q': meta.a.b must be a finite number, got the number inf",
    ),
]


@pytest.mark.parametrize(("make", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_construction_refuses(make, message):
    with pytest.raises(InputError) as error:
        make()
    assert str(error.value) == message
