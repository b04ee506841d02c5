from __future__ import annotations

import csv
import io
import json

import pytest

from boresight.errors import InputError
from boresight.trace import passage_id

TEXTS = ["Bo slept.", "Anna lit the lamp."]
IDS = [passage_id(None, text) for text in TEXTS]
PREFIX = "ai.observability."


def event(kind, span, parent="", start=0, record="r1", **attributes):
    named = {f"{PREFIX}{key.replace('__', '.')}": value for key, value in attributes.items()}
    return {
        "record": {"name": f"app.module.{kind}.call"},
        "record_attributes": {f"{PREFIX}span_type": kind, f"{PREFIX}record_id": record, **named},
        "start_timestamp": f"2025-01-01 00:00:0{start}",
        "trace": {"trace_id": "9", "span_id": span, "parent_id": parent},
    }


def retrieval(span, parent, start, texts=TEXTS):
    return event(
        "retrieval", span, parent, start, retrieval__query_text="Who?", retrieval__retrieved_contexts=texts
    )


def app(model="generation"):
    prompt = {"call__kwargs__input": "messages=[Human(content='Anna lit\\nthe lamp.\\nBo slept.\\nWho?')]"}
    return [
        event("record_root", "1", record_root__input="Who?", record_root__output="Anna."),
        retrieval("2", "1", 1),
        retrieval("3", "2", 2),
        event("unknown", "4", "1", 3, call__return="joined", call__kwargs__docs=["page_content='Bo slept.'"]),
        event(model, "5", "1", 4, call__return="Anna.", **prompt),
    ]


def test_a_record_is_one_trace_and_nested_retrievals_one_stage(read_one):
    trace = read_one(*app())
    assert (trace.id, trace.query, trace.answer) == ("r1", "Who?", "Anna.")
    assert [(stage.name, [place.id for place in stage.ranking]) for stage in trace.stages] == [
        ("retrieval.call", IDS)
    ]
    assert trace.context == (IDS[1], IDS[0])  # as they stand in the printed prompt
    assert trace.meta["not_recorded"] == ("passage ids", "scores")


def test_without_a_generation_the_last_inner_call_with_a_text_is_the_model(read_one):
    events = app(model="unknown")
    del events[3]
    assert read_one(*events).context == (IDS[1], IDS[0])


def test_an_outer_retrieval_that_kept_less_is_a_stage_of_its_own(read_one):
    trace = read_one(retrieval("2", "", 0, TEXTS[1:]), retrieval("3", "2", 1))
    assert [(stage.name, stage.kind) for stage in trace.stages] == [
        ("retrieval.call", "retrieve"),
        ("retrieval.call#2", "filter"),
    ]


@pytest.mark.parametrize("written", [json.dumps, repr])
def test_the_event_table_as_csv(read_one, written):
    table = io.StringIO()
    rows = ([written(one[key]) for key in ("record_attributes", "trace")] for one in app())
    csv.writer(table).writerows([["record_attributes", "trace"], *rows])
    assert read_one(table.getvalue(), name="events.csv").answer == "Anna."


def test_an_event_without_attributes_is_refused(read):
    with pytest.raises(
        InputError, match="line 2: record_attributes is missing; export the whole event table"
    ):
        read(app()[0], {"record": {}})
