from __future__ import annotations

import pytest

from boresight.errors import InputError
from boresight.trace import passage_id

SAMPLE = {
    "user_input": "Who lit the lamp?",
    "retrieved_contexts": ["Anna lit it.", "Bo slept."],
    "response": "Anna.",
    "reference": "Anna did.",
}


def test_a_sample_has_no_ids_and_no_scores_and_says_so(read):
    reading = read(SAMPLE)
    (trace,) = reading
    assert (trace.query, trace.answer, trace.references) == ("Who lit the lamp?", "Anna.", ("Anna did.",))
    assert trace.context == (passage_id(None, "Anna lit it."), passage_id(None, "Bo slept."))
    assert [place.score for place in trace.stages[0].ranking] == [None, None]
    assert trace.meta == {"not_recorded": ("passage ids", "scores")}
    assert [warning.rsplit(": ", 2)[1:] for warning in reading.warnings] == [
        ["not recorded", "passage ids; they are made from the texts"],
        ["not recorded", "scores; score measures are undefined, rank measures work"],
    ]


def test_gaps_are_counted_over_the_file(read):
    samples = [{**SAMPLE, "user_input": str(n), "response": None} for n in range(7)]
    warning = next(one for one in read(*samples).warnings if "answer" in one)
    assert "7 traces " in warning
    assert warning.endswith("and 2 more: not recorded: answer; the model will generate one")


def test_names_of_earlier_versions(read_one):
    old = {
        "question": "?",
        "contexts": ["a"],
        "answer": "b",
        "ground_truths": ["c", "d"],
        "faithfulness": 0.5,
    }
    trace = read_one(old)
    assert (trace.query, trace.answer, trace.references) == ("?", "b", ("c", "d"))
    assert trace.meta["faithfulness"] == 0.5


def test_recorded_ids_are_used_and_reference_ids_are_labels(read_one):
    trace = read_one({**SAMPLE, "retrieved_context_ids": [7, "x"], "reference_context_ids": ["x", "y"]})
    assert trace.context == ("7", "x")
    assert trace.relevance == {"x": 1.0, "y": 1.0}
    assert trace.meta["not_recorded"] == ("scores",)


def test_a_conversation_gives_history_query_and_answer(read_one):
    said = [
        {"content": "Hello", "type": "human"},
        {"content": "Hi", "type": "ai"},
        {"content": "Who lit it?", "type": "human"},
        {"content": "", "type": "ai", "tool_calls": [{"name": "search"}]},
        {"content": "Anna.", "type": "ai"},
    ]
    trace = read_one({**SAMPLE, "user_input": said, "response": None})
    assert (trace.query, trace.answer) == ("Who lit it?", "Anna.")
    assert [(turn.role, turn.content) for turn in trace.history] == [("user", "Hello"), ("assistant", "Hi")]


def test_equal_contexts_stay_two_passages(read_one):
    trace = read_one({**SAMPLE, "retrieved_contexts": ["same", "same"]})
    assert trace.context == (passage_id(None, "same"), f"{passage_id(None, 'same')}#2")


def test_a_metric_that_is_nan_is_kept_as_null(read):
    reading = read('{"user_input": "?", "retrieved_contexts": ["a"], "response": NaN, "faithfulness": NaN}')
    assert (reading[0].answer, reading[0].meta["faithfulness"]) == (None, None)
    assert any("meta" in warning or "faithfulness" in warning for warning in reading.warnings)


@pytest.mark.parametrize("cell", ["['it''s a', \"b, c\"]".replace("''", "\\'"), '["it\'s a", "b, c"]'])
def test_lists_in_csv_cells_as_python_and_as_json(read_one, cell):
    quoted = '"' + cell.replace('"', '""') + '"'
    text = f",user_input,retrieved_contexts,response\n0,?,{quoted},yes\n"
    assert [passage.text for passage in read_one(text, name="set.csv").passages] == ["it's a", "b, c"]


def test_a_printed_numpy_array_is_refused_since_its_items_cannot_be_told_apart(read):
    text = "user_input,retrieved_contexts\n?,\"['a'\n 'b']\"\n"
    with pytest.raises(
        InputError, match=r"set.csv, line 3: a list is written without commas, as numpy prints it"
    ):
        read(text, name="set.csv")


def test_a_csv_with_mark_carriage_returns_and_long_cells(read_one):
    long = "word " * 40_000  # longer than the csv module allows by itself
    text = f'\ufeffuser_input,retrieved_contexts\r\n?,"[""{long}"", ""line\\nbreak""]"\r\n'
    trace = read_one(text, name="set.csv")
    assert trace.passages[0].text == long
    assert trace.passages[1].text == "line\nbreak"


def test_a_sample_without_contexts_has_no_context_to_audit(read_one):
    trace = read_one(SAMPLE, {**SAMPLE}, limit=1)
    assert trace.passages
    empty = read_one({**SAMPLE, "retrieved_contexts": None})
    assert empty.meta["not_recorded"] == ("passages",)
