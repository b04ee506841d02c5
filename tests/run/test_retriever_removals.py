"""Removals in an audit: what moves the passages at the retriever's cut."""

import json

import pytest

import boresight as bs
from boresight.models.fake import FakeGenerator
from boresight.models.rankers.bm25 import Bm25Ranker
from boresight.report.html.data import report_data
from boresight.report.saliency_text import removal_sentences
from helpers import additive_table

QUERY = "copper bridge"
TEXTS = {
    "a": "The copper bridge stands. It is old.",
    "b": "A bridge of stone. Nothing else.",
    "c": "Bread and cheese.",
}
TRACE = {
    "id": "t",
    "query": QUERY,
    "passages": [{"id": key, "text": text} for key, text in TEXTS.items()],
    "context": ["a"],
}
GENERATOR = FakeGenerator({"t": additive_table({"a": 1.0})})


def audit(trace=TRACE, explain=("removals",), **settings):
    ranker = Bm25Ranker.fit(TEXTS)
    return bs.audit([trace], generator=GENERATOR, retriever=ranker, explain=list(explain), **settings)


def test_the_passages_at_the_cut_are_moved_by_words_and_sentences():
    line = audit().removals["t"]
    assert (line["cut"], line["failed"]) == (1, None)
    assert [(one["passage"], one["side"]) for one in line["passages"]] == [
        ("a", "query"), ("a", "passage"), ("b", "query"), ("b", "passage"),
    ]  # fmt: skip
    falls = line["passages"][1]["removals"][0]
    assert falls["texts"] == ["The copper bridge stands."]
    assert falls["rank"] > 0


def test_a_sentence_tells_each():
    said = list(removal_sentences(audit().removals["t"]))
    assert said[1] == 'a leaves the first place without "The copper bridge stands." in its text'
    assert "nothing that was tried in its text" in said[3]


def test_more_ranked_than_kept_makes_the_context_the_cut():
    line = audit(TRACE | {"context": ["a", "b"]})
    assert line.removals["t"]["cut"] == 2


def test_one_passage_has_no_cut():
    alone = {"id": "t", "query": QUERY, "passages": [{"id": "a", "text": TEXTS["a"]}]}
    line = audit(alone).removals["t"]
    assert (line["cut"], line["passages"]) == (None, [])


def test_a_killed_search_goes_on_and_gives_the_same_bytes(tmp_path):
    run = audit(out=tmp_path / "run")
    place = run.folder / "removals.jsonl"
    whole = place.read_bytes()
    place.write_bytes(whole[:40])
    audit(out=tmp_path / "run")
    assert place.read_bytes() == whole


def test_a_failing_ranker_is_a_reason_and_stops_nothing(tmp_path):
    class Broken(Bm25Ranker):
        calls = 0

        def score(self, query, passages):
            Broken.calls += 1
            if Broken.calls > 1:
                raise ValueError("no scores today")
            return super().score(query, passages)

    ranker = Broken(Bm25Ranker.fit(TEXTS).statistics)
    run = bs.audit([TRACE], generator=GENERATOR, retriever=ranker, explain=["removals"])
    assert run.removals["t"]["failed"] == "no scores today"


def test_removals_without_a_retriever_are_refused():
    with pytest.raises(bs.errors.SpecError, match="--explain removals needs --retriever"):
        bs.audit([TRACE], generator=GENERATOR, explain=["removals"])


def test_the_report_tells_them_unless_it_is_redacted(tmp_path):
    run = audit(out=tmp_path / "run")
    (trace,) = report_data(run.folder)["traces"]
    assert any("leaves the first place" in sentence for sentence in trace["moves"])
    assert "copper bridge stands" not in json.dumps(report_data(run.folder, redact=True))
