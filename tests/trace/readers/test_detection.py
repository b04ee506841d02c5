from __future__ import annotations

import io
import json
import sys

import pytest

from boresight.errors import InputError, SpecError
from boresight.trace import read_traces
from boresight.trace.readers import FORMATS, Source, detect
from rag_records import RECORDS
from rag_spans import otlp, pipeline


@pytest.mark.parametrize("name", RECORDS)
def test_a_line_of_each_format_is_known_and_named(read, name):
    assert read(RECORDS[name]).form == name


@pytest.mark.parametrize("name", RECORDS)
def test_a_list_over_several_lines_is_read_like_lines(read, name):
    text = json.dumps([RECORDS[name]], indent=1)
    assert (read(text).form, len(read(text))) == (name, 1)


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("question,contexts,answer\n?,['a'],b", "ragas"),
        ("query_id,query,passage,generated_answer\n1,?,a,b", "open-rag-eval"),
        ('event_id,record_attributes\n1,"{""ai.observability.retrieval.x"": 1}"', "trulens"),
        ("query,passage\n?,a", "csv"),
        ("query;passage\n?;a", "csv"),
        ("1 Q0 d1 1 2.5 tag", "trec"),
        ("1 0 d1 2", "trec"),
        ('{"resourceSpans": [' + json.dumps(otlp(pipeline())["resourceSpans"][0]) + "]}", "openinference"),
    ],
)
def test_tables_runs_and_envelopes_are_known_by_content(read, line, name):
    assert (
        detect(Source("anything", iter([one.encode() for one in line.splitlines(keepends=True)]))).name
        == name
    )


def test_meta_fields_do_not_make_another_format_of_a_boresight_trace(read):
    extra = {"run_type": 1, "inputs": 2, "record_attributes": 3, "source_nodes": 4, "span_kind": 5}
    assert read({"query": "?", "passages": [], **extra}).form == "boresight"


def test_a_named_format_is_not_guessed(read):
    assert read({"query": "?", "docs": ["a"], "passages": []}, form="alce")[0].passages[0].text == "a"
    with pytest.raises(
        SpecError, match="there is no format 'excel'; the formats are boresight, beir, openinf"
    ):
        read({"query": "?"}, form="excel")


def test_what_no_format_knows_is_read_as_boresight_which_says_what_is_missing(read):
    with pytest.raises(InputError, match=r"export.jsonl, line 1: query is missing"):
        read({"a": 1})
    with pytest.raises(InputError, match=r"line 1, column 1: malformed JSON"):
        read("plain words", name="notes.txt")


def test_standard_input_is_looked_at_and_read_once(monkeypatch):
    lines = b"\xef\xbb\xbf" + b"\n".join(json.dumps({**RECORDS["ragas"], "id": n}).encode() for n in range(9))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines)))
    reading = read_traces("-")
    assert (reading.form, [trace.id for trace in reading]) == ("ragas", [str(n) for n in range(9)])


def test_lines_are_read_one_by_one_up_to_the_limit(read):
    lines = [{**RECORDS["ragas"], "id": n} for n in range(9)]
    assert len(read(*lines, "broken", limit=9)) == 9
    with pytest.raises(InputError, match="line 10, column 1: malformed JSON"):
        read(*lines, "broken")


@pytest.mark.parametrize("end", [b"\r\n", b"\n\n"])
def test_marks_and_line_ends_of_other_systems_are_passed_over(read, end):
    line = json.dumps(RECORDS["ragas"]).encode()
    content = b"\xef\xbb\xbf" + line + end + line.replace(b"?", b"!") + end
    assert [trace.query for trace in read(content)] == ["?", "!"]


def test_an_empty_folder_names_no_format(tmp_path):
    with pytest.raises(InputError, match="is a directory; name a file of traces in it"):
        read_traces(tmp_path)


def test_every_format_has_its_own_name():
    assert len({one.name for one in FORMATS}) == len(FORMATS) == 13
