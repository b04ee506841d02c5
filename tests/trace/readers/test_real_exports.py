"""Real exported files beside the repository: each reads into the traces that its description names."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import boresight as bs
from boresight.trace import passage_id, read_traces, trace_to_dict
from helpers import additive_table

EXPORTS = Path(__file__).parents[3].parent / "shared" / "data"
if not (EXPORTS / "rag_traces").exists():
    pytest.skip("the data sets beside the repository are absent", allow_module_level=True)

FORMS = {
    "mirage_alce": ("alce", 2),
    "open_rag_eval": ("open-rag-eval", 7),
    "phoenix_demo_spans": ("openinference", 2),
    "phoenix_legacy_span": ("openinference", 1),
    "phoenix_otel_spans": ("openinference", 1),
    "ragas_shape": ("ragas", 40),
    "ragchecker": ("ragchecker", 2),
    "ragchecker_checked": ("ragchecker", 2),
    "trulens_otel_tru_chain": ("trulens", 1),
    "trulens_otel_tru_llama": ("trulens", 1),
}


@pytest.fixture
def exports():
    """Reads one of the files or folders."""
    return lambda *parts: read_traces(EXPORTS.joinpath(*parts))


def scores(stage):
    return [place.score for place in stage.ranking]


@pytest.mark.parametrize("name", FORMS)
def test_the_format_is_known_and_the_traces_survive_our_own_form(exports, name, tmp_path):
    reading = exports("rag_traces", f"{name}.jsonl")
    assert (reading.form, len(reading)) == FORMS[name]
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(trace_to_dict(trace)) + "\n" for trace in reading))
    assert read_traces(path).traces == reading.traces


def test_no_export_is_forgotten():
    assert {path.stem for path in (EXPORTS / "rag_traces").glob("*.jsonl")} == set(FORMS)


@pytest.mark.parametrize("name", FORMS)
def test_every_export_audits(exports, name, tmp_path):
    traces = exports("rag_traces", f"{name}.jsonl").traces[:2]
    table = {
        trace.id: {
            **additive_table(dict.fromkeys(trace.context, -0.1)),
            "answer": trace.answer or "in Rome",
        }
        for trace in traces
    }
    fake = tmp_path / "fake.json"
    fake.write_text(json.dumps(table))
    result = bs.audit(
        EXPORTS / "rag_traces" / f"{name}.jsonl",
        generator=f"fake:{fake}",
        limit=2,
        placebo=0,
        out=tmp_path / "run",
    )
    assert result.failures == {}
    assert Counter(result.passages.index.get_level_values("trace")) == {
        trace.id: len(trace.context) for trace in traces
    }
    gaps = {gap for trace in traces for gap in trace.meta.get("not_recorded", ())}
    assert all(any(f"not recorded: {gap}" in warning for warning in result.run["warnings"]) for gap in gaps)


def test_phoenix_today_joins_spans_by_question(exports):
    first, second = exports("rag_traces", "phoenix_demo_spans.jsonl")
    assert (first.query, first.answer) == (
        "Can I use gRPC for trace collection?",
        "You can use gRPC for trace collection.",
    )
    assert [(stage.kind, len(stage.ranking), stage.ranking[0].score) for stage in first.stages] == [
        ("retrieve", 5, 0.7758796006766829)
    ]
    assert first.context == tuple(first.stages[0].ranking[index].id for index in (4, 2))  # as in the prompt
    assert [(stage.kind, len(stage.ranking), stage.cut) for stage in second.stages] == [
        ("retrieve", 5, None),
        ("rerank", 2, 2),
    ]
    assert scores(second.stages[1]) == [0.9972208, 0.9887988]
    assert second.context == tuple(place.id for place in second.stages[1].ranking)
    assert second.answer.startswith("You can persist data in the notebook")
    assert (second.history, second.meta) == ((), {})


def test_phoenix_of_earlier_ages_keeps_ids_scores_and_metadata(exports):
    (old,) = exports("rag_traces", "phoenix_legacy_span.jsonl")
    assert scores(old.stages[0]) == [0.8024018669959406, 0.7964861566463088]
    assert (old.stages[0].ranking[0].id, old.passages[0].metadata) == (
        "883e74ee-691a-46e0-acd7-f58bd565dad4",
        {"category": "ranking"},
    )
    (newer,) = exports("rag_traces", "phoenix_otel_spans.jsonl")
    assert (newer.query, newer.answer) == ("tell me about postal service", "How are you?")
    assert [passage.metadata["page_label"] for passage in newer.passages] == ["7", "6", "4"]
    assert newer.meta["not_recorded"] == ("context",)  # the published texts are placeholders


@pytest.mark.parametrize(("name", "size"), [("chain", 4), ("llama", 3)])
def test_trulens_texts_stand_in_the_recorded_prompt(exports, name, size):
    (trace,) = exports("rag_traces", f"trulens_otel_tru_{name}.jsonl")
    assert (trace.query, len(trace.context)) == ("What is multi-headed attention?", size)
    assert [stage.kind for stage in trace.stages] == ["retrieve"]
    assert trace.context == tuple(place.id for place in trace.stages[0].ranking)
    assert trace.context[0] == passage_id(None, trace.passages[0].text)
    assert trace.meta["not_recorded"] == ("passage ids", "scores")


def test_ragas_is_the_run_that_it_was_made_of(exports):
    reading, origin = exports("rag_traces", "ragas_shape.jsonl"), exports("aragog", "traces.jsonl")
    for one, other in zip(reading, origin, strict=False):
        assert (one.query, one.answer, one.references) == (other.query, other.answer, other.references)
        assert [p.text for p in one.passages] == [p.text for p in other.passages]


def test_open_rag_eval_and_ragchecker_keep_their_ids(exports):
    reading = exports("rag_traces", "open_rag_eval.jsonl")
    assert [trace.id for trace in reading] == [*(f"query_{n}" for n in range(1, 7)), "query_6#2"]
    assert reading[2].context == ("[2]", "[3]")
    checked = exports("rag_traces", "ragchecker_checked.jsonl")
    assert [trace.context for trace in checked] == [("000", "001", "002", "003"), ("000", "001", "002")]
    assert checked[1].meta["metrics"]["precision"] == 0.8


def test_cast_has_its_turns_its_three_runs_and_its_judgements(exports):
    reading = exports("cast")
    assert len(reading) == 595
    by_id = {trace.id: trace for trace in reading}
    later = by_id["106_3"]
    assert [turn.role for turn in later.history] == ["user", "assistant"] * 2
    assert (later.query, later.meta["resolved"]) == (
        "How deadly is it?",
        "How deadly is lobular carcinoma in situ?",
    )
    assert [stage.name for stage in later.stages] == [
        "org_convdr.run",
        "org_manual_ance_bert.run",
        "org_manual_bm25.run",
    ]
    assert {len(stage.ranking) for stage in later.stages} == {20}
    assert [turn.role for turn in by_id["32_3"].history] == ["user", "user"]  # no passage was published
    judged = sum(len(trace.relevance) for trace in reading)
    lines = sum(path.read_bytes().count(b"\n") for path in (EXPORTS / "cast").glob("qrels_*.txt"))
    assert judged == lines == 22379 + 20906 + 10660


def test_the_runs_of_trec_eval_are_ranked_by_score(exports):
    reading = exports("trec_eval", "results.test")
    assert [trace.id for trace in reading] == ["301", "302", "303"]
    for trace in reading:
        found = scores(trace.stages[0])
        assert len(found) == 500
        assert all(one >= other for one, other in pairwise(found))
    assert exports("trec_eval", "results.trunc")[0].stages[0].name == "STANDARD"


@pytest.mark.parametrize(("folder", "count"), [("cranfield", 159), ("nq_open", 1871)])
def test_beir_folders(exports, folder, count):
    reading = exports(folder)
    assert (reading.form, len(reading)) == ("beir", count)
    assert all(set(trace.relevance) == {passage.id for passage in trace.passages} for trace in reading)
