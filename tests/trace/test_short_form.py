from __future__ import annotations

import pytest

from boresight.trace import Passage, Ranked, Stage, Turn, passage_id


def test_passages_are_ranking_and_context_in_their_order(read_one):
    trace, warnings = read_one(
        {"id": "q", "query": "?", "passages": [{"id": "b", "text": "B"}, {"id": "a", "text": "A"}]}
    )
    assert trace.passages == (Passage("b", "B"), Passage("a", "A"))
    assert trace.context == ("b", "a")
    assert trace.stages == (Stage("retrieve", "retrieve", (Ranked("b"), Ranked("a"))),)
    assert warnings == []


def test_a_passage_without_score_has_none_rather_than_zero(read_one):
    passages = [
        {"id": "a", "text": "", "score": 0},
        {"id": "b", "text": ""},
        {"id": "c", "text": "", "score": None},
    ]
    trace, _ = read_one({"query": "?", "passages": passages})
    assert trace.last_ranking().ranking == (Ranked("a", 0.0), Ranked("b"), Ranked("c"))


def test_relevant_is_a_grade_and_null_is_no_label(read_one):
    labels = {"a": True, "b": False, "c": None, "d": 3, "e": -1.5}
    trace, _ = read_one(
        {"query": "?", "passages": [{"id": k, "text": k, "relevant": v} for k, v in labels.items()]}
    )
    assert trace.relevance == {"a": 1.0, "b": 0.0, "d": 3.0, "e": -1.5}


@pytest.mark.parametrize("name", ["answers", "references"])
@pytest.mark.parametrize(
    ("value", "expected"), [("x", ("x",)), (["x", "y"], ("x", "y")), ([], ()), (None, ())]
)
def test_references_have_two_names_and_two_shapes(read_one, name, value, expected):
    assert read_one({"query": "?", "passages": [], name: value})[0].references == expected


def test_references_under_both_names_may_agree(read_one):
    assert read_one({"query": "?", "passages": [], "answers": "x", "references": ["x"]})[0].references == (
        "x",
    )


@pytest.mark.parametrize(
    ("extra", "expected"),
    [({}, None), ({"answer": None}, None), ({"answer": ""}, ""), ({"answer": "x"}, "x")],
)
def test_an_absent_answer_differs_from_an_empty_one(read_one, extra, expected):
    assert read_one({"query": "?", "passages": [], **extra})[0].answer == expected


def test_unknown_fields_join_meta_and_metadata_in_their_order(read_one):
    passage = {"id": "a", "text": "", "url": "u", "metadata": {"page": 1}, "rank": None}
    trace, warnings = read_one(
        {"query": "?", "source": "s", "meta": {"topic": "t"}, "passages": [passage], "k": [1]}
    )
    assert list(trace.meta.items()) == [("topic", "t"), ("source", "s"), ("k", (1,))]
    assert list(trace.passages[0].metadata.items()) == [("page", 1), ("url", "u"), ("rank", None)]
    assert warnings == []


def test_history_is_read(read_one):
    history = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": ""}]
    assert read_one({"query": "?", "passages": [], "history": history})[0].history == (
        Turn("user", "Hi"),
        Turn("assistant", ""),
    )


def test_passages_without_id_get_one_from_their_content_and_twins_stay_two(read_one):
    twin, other = {"text": "x", "title": "T"}, {"text": "x", "title": None}
    trace, _ = read_one({"query": "?", "passages": [twin, other, twin, twin]})
    base = passage_id("T", "x")
    assert trace.context == (base, passage_id(None, "x"), f"{base}#2", f"{base}#3")


def test_equal_texts_under_two_given_ids_are_two_passages(read_one):
    trace, _ = read_one({"query": "?", "passages": [{"id": "a", "text": "x"}, {"id": "b", "text": "x"}]})
    assert trace.context_passages == (Passage("a", "x"), Passage("b", "x"))


def test_a_given_id_that_equals_a_content_id_keeps_it_wherever_it_stands(read_one):
    base = passage_id(None, "x")
    trace, _ = read_one({"query": "?", "passages": [{"text": "x"}, {"id": base, "text": "x"}]})
    assert trace.context == (f"{base}#2", base)


def test_null_ids_and_null_lists_count_as_absent(read_one):
    null = dict.fromkeys(["id", "history", "references", "relevance", "meta", "stages", "context", "answer"])
    trace, warnings = read_one(
        {"query": "?", "passages": [{"id": None, "text": "x", "title": None, "metadata": None}], **null}
    )
    assert trace.context == (passage_id(None, "x"),)
    assert (trace.history, trace.meta, warnings) == ((), {}, [])


def test_no_passages_is_an_empty_context_and_a_missing_field_is_told(read_one):
    trace, warnings = read_one({"id": "q", "query": "?", "passages": []})
    assert (trace.context, warnings) == ((), [])
    trace, warnings = read_one({"id": "q", "query": "?"})
    assert trace.context == ()
    assert warnings == [
        (
            "traces.jsonl, line 1: trace 'q': "
            "passages is missing, so there is no context to audit, only closed book"
        )
    ]
