"""RAGChecker, open-rag-eval, ALCE and MIRAGE."""

from __future__ import annotations

import json

import pytest

from boresight.errors import InputError
from boresight.trace import passage_id

RECORD = {
    "query_id": "0",
    "query": "Who lit it?",
    "gt_answer": "Anna did.",
    "response": "Anna.",
    "retrieved_context": [{"doc_id": "a", "text": "one"}, {"doc_id": "b", "text": "two"}],
}


def test_ragchecker_as_lines_and_as_one_object(read_one):
    for source in (RECORD, json.dumps({"results": [RECORD]}), json.dumps({"results": [RECORD]}, indent=2)):
        trace = read_one(source)
        assert (trace.id, trace.query, trace.answer) == ("0", "Who lit it?", "Anna.")
        assert (trace.context, trace.references) == (("a", "b"), ("Anna did.",))
        assert trace.meta == {"not_recorded": ("scores",)}


def test_ragchecker_keeps_what_was_checked_and_passes_over_the_means(read):
    checked = {**RECORD, "metrics": {"precision": 80.0}, "response_claims": [["Anna", "lit", "it"]]}
    reading = read(checked, {"overall_metrics": {"overall": {"f1": 1.0}}})
    (trace,) = reading
    assert trace.meta["metrics"]["precision"] == 80.0
    assert reading.warnings[-1].endswith(
        "line 2 holds means over the file and no trace, so it was passed over"
    )


def test_ragchecker_ids_of_documents_that_hold_several_passages(read):
    context = [{"doc_id": "a", "text": "one"}, {"doc_id": "a", "text": "two"}, {"doc_id": "b", "text": "six"}]
    reading = read({**RECORD, "retrieved_context": context})
    (trace,) = reading
    assert trace.context == (passage_id(None, "one"), passage_id(None, "two"), "b")
    assert [passage.metadata.get("document_id") for passage in trace.passages] == ["a", "a", None]
    assert any("an id stands for several texts" in warning for warning in reading.warnings)


def row(query_id, run, passage_id, passage, answer=""):
    return {
        "query_id": query_id,
        "query": f"{query_id}?",
        "query_run": run,
        "passage_id": passage_id,
        "passage": passage,
        "generated_answer": answer,
    }


def test_open_rag_eval_rows_of_one_run_are_one_trace(read):
    reading = read(
        row("q", "1", "[1]", "one", "Yes [1]"), row("q", "1", "[2]", "two"), row("q", "2", "[1]", "one")
    )
    assert [(trace.id, trace.context, trace.answer) for trace in reading] == [
        ("q", ("[1]", "[2]"), "Yes [1]"),
        ("q#2", ("[1]",), None),
    ]


def test_open_rag_eval_rows_that_are_torn_apart_are_refused(read):
    with pytest.raises(InputError, match="line 3: the id 'q' is that of line 1 already"):
        read(row("q", "1", "[1]", "one"), row("p", "1", "[1]", "one"), row("q", "1", "[2]", "two"))


def test_mirage_has_documents_and_no_answer(read_one):
    trace = read_one(
        {"question": "Who?", "docs": [{"title": "T", "text": "one"}, {"title": "U", "text": "two"}]}
    )
    assert trace.context == (passage_id("T", "one"), passage_id("U", "two"))
    assert (trace.passages[0].title, trace.answer) == ("T", None)
    assert trace.meta["not_recorded"] == ("answer", "passage ids", "scores")


def test_alce_output_is_the_answer_and_answer_is_the_reference(read_one):
    record = {
        "sample_id": 4,
        "question": "Who?",
        "answer": "Gold.",
        "output": "Anna [1][2].",
        "docs": [{"id": "7", "title": "T", "text": "one", "score": "1.5", "summary": "s"}],
    }
    trace = read_one(json.dumps({"args": {}, "data": [record]}))
    assert (trace.id, trace.answer, trace.references) == ("4", "Anna [1][2].", ("Gold.",))
    assert (trace.stages[0].ranking[0].id, trace.stages[0].ranking[0].score) == ("7", 1.5)
    assert trace.passages[0].metadata == {"summary": "s"}


def test_alce_short_answers_may_be_lists_of_spellings(read_one):
    record = {"question": "Which?", "answers": [["A", "a."], ["B"]], "docs": [{"text": "one"}]}
    assert read_one(record).references == ("A", "a.", "B")
