from __future__ import annotations

import csv
import io
import json

import pytest

from boresight.errors import InputError
from boresight.trace.readers.attributes import nested
from rag_spans import DOCUMENTS, PROMPT, QUESTION, flat, otlp, pipeline, span


def check(trace):
    """What every shape of the one pipeline has to give."""
    assert (trace.id, trace.query, trace.answer) == ("t1", QUESTION, "Anna.")
    (stage,) = trace.stages
    assert (stage.name, stage.kind) == ("retriever", "retrieve")
    assert [(place.id, place.score) for place in stage.ranking] == [(n, s) for n, _, s in DOCUMENTS]
    assert trace.context == ("d2", "d1")  # as they stand in the prompt, in which white space differs
    assert [(turn.role, turn.content) for turn in trace.history] == [("user", "Hello."), ("assistant", "Hi!")]
    assert trace.passage("d1").metadata == {"page": 3}
    assert "not_recorded" not in trace.meta


def test_flat_attributes(read_one):
    check(read_one(*pipeline()))


def test_nested_attributes(read_one):
    check(read_one(*({**one, "attributes": nested(one["attributes"])} for one in pipeline())))


def test_documents_as_a_list_with_dotted_keys(read_one):
    retriever, *others = pipeline()
    documents = [
        {"document.id": n, "document.content": t, "document.score": s, "document.metadata": {"page": 3}}
        for n, t, s in DOCUMENTS
    ]
    retriever["attributes"] = {"input.value": QUESTION, "retrieval.documents": documents}
    retriever["span_kind"] = "RETRIEVER"
    check(read_one(retriever, *others))


def test_columns_of_a_data_frame_with_json_in_strings(read_one):
    rows = []
    for one in pipeline():
        attributes = {f"attributes.{key}": value for key, value in one["attributes"].items()}
        names = {"context.trace_id": "t1", "context.span_id": one["context"]["span_id"]}
        rows.append({**names, **{key: one[key] for key in ("name", "parent_id", "start_time")}, **attributes})
    check(read_one(*rows))


def test_a_csv_of_spans(read_one):
    documents = [{"document.id": n, "document.content": t, "document.score": s} for n, t, s in DOCUMENTS]
    rows = io.StringIO()
    names = [
        "name",
        "span_kind",
        "context.trace_id",
        "context.span_id",
        "attributes.input.value",
        "attributes.retrieval.documents",
    ]
    csv.writer(rows).writerows(
        [names, ["retriever", "RETRIEVER", "t1", "b", QUESTION, str(documents)]]  # as pandas writes a list
    )
    trace = read_one(rows.getvalue(), name="spans.csv")
    assert [place.score for place in trace.stages[0].ranking] == [0.9, 0.8, 0.7]


def test_otlp_as_one_document_and_as_lines(read_one):
    envelope = otlp(pipeline())
    check(read_one(json.dumps(envelope, indent=2)))
    check(read_one(*(otlp([one]) for one in pipeline())))


def test_a_span_list_of_a_server(read_one):
    check(read_one(json.dumps({"data": pipeline(), "next_cursor": None})))


def test_attributes_that_are_one_json_string_with_camel_case_ids(read_one):
    spans = [
        {
            "name": one["name"],
            "spanKind": one["attributes"]["openinference.span.kind"].lower(),
            "context": {"traceId": "t1", "spanId": one["context"]["span_id"]},
            "parentId": one["parent_id"],
            "startTime": one["start_time"],
            "attributes": json.dumps(one["attributes"]),
        }
        for one in pipeline()
    ]
    check(read_one(*spans))


def test_spans_of_several_traces_may_be_mixed(read):
    first, second = pipeline("t1"), pipeline("t2", "Who slept?")
    reading = read(*(one for pair in zip(first, second, strict=True) for one in pair))
    assert [(trace.id, trace.query) for trace in reading] == [("t1", QUESTION), ("t2", "Who slept?")]
    assert reading.form == "openinference"


def test_a_reranker_gives_what_it_was_given_and_what_it_kept(read_one):
    reranker = span(
        "RERANKER",
        {
            "reranker.query": QUESTION,
            "reranker.top_k": 2.0,
            **flat("reranker.input_documents"),
            "reranker.output_documents.0.document.id": "d2",
            "reranker.output_documents.0.document.content": "Anna lit the lamp.",
            "reranker.output_documents.0.document.score": 7.5,
        },
        "r",
        start=2,
    )
    trace = read_one(reranker)
    assert [(stage.name, stage.kind, stage.cut) for stage in trace.stages] == [
        ("reranker input", "retrieve", None),
        ("reranker", "rerank", 2),
    ]
    assert "how it came to be is not recorded" in trace.stages[0].notes[0]
    retriever = pipeline()[0]
    known = read_one(retriever, reranker)
    assert [stage.kind for stage in known.stages] == ["retrieve", "rerank"]  # the input is the retriever's
    assert known.context == ("d2",)
    assert known.meta["not_recorded"] == ("context", "answer")


def test_nested_retrievers_give_the_inner_candidates_and_what_left_the_outer(read_one):
    def retriever(name, parent, names, start):
        documents = {}
        for index, key in enumerate(names):
            documents[f"retrieval.documents.{index}.document.id"] = key
            documents[f"retrieval.documents.{index}.document.content"] = f"text {key}"
        one = span("RETRIEVER", {"input.value": "?", **documents}, name, parent, start=start)
        return {**one, "name": name}

    trace = read_one(
        retriever("bm25", "ensemble", "ab", 1),
        retriever("dense", "ensemble", "ca", 2),
        retriever("ensemble", "compressor", "abc", 0),
        retriever("handed on", "", "ac", 0),
        retriever("compressor", "handed on", "ac", 0),
    )
    assert [(stage.name, stage.kind) for stage in trace.stages] == [
        ("bm25", "retrieve"),
        ("dense", "retrieve"),
        ("ensemble", "fuse"),
        ("compressor", "filter"),  # the step around it handed the same ranking on and is no stage
    ]


def test_without_a_trace_id_the_question_joins_the_spans(read):
    retriever, model, root = pipeline()
    for one in (retriever, model, root):
        one["context"] = {}
    reading = read(retriever, model, root)
    (trace,) = reading
    assert (trace.answer, trace.context) == ("Anna.", ("d2", "d1"))
    assert any("carry no trace id" in warning for warning in reading.warnings)


def test_a_retriever_that_comes_again_without_trace_id_begins_another_trace(read):
    retriever = {**pipeline()[0], "context": {}}
    assert len(read(retriever, retriever)) == 2


def test_the_question_that_stands_last_in_a_prompt_is_its_own(read):
    def loose(one):
        return {**one, "context": {}, "parent_id": None}

    other = span("CHAIN", {"input.value": "Who slept?"}, "x")
    asked = span("RETRIEVER", {"input.value": "Who slept?", **flat()}, "y")
    model = span("LLM", {"llm.prompts.0": f"Who slept? Bo slept.\n{QUESTION}", "output.value": "Anna."}, "z")
    reading = read(*map(loose, (other, asked, pipeline()[0], model)))
    assert {trace.query: trace.answer for trace in reading} == {"Who slept?": None, QUESTION: "Anna."}


def test_questions_without_passages_are_left_out_and_counted(read):
    chat = span("LLM", {"llm.input_messages.0.message.content": "Hello"}, "m", trace="t2")
    reading = read(*pipeline(), chat)
    assert [trace.id for trace in reading] == ["t1"]
    assert reading.warnings[-1:] == (
        "export.jsonl: 1 question was left out, since no step of theirs holds retrieved passages",
    )
    with pytest.raises(
        InputError, match="holds steps but no retrieved passages; export the retriever's spans"
    ):
        read(chat)


def test_a_prompt_without_any_passage_leaves_the_context_unrecorded(read_one):
    retriever, model, root = pipeline()
    for key in list(model["attributes"]):
        if model["attributes"][key] == PROMPT:
            model["attributes"][key] = "a paraphrase"
    trace = read_one(retriever, model, root)
    assert trace.context == ("d1", "d2", "d3")
    assert trace.meta["not_recorded"] == ("context",)


def test_a_score_that_is_no_number_is_absent_and_marks_its_stage(read):
    retriever = pipeline()[0]
    retriever["attributes"]["retrieval.documents.1.document.score"] = float("nan")
    reading = read(retriever)
    (trace,) = reading
    assert [place.score for place in trace.stages[0].ranking] == [0.9, None, 0.7]
    assert trace.stages[0].notes == ("score of d2 was not finite",)


def test_an_id_that_stands_for_several_texts_names_no_passage(read_one):
    retriever = pipeline()[0]
    for index in range(3):
        retriever["attributes"][f"retrieval.documents.{index}.document.id"] = "report.pdf"
    trace = read_one(retriever)
    assert len(set(trace.context)) == 3
    assert "report.pdf" not in trace.context
    assert trace.passages[0].metadata["document_id"] == "report.pdf"


def test_a_document_without_text_is_refused_by_its_place(read):
    retriever = pipeline()[0]
    del retriever["attributes"]["retrieval.documents.1.document.content"]
    message = "export.jsonl, line 1: retrieval.documents: a passage must have a text, got null"
    with pytest.raises(InputError, match=message):
        read(retriever)


def test_another_question_put_to_the_retriever_is_kept(read_one):
    retriever, model, root = pipeline()
    retriever["attributes"]["input.value"] = "lamp lighter"
    trace = read_one(retriever, model, root)
    assert (trace.query, trace.meta["retrieval_query"]) == (QUESTION, "lamp lighter")


def test_hostile_text_in_a_span_is_mended_and_told(read):
    retriever = pipeline()[0]
    retriever["attributes"]["retrieval.documents.0.document.content"] = "bad \ud800 text"
    reading = read(json.dumps(retriever))
    assert reading[0].passage("d1").text == "bad \ufffd text"
    assert any("lone surrogates" in warning for warning in reading.warnings)
