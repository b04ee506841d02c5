from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from boresight.errors import InputError
from boresight.trace import Turn, passage_id, read_traces
from boresight.trace.capture import TraceFile, capture

HITS = [{"id": "a", "text": "Anna lit it.", "score": 2.0}, {"id": "b", "text": "Bo slept.", "score": 1.0}]


def only(path):
    (trace,) = read_traces(path)
    return trace


@pytest.fixture
def path(tmp_path):
    return tmp_path / "traces.jsonl"


def test_stages_context_and_answer_are_recorded_as_they_were(path):
    with capture(
        path, "Who?", trace_id="q", references="Anna", relevance={"a": 1}, meta={"user": 7}
    ) as trace:
        trace.stage("bm25", "retrieve", HITS, cut=10)
        trace.stage("minilm", "rerank", HITS[::-1])
        trace.context(["Anna lit it."])
        trace.answer("Anna.")
    read = only(path)
    assert (read.id, read.query, read.answer, read.context) == ("q", "Who?", "Anna.", ("a",))
    assert [(stage.name, stage.kind, stage.cut) for stage in read.stages] == [
        ("bm25", "retrieve", 10),
        ("minilm", "rerank", None),
    ]
    assert [(place.id, place.score) for place in read.stages[1].ranking] == [("b", 1.0), ("a", 2.0)]
    assert (read.references, read.relevance, read.meta) == (("Anna",), {"a": 1.0}, {"user": 7})


def test_three_lines_give_a_trace_and_what_was_not_told_is_not_recorded(path):
    with capture(path, "Who?") as trace:
        trace.stage("search", "retrieve", ["Anna lit it.", "Bo slept."])
        trace.answer("Anna.")
    read = only(path)
    assert read.context == (passage_id(None, "Anna lit it."), passage_id(None, "Bo slept."))
    assert read.meta == {"not_recorded": ("passage ids", "context", "scores")}


def test_documents_of_libraries_and_pairs_will_do(path):
    document = SimpleNamespace(page_content="Anna lit it.", id=None, metadata={"page": 1})
    with capture(
        path, "Who?", history=[Turn("user", "Hi"), {"role": "assistant", "content": "Hello"}]
    ) as trace:
        trace.stage("faiss", "retrieve", [(document, 0.25)])
    read = only(path)
    assert (read.stages[0].ranking[0].score, read.passages[0].metadata) == (0.25, {"page": 1})
    assert [turn.content for turn in read.history] == ["Hi", "Hello"]


def test_the_same_question_twice_gives_two_ids_even_in_another_process(path):
    for _ in range(2):
        with capture(path, "Who?") as trace:
            trace.stage("s", "retrieve", HITS)
    with capture(path, "Who?", trace_id=only_id(path)) as trace:
        trace.stage("s", "retrieve", HITS)
    ids = [trace.id for trace in read_traces(path)]
    assert ids == [ids[0], f"{ids[0]}#2", f"{ids[0]}#3"]


def only_id(path):
    return read_traces(path)[0].id


def test_a_block_that_raises_writes_nothing(path):
    with pytest.raises(KeyError), capture(path, "Who?") as trace:
        trace.stage("s", "retrieve", HITS)
        raise KeyError
    assert not path.exists()


def test_a_recording_without_passages_is_refused(path):
    message = r"nothing was recorded for 'Who\?'; call stage\(\) or context\(\)"
    with pytest.raises(InputError, match=message), capture(path, "Who?"):
        pass


def test_an_unknown_kind_is_refused_where_it_is_written(path):
    message = "kind must be one of retrieve, fuse, filter, rerank, pack"
    with pytest.raises(InputError, match=message), capture(path, "Who?") as trace:
        trace.stage("s", "search", HITS)


def test_many_threads_may_write_to_one_file(path):
    sink = TraceFile(path)

    def ask(number):
        with capture(sink, f"Who is {number % 10}?") as trace:
            trace.stage("s", "retrieve", HITS)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(ask, range(40)))
    assert len({trace.id for trace in read_traces(path)}) == 40


def test_without_a_path_traces_stay_in_memory():
    sink = TraceFile()
    with capture(sink, "Who?") as trace:
        trace.stage("s", "retrieve", HITS)
    assert [trace.query for trace in sink.traces] == ["Who?"]


def test_the_file_is_private_and_one_object_a_line(path):
    with capture(path, "Who?") as trace:
        trace.stage("s", "retrieve", HITS)
    assert path.stat().st_mode & 0o777 == 0o600
    assert json.loads(path.read_text())["query"] == "Who?"


@pytest.mark.parametrize(("module", "extra"), [("langchain", "langchain"), ("llama_index", "llama-index")])
def test_a_missing_library_is_named_with_the_command_that_brings_it(module, extra):
    code = (
        "import sys\n"
        "sys.modules['langchain_core'] = sys.modules['llama_index'] = None\n"
        f"import boresight.trace.capture.{module}\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f'run: pip install "boresight[{extra}]"' in done.stderr.splitlines()[-1]
