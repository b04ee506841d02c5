"""What is mended is mended with a warning, never in silence."""

from __future__ import annotations

import json

import pytest

from boresight.errors import InputError
from boresight.trace import Ranked, Stage, trace_from_dict

PREFIX = "traces.jsonl, line 1: trace 'q':"


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "1" + "0" * 400])
def test_a_score_that_is_not_finite_is_absent_noted_and_told(read_one, number):
    passages = f'[{{"id":"p3","text":"","score":{number}}},{{"id":"p4","text":"","score":1}}]'
    trace, warnings = read_one(f'{{"id":"q","query":"?","passages":{passages}}}')
    assert trace.stages == (
        Stage(
            "retrieve", "retrieve", (Ranked("p3"), Ranked("p4", 1.0)), notes=("score of p3 was not finite",)
        ),
    )
    assert warnings == [
        f"{PREFIX} stage 'retrieve' has scores that are not finite; they count as absent: 'p3'"
    ]


def test_the_long_form_keeps_such_a_passage_in_its_place_and_its_notes(read_one):
    ranking = '[{"id":"a","score":2},{"id":"b","score":NaN},{"id":"c","score":1}]'
    stage = f'{{"name":"t5","kind":"rerank","notes":["n"],"ranking":{ranking}}}'
    trace, warnings = read_one(f'{{"id":"q","query":"?","context":[],"stages":[{stage}]}}')
    ranking = (Ranked("a", 2.0), Ranked("b"), Ranked("c", 1.0))
    assert trace.stages == (Stage("t5", "rerank", ranking, notes=("n", "score of b was not finite")),)
    assert warnings == [f"{PREFIX} stage 't5' has scores that are not finite; they count as absent: 'b'"]


def test_numbers_that_are_not_finite_become_null_in_free_fields(read_one):
    passage = '{"id":"a","text":"","lat":NaN,"metadata":{"d":-Infinity}}'
    free = '"cost":NaN,"meta":{"a":[1,1e999]}'
    trace, warnings = read_one(f'{{"id":"q","query":"?","passages":[{passage}],{free}}}')
    assert trace.meta == {"a": (1, None), "cost": None}
    assert trace.passages[0].metadata == {"d": None, "lat": None}
    assert warnings == [
        f"{PREFIX} passages[0].metadata.d, passages[0].lat: not a finite number, kept as null",
        f"{PREFIX} meta.a[1], cost: not a finite number, kept as null",
    ]


def test_lone_surrogates_become_the_replacement_character(read_one):
    passages = r'[{"id":"\udfff","text":"\ud83d\ude00 \ude00"}]'
    free = r'"k\ud800":1,"answer":"\\ud800"'
    trace, warnings = read_one(rf'{{"id":"q","query":"a\ud800b","passages":{passages},{free}}}')
    assert (trace.query, trace.context, trace.passages[0].text) == ("a\ufffdb", ("\ufffd",), "😀 \ufffd")
    assert (trace.meta, trace.answer) == ({"k\ufffd": 1}, r"\ud800")
    assert warnings == [
        (
            f"{PREFIX} query, passages[0].id, passages[0].text, a key of the trace: "
            "lone surrogates were replaced by U+FFFD"
        )
    ]
    "".join(warnings).encode()


def test_keys_that_would_become_one_are_refused(read_one):
    with pytest.raises(InputError, match="meta has keys that differ in lone surrogates only; rename them"):
        read_one(r'{"query":"?","meta":{"\ud800":1,"\ud801":2}}')


def test_an_empty_query_is_allowed_and_told(read_one):
    trace, warnings = read_one({"id": "q", "query": "", "passages": []})
    assert (trace.query, warnings) == ("", [f"{PREFIX} query is empty"])


def test_trace_from_dict_tells_by_a_python_warning():
    with pytest.warns(UserWarning, match=r"^row 3: trace 'q': query is empty$"):
        trace_from_dict({"id": "q", "query": "", "passages": []}, where="row 3")


def test_a_mended_trace_is_finite_json(read_one):
    trace, _ = read_one('{"query":"?","passages":[{"text":"","score":NaN,"x":NaN}],"y":[NaN]}')
    json.dumps([trace.meta, trace.passages[0].metadata, trace.stages[0].ranking[0].score], allow_nan=False)
