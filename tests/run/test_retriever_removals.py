"""Removals in an audit: what moves the passages at the retriever's cut."""

import json

import pytest

import boresight as bs
from boresight.models.fake import FakeGenerator
from boresight.models.rankers.bm25 import Bm25Ranker
from boresight.report.html.data import report_data
from boresight.report.saliency_text import removal_sentences, retriever_lines
from boresight.run.retriever_removals import removals_of
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


def test_neighbours_that_were_removed_read_as_one_and_dots_stand_for_what_stays():
    removal = {"spans": [[0, 3], [4, 7], [12, 15]], "texts": ["the", "old", "sea"]}
    found = {"passage": "a", "side": "query", "cut": 1, "rank": 0, "removals": [removal, removal]}
    (said,) = removal_sentences({"failed": None, "passages": [found]})
    assert said == 'a leaves the first place without "the old … sea" in the question (1 more as small)'


def test_more_ranked_than_kept_makes_the_context_the_cut():
    line = audit(TRACE | {"context": ["a", "b"]})
    assert line.removals["t"]["cut"] == 2


def test_every_passage_of_the_context_is_tried_and_the_first_beyond_the_cut():
    tried = {one["passage"] for one in audit(TRACE | {"context": ["a", "b"]}).removals["t"]["passages"]}
    assert tried == {"a", "b", "c"}
    far = {one["passage"] for one in audit(TRACE | {"context": ["c"]}).removals["t"]["passages"]}
    assert far == {"a", "b", "c"}


def test_the_terminal_shows_the_two_at_the_cut_and_counts_the_others():
    run = audit(TRACE | {"context": ["a", "b"]})
    trace = run.traces["t"]
    shown = [line.plain for line in retriever_lines(run, trace)]
    assert sum("b leaves the first 2" in line for line in shown) == 2
    assert not any("a leaves" in line for line in shown)
    assert "what moves 1 other passage: in the HTML report" in shown


def test_a_query_with_words_removed_is_ranked_once_for_all_passages():
    asked = []

    class Counted(Bm25Ranker):
        def score(self, query, passages):
            asked.append((query, tuple(passages)))
            return super().score(query, passages)

    removals_of(audit().traces["t"], Counted(Bm25Ranker.fit(TEXTS).statistics))
    whole = [one for one in asked if len(one[1]) == len(TEXTS)]
    assert len(whole) == len(set(whole)) == 3  # the question, and less one word or the other


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
