from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from boresight.trace import Passage, Ranked, Stage, Trace, Turn, passage_id, trace_from_dict, trace_to_dict
from boresight.trace.reader import read_traces

TEXT = st.text(max_size=8)
IDS = st.text(min_size=1, max_size=4).filter(str.strip)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.none() | st.booleans() | st.integers(-(2**70), 2**70) | FINITE | TEXT
FREE = st.dictionaries(
    TEXT,
    st.recursive(
        SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2)
    ),
    max_size=3,
)
KINDS = st.sampled_from(["retrieve", "fuse", "filter", "rerank", "pack"])
TURNS = st.builds(Turn, st.sampled_from(["user", "assistant", "system"]), TEXT)


@st.composite
def stages(draw):
    ranked = draw(st.dictionaries(IDS, st.none() | FINITE, max_size=4))
    ranking = [Ranked(key, score) for key, score in ranked.items()]
    cut = draw(st.none() | st.integers(0, 100))
    return Stage(draw(IDS), draw(KINDS), ranking, cut, draw(st.lists(TEXT, max_size=2)))


@st.composite
def traces(draw):
    names = draw(st.lists(IDS, unique=True, max_size=4))
    return Trace(
        id=draw(IDS),
        query=draw(st.text(min_size=1, max_size=8)),
        passages=[Passage(name, draw(TEXT), draw(st.none() | TEXT), draw(FREE)) for name in names],
        context=draw(st.permutations(names))[: draw(st.integers(0, 4))],
        stages=draw(st.lists(stages(), unique_by=lambda stage: stage.name, max_size=3)),
        history=draw(st.lists(TURNS, max_size=2)),
        answer=draw(st.none() | TEXT),
        references=draw(st.lists(TEXT, max_size=2)),
        relevance=draw(st.dictionaries(IDS, st.booleans() | st.integers(-9, 9) | FINITE, max_size=3)),
        meta=draw(FREE),
    )


@given(traces())
def test_reading_what_was_written_gives_the_same_trace(trace):
    assert trace_from_dict(trace_to_dict(trace)) == trace


@given(traces())
def test_the_same_holds_through_json_text_to_the_last_byte(trace):
    text = json.dumps(trace_to_dict(trace), allow_nan=False, ensure_ascii=False)
    again = trace_from_dict(json.loads(text))
    assert json.dumps(trace_to_dict(again), ensure_ascii=False) == text
    text.encode()


def test_the_short_form_becomes_the_long_one():
    short = {
        "id": "q",
        "query": "?",
        "passages": [{"text": "x", "score": 2, "relevant": True, "url": "u"}],
        "source": "s",
    }
    name = passage_id(None, "x")
    assert trace_to_dict(trace_from_dict(short)) == {
        "id": "q",
        "query": "?",
        "history": [],
        "passages": [{"id": name, "text": "x", "title": None, "metadata": {"url": "u"}}],
        "stages": [
            {
                "name": "retrieve",
                "kind": "retrieve",
                "ranking": [{"id": name, "score": 2.0}],
                "cut": None,
                "notes": [],
            }
        ],
        "context": [name],
        "answer": None,
        "references": [],
        "relevance": {name: 1.0},
        "meta": {"source": "s"},
    }


def test_a_mended_trace_is_read_back_without_another_warning(write):
    first = read_traces(write('{"query":"\\ud800","passages":[{"text":"","score":NaN}],"cost":NaN}'))
    second = read_traces(write(trace_to_dict(first.traces[0])))
    assert len(first.warnings) == 3
    assert (second.traces, second.warnings) == (first.traces, ())


def test_what_was_written_shares_nothing_with_the_trace():
    trace = Trace("q", "?", meta={"a": [1]})
    written = trace_to_dict(trace)
    written["meta"]["a"].append(2)
    assert trace.meta == {"a": (1,)}
