"""LangChain results and runs, LlamaIndex responses: as JSON, and as objects like those of the libraries."""

from __future__ import annotations

import json
from datetime import date
from types import SimpleNamespace

import numpy as np
import pytest

from boresight.errors import InputError
from boresight.trace import passage_id, read_objects
from boresight.trace.readers.documents import as_document
from boresight.trace.readers.llama_index import trace_of


def document(text, name=None, **metadata):
    return SimpleNamespace(page_content=text, id=name, metadata=metadata)


def constructor(kind, **fields):
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "x", kind], "kwargs": fields}


@pytest.mark.parametrize(
    "value",
    [
        {"page_content": "a", "metadata": {"k": 1}, "id": "d", "type": "Document"},
        constructor("Document", page_content="a", metadata={"k": 1}, id="d"),
        document("a", "d", k=1),
        {"node": {"id_": "d", "text": "a", "metadata": {"k": 1}, "class_name": "TextNode"}},
        {
            "node": {
                "id_": "d",
                "text_resource": {"text": "a"},
                "metadata": {"k": 1},
                "class_name": "TextNode",
            }
        },
        SimpleNamespace(node_id="d", get_content=lambda: "a", metadata={"k": 1}),
        {"text": "a", "id": "d", "k": 1},
    ],
)
def test_every_shape_of_a_passage_gives_the_same(value):
    assert as_document(value) == {"text": "a", "id": "d", "metadata": {"k": 1}}


@pytest.mark.parametrize(
    "value",
    [
        ({"text": "a"}, np.float32(0.5)),
        SimpleNamespace(node=SimpleNamespace(node_id="d", get_content=lambda: "a", metadata={}), score=0.5),
        {"node": {"text": "a"}, "score": "0.5"},
        document("a", relevance_score=0.5),
    ],
)
def test_every_place_of_a_score_is_found(value):
    assert as_document(value)["score"] == 0.5


def test_a_score_of_zero_is_a_score_and_none_is_absent():
    assert as_document({"text": "a", "score": 0})["score"] == 0
    assert "score" not in as_document({"node": {"text": "a"}, "score": None})


def test_metadata_that_json_cannot_hold_becomes_text():
    held = {"day": date(2025, 1, 2), "page": np.int64(3), "tags": {"x"}, "deep": {1: (None, True)}}
    assert as_document(document("a", **held))["metadata"] == {
        "day": "2025-01-02",
        "page": 3,
        "tags": ["x"],
        "deep": {"1": [None, True]},
    }


def test_what_is_no_passage_is_refused():
    with pytest.raises(
        InputError, match="a passage must be a text, an object or a library's document, got the n"
    ):
        as_document(3)


def test_a_chain_result_as_json_and_in_memory(read_one):
    result = {
        "input": "Who?",
        "context": [{"page_content": "a", "metadata": {}, "type": "Document"}],
        "answer": "Anna.",
        "chat_history": [["human", "Hi"], ["ai", "Hello"]],
    }
    in_memory = {**result, "context": [document("a")], "answer": SimpleNamespace(content="Anna.")}
    for trace in (read_one(result), *read_objects([in_memory])):
        assert (trace.query, trace.answer, trace.context) == ("Who?", "Anna.", (passage_id(None, "a"),))
        assert [(turn.role, turn.content) for turn in trace.history] == [
            ("user", "Hi"),
            ("assistant", "Hello"),
        ]


def test_a_question_answering_chain(read_one):
    documents = [constructor("Document", page_content="a", metadata={"source": "x"})]
    trace = read_one({"query": "Who?", "result": "Anna.", "source_documents": documents})
    assert (trace.answer, trace.passages[0].metadata) == ("Anna.", {"source": "x"})


def runs():
    documents = [
        {"page_content": "Bo slept.", "metadata": {}},
        {"page_content": "Anna lit it.", "metadata": {}},
    ]
    messages = [
        [
            constructor("SystemMessage", content="Use: Anna lit it."),
            constructor("HumanMessage", content="Who?"),
        ]
    ]
    outputs = {"generations": [[{"text": "Anna.", "message": constructor("AIMessage", content="Anna.")}]]}
    return [
        {
            "id": "1",
            "name": "chain",
            "run_type": "chain",
            "inputs": {"input": "Who?"},
            "outputs": {"output": "Anna."},
        },
        {
            "id": "2",
            "parent_run_id": "1",
            "name": "vectors",
            "run_type": "retriever",
            "inputs": {"query": "Who?"},
            "outputs": {"documents": documents},
        },
        {
            "id": "3",
            "parent_run_id": "1",
            "name": "model",
            "run_type": "llm",
            "inputs": {"messages": messages},
            "outputs": outputs,
        },
    ]


def test_runs_one_a_line_and_nested(read_one):
    root, *inner = runs()
    for lines in ([{**one, "trace_id": "1"} for one in runs()], [{**root, "child_runs": inner}]):
        trace = read_one(*lines)
        assert (trace.id, trace.query, trace.answer) == ("1", "Who?", "Anna.")
        assert [(stage.name, stage.kind, len(stage.ranking)) for stage in trace.stages] == [
            ("vectors", "retrieve", 2)
        ]
        assert trace.context == (passage_id(None, "Anna lit it."),)


def test_a_compressor_that_is_a_plain_function_is_a_reranker(read_one):
    root, retriever, _ = runs()
    documents = retriever["outputs"]["documents"]
    reranker = {
        "id": "4",
        "parent_run_id": "1",
        "name": "rerank",
        "run_type": "chain",
        "inputs": {"documents": documents, "query": "Who?"},
        "outputs": {"output": documents[::-1]},
    }
    trace = read_one({**root, "child_runs": [retriever, reranker]})
    assert [(stage.name, stage.kind) for stage in trace.stages] == [
        ("vectors", "retrieve"),
        ("rerank", "rerank"),
    ]


def test_a_response_needs_its_question_beside_it(read, read_one):
    response = {"response": "Anna.", "source_nodes": [{"node": {"id_": "n", "text": "a"}, "score": 0.5}]}
    for record in ({"query": "Who?", **response}, {"query": "Who?", "response": response}):
        trace = read_one(json.dumps(record))
        assert (trace.query, trace.answer, trace.stages[0].ranking[0].score) == ("Who?", "Anna.", 0.5)
    with pytest.raises(InputError, match="line 1: query is missing; every trace needs one"):
        read(response)


def test_a_response_object_and_its_question():
    node = SimpleNamespace(node_id="n", get_content=lambda: "a", metadata={"page": object})
    scored = SimpleNamespace(node=node, score=0.5)

    class Response:
        source_nodes = (scored,)
        metadata = None

        def __str__(self):
            return "Anna."

    (trace,) = read_objects([trace_of(Response(), "Who?")])
    assert (trace.answer, trace.context, trace.stages[0].ranking[0].score) == ("Anna.", ("n",), 0.5)
    with pytest.raises(InputError, match="the response has no source_nodes"):
        trace_of("Anna.", "Who?")
