from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from boresight.trace import Passage, Ranked, Stage, passage_id, trace_from_dict

FUNNEL = {
    "id": "q1",
    "query": "Where was Marie Curie born?",
    "history": [{"role": "user", "content": "Hi"}],
    "passages": [
        {"id": "p3", "text": "Warsaw.", "title": None, "metadata": {}},
        {"id": 4, "text": "Paris."},
        {"text": "Rome."},
    ],
    "stages": [
        {
            "name": "bm25",
            "kind": "retrieve",
            "ranking": [{"id": "gone", "score": 11.2}, {"id": "p3"}, {"id": 4}],
            "cut": 100,
        },
        {
            "name": "minilm",
            "kind": "rerank",
            "ranking": [{"id": "p3", "score": 0.7}, {"id": "4", "score": 0.9}],
            "notes": ["n"],
        },
    ],
    "context": ["p3", 4],
    "answer": "Warsaw.",
    "references": ["Warsaw"],
    "relevance": {"p3": True, "elsewhere": 2, "4": None},
    "meta": {"topic": "people"},
}


def test_every_field_of_the_long_form_is_read(read_one):
    trace, warnings = read_one(FUNNEL)
    assert trace.passages == (
        Passage("p3", "Warsaw."),
        Passage("4", "Paris."),
        Passage(passage_id(None, "Rome."), "Rome."),
    )
    assert trace.stages == (
        Stage("bm25", "retrieve", (Ranked("gone", 11.2), Ranked("p3"), Ranked("4")), cut=100),
        Stage("minilm", "rerank", (Ranked("p3", 0.7), Ranked("4", 0.9)), notes=("n",)),
    )
    assert (trace.context, trace.relevance, trace.meta) == (
        ("p3", "4"),
        {"p3": 1.0, "elsewhere": 2.0},
        {"topic": "people"},
    )
    assert warnings == []


def test_a_context_without_stages_has_no_ranking(read_one):
    trace, warnings = read_one({"query": "?", "passages": [{"id": "a", "text": ""}], "context": ["a"]})
    assert (trace.stages, trace.last_ranking(), warnings) == ((), None, [])


def test_a_score_on_a_passage_is_metadata_since_rankings_hold_the_scores(read_one):
    trace, _ = read_one({"query": "?", "passages": [{"id": "a", "text": "", "score": 0.5}], "context": ["a"]})
    assert trace.passages[0].metadata == {"score": 0.5}


def test_a_label_on_a_passage_counts_as_in_the_short_form(read_one):
    passages = [{"id": "a", "text": "", "relevant": True}, {"id": "b", "text": "", "relevant": 2}]
    assert read_one({"query": "?", "passages": passages, "context": [], "relevance": {"b": 2}})[
        0
    ].relevance == {"a": 1, "b": 2}


def test_an_identical_copy_of_a_passage_is_kept_once_with_a_warning(read_one):
    passages = [{"id": "a", "text": "x", "n": 1}, {"id": "a", "text": "x", "title": "", "n": 2}]
    trace, warnings = read_one({"id": "q", "query": "?", "passages": passages, "context": ["a"]})
    assert trace.passages == (Passage("a", "x", metadata={"n": 1}),)
    assert warnings == [
        (
            "traces.jsonl, line 1: trace 'q': passages holds 'a' more than once with the same text; "
            "it is kept once, with its first metadata"
        )
    ]


def test_unknown_fields_without_a_place_are_named_once_a_kind_of_object(read_one):
    ranking = [{"id": "a", "rank": 0}, {"id": "b", "rank": 1, "why": ""}]
    stages = [{"name": "s", "kind": "fuse", "ranking": ranking, "model": "m"}]
    trace, warnings = read_one(
        {
            "id": "q",
            "query": "?",
            "context": [],
            "stages": stages,
            "history": [{"role": "user", "content": "", "name": "n"}],
        }
    )
    assert trace.stages[0].ranking == (Ranked("a"), Ranked("b"))
    prefix = "traces.jsonl, line 1: trace 'q':"
    assert sorted(warnings) == [
        f"{prefix} history[] has fields that are unknown and were left out: 'name'",
        f"{prefix} stages[] has fields that are unknown and were left out: 'model'",
        f"{prefix} stages[].ranking[] has fields that are unknown and were left out: 'rank', 'why'",
    ]


@given(st.permutations(range(6)))
def test_the_order_of_passages_changes_nothing_but_itself(order):
    passages = [{"id": name, "text": name * 2, "relevant": name == "c"} for name in "abcd"] + [
        {"text": "x"},
        {"text": "x"},
    ]
    rest = {
        "query": "?",
        "context": ["d", "a"],
        "stages": [{"name": "s", "kind": "fuse", "ranking": [{"id": "b"}]}],
    }
    usual = trace_from_dict({**rest, "passages": passages})
    other = trace_from_dict({**rest, "passages": [passages[index] for index in order]})
    assert set(other.passages) == set(usual.passages)
    assert (other.context_passages, other.stages, other.relevance) == (
        usual.context_passages,
        usual.stages,
        usual.relevance,
    )
