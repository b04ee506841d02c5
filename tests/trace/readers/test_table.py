from __future__ import annotations

import pytest

from boresight.errors import InputError
from boresight.trace import passage_id


def test_one_row_a_passage_with_ranks_scores_and_labels(read):
    reading = read(
        "Query ID,Question,Passage ID,Passage,Score,Rank,Relevant,Answer,Source",
        "1,Who?,p2,two,0.5,2,no,,b.pdf",
        "1,Who?,p1,one,0.9,1,yes,Anna,a.pdf",
        "2,When?,p1,one,,1,,,",
        name="rows.csv",
    )
    first, second = reading
    assert (first.id, first.query, first.answer) == ("1", "Who?", "Anna")
    assert [(place.id, place.score) for place in first.stages[0].ranking] == [("p1", 0.9), ("p2", 0.5)]
    assert first.relevance == {"p2": 0.0, "p1": 1.0}
    assert first.passage("p1").metadata == {"source": "a.pdf"}
    assert second.meta["not_recorded"] == ("answer", "scores")


def test_one_row_a_question_with_a_list_of_passages(read_one):
    trace = read_one(
        'question;passages;answer;topic\nWho?;"[{""id"": 1, ""text"": ""a"", ""score"": 2}, ""b""]";Anna;sea',
        name="rows.csv",
    )
    assert trace.context == ("1", passage_id(None, "b"))
    assert trace.meta["topic"] == "sea"
    assert trace.meta["not_recorded"] == ("passage ids",)


def test_words_that_look_absent_are_text(read_one):
    trace = read_one("query,passage_id,passage,answer\nNA,1,null,NaN\nNA,2,,NaN", name="rows.csv")
    assert (trace.query, trace.answer) == ("NA", "NaN")
    assert [passage.text for passage in trace.passages] == ["null", ""]


def test_tabs_part_columns_too(read_one):
    assert read_one("query\tpassage\nWho, then?\tAnna, then", name="rows.tsv").query == "Who, then?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "name,passage\na,b",
            "rows.csv has no column for the question; name one of 'name', 'passage' 'query'",
        ),
        ("query,answer\na,b", "rows.csv has no column for passages; name one 'passages', 'contexts', "),
        ("query,passage\na,b,c", "line 2: a row has 3 cells, the header 2; quote the texts that hold ','"),
        ("query,query,passage\na,b,c", "line 1: the column 'query' stands twice; rename one"),
        ("query,passage,score\na,b,high", "line 2: the score 'high' is no number; take it out or correct it"),
        (b"query,passage\na,\xff", "line 2 is no UTF-8; save the file as UTF-8"),
        ("query,passage".encode("utf-16"), "rows.csv is UTF-16; save the file as UTF-8"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_in_one_sentence(read, text, message):
    with pytest.raises(InputError) as error:
        read(text, name="rows.csv")
    assert message in str(error.value)
