"""BEIR folders, TREC topics, runs and judgements."""

from __future__ import annotations

import json

import pytest

from boresight.errors import InputError
from boresight.trace import read_traces

RUN = "1 Q0 d2 1 2.0 dense", "1 Q0 d1 2 1.0 dense", "2 Q0 d9 1 5 dense"
TOPICS = (
    {"id": "1", "topic": 7, "turn": 1, "year": 2021, "utterance": "Who?", "canonical_passage": "Anna did."},
    {"id": "2", "topic": 7, "turn": 2, "year": 2021, "utterance": "And then?", "canonical_passage": None},
    {"id": "3", "topic": 7, "turn": 3, "year": 2021, "utterance": "Why?", "resolved": "Why did Anna?"},
)


@pytest.fixture
def folder(write, tmp_path):
    """Write files, one a keyword."""

    def folder(files):
        for name, lines in files.items():
            write(*lines, name=name)
        return tmp_path

    return folder


@pytest.fixture
def read_folder(folder):
    return lambda files: read_traces(folder(files))


def test_topics_runs_and_judgements_of_a_folder_meet_by_topic(read_folder):
    reading = read_folder({"topics.jsonl": TOPICS, "run.trec": RUN, "qrels.txt": ("1 0 d1 3", "2 Q0 d9 0")})
    first, second, third = reading
    assert (first.id, first.query, first.relevance) == ("1", "Who?", {"d1": 3.0})
    assert [(place.id, place.score) for place in first.stages[0].ranking] == [("d2", 2.0), ("d1", 1.0)]
    assert (first.stages[0].name, first.context, first.answer) == ("dense", (), None)
    assert second.relevance == {"d9": 0.0}
    assert (third.stages, third.meta["resolved"]) == ((), "Why did Anna?")
    assert first.meta["not_recorded"] == ("prompt", "answer", "passage texts")


def test_earlier_turns_are_history_with_the_canonical_passage_where_there_is_one(read_folder):
    third = read_folder({"topics.jsonl": TOPICS, "run.trec": RUN})[2]
    assert [(turn.role, turn.content) for turn in third.history] == [
        ("user", "Who?"),
        ("assistant", "Anna did."),
        ("user", "And then?"),
    ]


def test_the_nested_topics_of_the_track_itself(read):
    turns = [{"number": 1, "raw_utterance": "Who?"}, {"number": 2, "raw_utterance": "Why?"}]
    reading = read(json.dumps([{"number": 31, "turn": turns}], indent=1))
    assert [(trace.id, trace.query, len(trace.history)) for trace in reading] == [
        ("31_1", "Who?", 0),
        ("31_2", "Why?", 1),
    ]


def test_older_topics_and_topics_of_two_columns(read_folder):
    old = "<top>\n<num> Number: 301\n<title> Organised\ncrime\n<desc> x\n</top>"
    assert read_folder({"topics.txt": [old], "run.txt": ["301 Q0 d 1 1 t"]})[0].query == "Organised crime"
    assert read_folder({"topics.txt": ["1\tWho lit it?"], "run.txt": RUN[:1]})[0].query == "Who lit it?"


def test_several_runs_are_stages_that_need_not_follow_each_other(read_folder):
    reading = read_folder({"a.trec": RUN, "b.trec": ["1 Q0 d3 1 1.0 lexical"]})
    assert [stage.name for stage in reading[0].stages] == ["dense", "lexical"]
    assert "need not follow" in reading[0].stages[1].notes[0]
    same = read_folder({"a.trec": RUN, "b.trec": RUN})
    assert [stage.name for stage in same[0].stages] == ["a.trec", "b.trec"]


def test_scores_decide_over_ranks_and_what_is_no_number_comes_last_without_score(read):
    lines = ["1 Q0 a 1 1.0 t", "1 Q0 b 2 2.0 t", "1 Q0 c 3 nan t", "1 Q0 a 4 0.5 t more junk"]
    reading = read(*lines, name="out.run")
    assert [(place.id, place.score) for place in reading[0].stages[0].ranking] == [
        ("b", 2.0),
        ("a", 1.0),
        ("c", None),
    ]
    assert any("its ranks contradict its scores" in warning for warning in reading.warnings)
    assert any("holds a passage twice" in warning for warning in reading.warnings)
    assert any("query is empty" in warning for warning in reading.warnings)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"r.trec": [*RUN, "1 Q0 d2 one 2.0 dense", *RUN]}, "r.trec, line 4: a run has six columns"),
        ({"q.txt": ["1 0 d 1"] * 6 + ["1 0 d"]}, "q.txt, line 7: judgements have four columns"),
        (
            {"q.txt": ["1 0 d 1", "1 0 d 2"]},
            "q.txt, line 2: the grade of 'd' for topic '1' contradicts another",
        ),
    ],
)
def test_malformed_lines_are_refused_by_their_place(folder, files, message):
    with pytest.raises(InputError) as error:
        read_traces(folder(files))
    assert message in str(error.value)


CORPUS = tuple({"_id": f"d{n}", "title": f"T{n}" if n else "", "text": f"text {n}"} for n in range(4))
QUERIES = (
    {"_id": "1", "text": "Who?", "metadata": {"kind": "easy"}, "answers": ["Anna"]},
    {"_id": "2", "text": "When?"},
)
BEIR = {"corpus.jsonl": CORPUS, "queries.jsonl": QUERIES}


def test_a_beir_folder_gives_judged_queries_with_their_texts(read_folder):
    qrels = ["query-id\tcorpus-id\tscore", "1\td1\t2", "1\td0\t0"]
    reading = read_folder({**BEIR, "qrels/test.tsv": qrels, "qrels/dev.tsv": [qrels[0], "2\td1\t1"]})
    (trace,) = reading
    assert (reading.form, trace.id, trace.query, trace.references) == ("beir", "1", "Who?", ("Anna",))
    assert trace.relevance == {"d1": 2.0, "d0": 0.0}
    assert [(passage.id, passage.title, passage.text) for passage in trace.passages] == [
        ("d1", "T1", "text 1"),
        ("d0", None, "text 0"),
    ]
    assert (trace.context, trace.stages, trace.meta["kind"]) == ((), (), "easy")
    assert trace.meta["not_recorded"] == ("prompt", "answer", "ranking")
    assert any("read from test.tsv, not from 'dev.tsv'" in warning for warning in reading.warnings)
    assert any(
        "1 query without judgement and ranking was left out" in warning for warning in reading.warnings
    )


def test_a_run_in_a_beir_folder_is_a_stage(read_folder):
    reading = read_folder({**BEIR, "bm25.trec": ["2 Q0 d3 1 2.0 bm25", "2 Q0 d7 2 1.0 bm25"]})
    (trace,) = reading
    assert [place.id for place in trace.stages[0].ranking] == ["d3", "d7"]
    assert [passage.id for passage in trace.passages] == ["d3"]
    assert "passage texts" in trace.meta["not_recorded"]


def test_a_passage_id_with_two_texts_is_refused(folder):
    files = {**BEIR, "corpus.jsonl": [*CORPUS, {"_id": "d1", "text": "other"}], "qrels.tsv": ["1\td1\t1"]}
    with pytest.raises(
        InputError, match=r"corpus.jsonl, line 5: the id 'd1' stands for another text already"
    ):
        read_traces(folder(files))
