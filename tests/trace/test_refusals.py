# ruff: noqa: E501  one case a line
"""Files that are refused: one case a line, with the whole message that a person reads."""

from __future__ import annotations

import os

import pytest

from boresight.errors import InputError
from boresight.trace import read_traces

ROLES, KINDS = "user, assistant, system", "retrieve, fuse, filter, rerank, pack"
OBJECT = "write one JSON object a line"
WHOLE = "write one whole JSON object a line"
DIFFER = "but differ in text or title; give each its own id, or leave the ids out"
TWICE = "an id may stand in a trace or context once, so take one out or leave the ids out"


def short(*passages, **fields):
    return {"id": "q", "query": "?", "passages": list(passages), **fields}


def p(name, text="x", **fields):
    return {"id": name, "text": text, **fields}


def staged(*stages, **fields):
    return {"id": "q", "query": "?", "context": [], "stages": list(stages), **fields}


def stage(**fields):
    return {"name": "s", "kind": "fuse", "ranking": [], **fields}


# What stands in the line, and what the message says after "traces.jsonl, line 1"
LINES = [
    # not JSON, or not an object
    ('{"id": "q", "query": }', f", column 22: malformed JSON (Expecting value); {WHOLE}"),
    ('{"id": "q"', f", column 11: malformed JSON (Expecting ',' delimiter); {WHOLE}"),
    ("{} {}", f", column 4: malformed JSON (Extra data); {WHOLE}"),
    (b'{"query": "\xff"}', ": byte 12 is not UTF-8; save the file as UTF-8"),
    ('{"query": "?"}'.encode("utf-16"), ": byte 1 is not UTF-8; save the file as UTF-8"),
    ("[" * 100_000, ": the JSON is nested too deeply; flatten it"),
    ('{"query": "?", "meta": {"n": 1' + "0" * 5000 + "}}", ": an integer has too many digits; write it as a string"),
    ('{"query": "?", "query": "!"}', ": the key 'query' stands twice in one JSON object; keep one"),
    ('{"query": "?", "meta": {"a": 1, "a": 1}}', ": the key 'a' stands twice in one JSON object; keep one"),
    ("[]", f": a trace must be an object, got a list; {OBJECT}"),
    ("null", f": a trace must be an object, got null; {OBJECT}"),
    ("7", f": a trace must be an object, got the number 7; {OBJECT}"),
    ('"x"', f": a trace must be an object, got the text 'x'; {OBJECT}"),
    # query and id
    ({"id": "q"}, ": query is missing; every trace needs one"),
    ({"query": None}, ": query is missing; every trace needs one"),
    ({"query": 3}, ": query must be a string, got the number 3"),
    ({"query": ["?"]}, ": query must be a string, got a list"),
    ('{"query": NaN}', ": query must be a string, got the number nan"),
    ({"id": True, "query": "?"}, ": id must be a string or a whole number, got true"),
    ({"id": 1.5, "query": "?"}, ": id must be a string or a whole number, got the number 1.5"),
    ({"id": " ", "query": "?"}, ": id must not be blank; write at least one visible character"),
    ({"id": 10**400, "query": "?"}, ": id is an integer too large to work with; write it as a string"),
    ('{"query": "?", "meta": ' + '{"a":' * 150 + "1" + "}" * 150 + "}", f": {'meta' + '.a' * 18}... is nested deeper than 100 levels; flatten it"),
]  # fmt: skip

# The same, after "traces.jsonl, line 1: trace 'q': "
FIELDS = [
    # passages
    (short(passages={}), "passages must be a list, got an object"),
    (short("x"), "passages[0] must be an object, got the text 'x'"),
    (short(p("a"), {"id": "b"}), "passages[1].text is missing; add it"),
    (short(p("a", None)), "passages[0].text must be a string, got null"),
    (short(p("a", title=3)), "passages[0].title must be a string, got the number 3"),
    (short(p(False)), "passages[0].id must be a string or a whole number, got false"),
    (short(p("")), "passages[0].id must not be blank; write at least one visible character"),
    (short(p("a", score="1")), "passages[0].score must be a number, got the text '1'"),
    (short(p("a", score=True)), "passages[0].score must be a number, got true"),
    (short(p("a", metadata=[])), "passages[0].metadata must be an object, got a list"),
    (short(p("a", page=1, metadata={"page": 1})), "passages[0].page stands beside passages[0].metadata.page; keep one of them"),
    (short(p("a", n=10**400)), "passages[0].metadata.n is an integer too large to work with; write it as a string"),
    (short(p("a", relevant="yes")), "passages[0].relevant must be a number, got the text 'yes'"),
    ('{"query":"?","id":"q","passages":[{"id":"a","text":"","relevant":NaN}]}', "passages[0].relevant must be a finite number, got the number nan"),
    (short(p("a"), p("a", "y")), f"passages[0] and passages[1] share the id 'a' {DIFFER}"),
    (short(p(1), p("b"), p("1", title="t")), f"passages[0] and passages[2] share the id '1' {DIFFER}"),
    (short(p("a"), p("a")), f"passages[0] and passages[1] share the id 'a'; {TWICE}"),
    (short(p("a"), p("a", "y"), context=["a"]), f"passages[0] and passages[1] share the id 'a' {DIFFER}"),
    (short(p("a", relevant=True), p("a", "y", relevant=False), context=[]), f"passages[0] and passages[1] share the id 'a' {DIFFER}"),
    # context
    (staged(context="a"), "context must be a list, got the text 'a'"),
    (staged(context=[None]), "context[0] must be a string or a whole number, got null"),
    (short(p("a"), context=["a", "b"]), "context[1] is 'b', which passages lacks; add it there or take it out"),
    (short(p("a"), context=["a", "a"]), "context holds the id 'a' twice; a copy of a passage needs its own id"),
    (staged(context=None), "context is missing beside stages; add the ids of the passages that reached the prompt"),
    # stages
    (staged("s"), "stages[0] must be an object, got the text 's'"),
    (staged({"kind": "fuse", "ranking": []}), "stages[0].name is missing; add it"),
    (staged({"name": "s", "ranking": []}), "stages[0].kind is missing; add it"),
    (staged({"name": "s", "kind": "fuse"}), "stages[0].ranking is missing; add it"),
    (staged(stage(name=" ")), "stages[0].name must not be blank; write at least one visible character"),
    (staged(stage(kind="sort")), f"stages[0].kind must be one of {KINDS}; got the text 'sort'"),
    (staged(stage(cut=-1)), "stages[0].cut must be 0 or more, got -1"),
    (staged(stage(cut="5")), "stages[0].cut must be a whole number, got the text '5'"),
    (staged(stage(notes=0)), "stages[0].notes must be a string or a list of strings, got the number 0"),
    (staged(stage(ranking={})), "stages[0].ranking must be a list, got an object"),
    (staged(stage(ranking=["a"])), "stages[0].ranking[0] must be an object, got the text 'a'"),
    (staged(stage(ranking=[{"score": 1}])), "stages[0].ranking[0].id is missing; add it"),
    (staged(stage(ranking=[{"id": "a", "score": "1"}])), "stages[0].ranking[0].score must be a number, got the text '1'"),
    (staged(stage(ranking=[{"id": 1}, {"id": "1"}])), "stages[0].ranking holds the id '1' twice; keep its best place only"),
    (staged(stage(), stage(name="t"), stage()), "stages holds two stages named 's'; give each its own name"),
    # the rest
    (short(history=["Hi"]), "history[0] must be an object, got the text 'Hi'"),
    (short(history=[{"role": "user"}]), "history[0].content is missing; add it"),
    (short(history=[{"role": "tool", "content": ""}]), f"history[0].role must be one of {ROLES}; got the text 'tool'"),
    (short(history=[{"role": "user", "content": None}]), "history[0].content must be a string, got null"),
    (short(answer=["x"]), "answer must be a string, got a list"),
    (short(answer=4), "answer must be a string, got the number 4"),
    (short(answers=["x", 4]), "answers[1] must be a string, got the number 4"),
    (short(references={"x": 1}), "references must be a string or a list of strings, got an object"),
    (short(answers=["x"], references=["y"]), "references and answers are both given and differ; keep one of them"),
    (short(answers=["x"], references=[]), "references and answers are both given and differ; keep one of them"),
    (short(relevance=["a"]), "relevance must be an object, got a list"),
    (short(relevance={"a": "1"}), "relevance.a must be a number, got the text '1'"),
    (short(p("a", relevant=True), relevance={"a": 0}), "passages[0].relevant contradicts another label of passage 'a'; keep one of them"),
    (short(meta="x"), "meta must be an object, got the text 'x'"),
    (short(meta={"source": "a"}, source="a"), "source stands beside meta.source; keep one of them"),
    (short(meta={"n": 10**400}), "meta.n is an integer too large to work with; write it as a string"),
]  # fmt: skip

CASES = [*LINES, *((line, f": trace 'q': {message}") for line, message in FIELDS)]


@pytest.mark.parametrize(("line", "message"), CASES, ids=[message[:90] for _, message in CASES])
def test_a_line_is_refused(write, line, message):
    with pytest.raises(InputError) as error:
        read_traces(write(line))
    assert str(error.value) == f"traces.jsonl, line 1{message}"


def test_the_line_is_counted_in_the_file_blank_lines_included(write):
    with pytest.raises(InputError, match=r"^traces\.jsonl, line 4: query is missing"):
        read_traces(write(short(), "", " ", {}))


@pytest.mark.parametrize("again", [short(), short(query="other")])
def test_a_repeated_trace_id_names_both_lines(write, again):
    with pytest.raises(InputError) as error:
        read_traces(write(short(), "", short(id="r"), again))
    assert (
        str(error.value)
        == "traces.jsonl, line 4: the id 'q' is that of line 1 already; give each trace its own id"
    )


def test_whole_numbers_and_strings_are_one_space_of_trace_ids(write):
    with pytest.raises(InputError, match="line 2: the id '1' is that of line 1 already"):
        read_traces(write(short(id=1), short(id="1")))


@pytest.mark.parametrize("content", [b"", b"\n \r\n\n", b"\xef\xbb\xbf"])
def test_a_file_without_traces_is_refused(write, content):
    with pytest.raises(InputError, match=r"^traces\.jsonl holds no traces; at least one is needed$"):
        read_traces(write(content))


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError) as error:
        read_traces(tmp_path / "no.jsonl")
    assert str(error.value) == f"{tmp_path / 'no.jsonl'} does not exist; check the path"


def test_a_directory_is_named(tmp_path):
    with pytest.raises(InputError) as error:
        read_traces(tmp_path)
    assert str(error.value) == f"{tmp_path} is a directory; name a file of traces in it"


def test_a_file_that_may_not_be_read_is_named(write, monkeypatch):
    path = write(short())

    def refuse(*_args, **_options):
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(InputError) as error:
        read_traces(path)
    assert str(error.value) == "traces.jsonl cannot be read (Permission denied); check its permissions"


@pytest.mark.parametrize(
    "trace",
    [
        short(p("a\nb"), p("a\nb", "y")),
        short(meta={"a\nb" * 99: 10**400}),
        short(relevance={"a\nb": "x"}),
        short(meta={"a\nb": 1}, **{"a\nb": 2}),
        staged(stage(kind="a\nb" * 99)),
    ],
)
def test_a_message_is_one_short_line(write, trace):
    with pytest.raises(InputError) as error:
        read_traces(write(trace))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200
