from __future__ import annotations

import pytest

from boresight.errors import InputError
from boresight.trace.readers.attributes import nested, otlp_attributes
from boresight.trace.readers.messages import answer_of, question_of, turns_of
from boresight.trace.readers.values import as_list, number, text_list, unpacked


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        ("[{'a': 'x' }, ['y']]", [{"a": "x"}, ["y"]]),
        ("[1] see Anna", "[1] see Anna"),
        ("(Anna)", "(Anna)"),
        ("plain", "plain"),
        ("[" * 5_000, "[" * 5_000),
        (None, None),
    ],
)
def test_a_cell_is_unpacked_only_if_it_is_a_list_or_an_object(cell, value):
    assert unpacked(cell) == value


@pytest.mark.parametrize("cell", ["['a' 'b']", "['a'\n 'b']", "['a', 'b' 'c']"])
def test_lists_without_commas_are_refused(cell):
    with pytest.raises(InputError, match="a list is written without commas"):
        unpacked(cell)


def test_lists_of_one_value_of_none_and_of_blanks():
    assert [as_list(value) for value in ("a", " ", None, float("nan"), ("a", 1))] == [
        ["a"],
        [],
        [],
        [],
        ["a", 1],
    ]
    assert [text_list(value) for value in ("[1995]", "['a']", "a")] == [["[1995]"], ["a"], ["a"]]


def test_numbers_in_text():
    assert [number(value) for value in ("1e-3", " ", "None", 2, None)] == [0.001, None, None, 2, None]


def test_questions_and_answers_in_objects_of_objects():
    assert question_of('{"input": {"question": "Who?"}}') == "Who?"
    assert question_of({"messages": [["system", "Be brief."], ["human", "Who?"], ["ai", "Hm."]]}) == "Who?"
    assert answer_of({"output": {"messages": [{"role": "assistant", "content": "Anna."}]}}) == "Anna."
    assert question_of({"documents": []}) is None
    assert question_of(" ") is None


def test_an_object_that_holds_itself_ends():
    loop = {}
    loop["input"] = loop
    assert question_of(loop) is None


def test_message_parts_are_joined_and_pictures_left_out():
    parts = [
        {"type": "text", "text": "Who"},
        {"type": "image_url", "image_url": {"url": "x"}},
        {"text": "lit it?"},
    ]
    assert turns_of([{"role": "user", "content": parts}]) == [{"role": "user", "content": "Who\nlit it?"}]
    contents = [{"message_content": {"type": "text", "text": "Who?"}}]
    assert turns_of([{"message": {"role": "user", "contents": contents}}]) == [
        {"role": "user", "content": "Who?"}
    ]


def test_paths_become_objects_and_lists_in_the_order_of_their_numbers():
    attributes = {f"a.{index}.b": index for index in (10, 2, 0)}
    assert nested(attributes) == {"a": [{"b": 0}, {"b": 2}, {"b": 10}]}
    assert nested({"x.metadata": {"k.l": 1}, "x.y": 2, "x": 3}) == {"x": {"metadata": {"k.l": 1}, "y": 2}}


def test_typed_values_of_otlp():
    typed = {"arrayValue": {"values": [{"intValue": "3"}, {"boolValue": True}]}}
    pairs = {"kvlistValue": {"values": [{"key": "n", "value": {"doubleValue": 0.5}}]}}
    items = [{"key": "a", "value": typed}, {"key": "b", "value": pairs}, {"key": "c", "value": {}}]
    assert otlp_attributes(items) == {"a": [3, True], "b": {"n": 0.5}, "c": None}
