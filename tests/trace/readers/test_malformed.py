"""Whatever stands in a field: a trace that can be written, or one sentence, and never another error."""

from __future__ import annotations

import copy
import json

from hypothesis import given, settings
from hypothesis import strategies as st

from boresight.errors import InputError
from boresight.trace import trace_to_dict
from boresight.trace.reader import _reading
from boresight.trace.readers import Source, format_named, found_in
from rag_records import RECORDS
from rag_spans import otlp, pipeline

SOURCES = [(name, [record]) for name, record in RECORDS.items()]
SOURCES += [("openinference", pipeline()), ("openinference", [otlp(pipeline())])]
SOURCES += [("trec", [{"id": "1", "topic": 7, "turn": 1, "utterance": "Who?", "canonical_passage": "Anna."}])]
JUNK = [
    *(None, True, 3, -1.5, float("nan"), float("inf"), 10**400, "", " ", "text", "NaN", "\ud800", "\x00"),
    *("[1, 2]", "['a' 'b']", '{"a": 1}', "[{", [], {}, [None], [[]], [{}], ["a", 3], {"a": [1]}, {"role": 3}),
]


def paths(value, path=()):
    """Every place inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from paths(item, (*path, key))


def damaged(value, data):
    """The value with one to three places filled with something else, or taken out."""
    value = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(1, 3))):
        places = list(paths(value))
        if not places:
            break
        *above, last = data.draw(st.sampled_from(places))
        inner = value
        for key in above:
            inner = inner[key]
        if isinstance(inner, dict) and data.draw(st.booleans()):
            del inner[last]
        else:
            inner[last] = copy.deepcopy(data.draw(st.sampled_from(JUNK)))
    return value


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(SOURCES), st.data())
def test_damaged_records_are_read_or_refused_in_one_short_sentence(source, data):
    name, records = source
    lines = [json.dumps(record).encode() + b"\n" for record in damaged(records, data)]
    try:
        reading = _reading(found_in(Source("f.jsonl", iter(lines)), format_named(name)), "f.jsonl", None)
    except InputError as error:
        sentence = str(error)
    else:
        sentence = "f.jsonl"
        json.dumps([trace_to_dict(trace) for trace in reading], allow_nan=False)
    assert sentence.startswith("f.jsonl")
    assert len(sentence) < 400
