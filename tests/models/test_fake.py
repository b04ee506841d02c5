import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import ModelError, ScoringError
from boresight.models.fake import FakeGenerator
from boresight.models.prompts import BORESIGHT
from boresight.models.seam import Request, Segment, Target
from boresight.trace import Passage, Trace, Turn

TABLE = {
    "*": {
        "answer": "in Warsaw",
        "closed_book": [-1.0, -2.0],
        "values": {"": [-3.0, -3.0], "a": [-2.0, -1.0], "b": [-3.0, -2.0], "a,b": [-0.5, -0.25]},
        "orders": {"b,a": [-0.75, -0.5]},
        "window": 40,
    },
    "own": {"answer": "in Paris", "values": {"": [-9.0, -9.0]}},
}


@pytest.fixture
def fake():
    return FakeGenerator(TABLE)


def ask(fake, players, *, trace="q1", game="passages", target=None):
    ids, spans = fake.encode_target(trace, "in Warsaw")
    segments = tuple(Segment(f"passage:{player}:1", (), player) for player in players)
    chosen = target or Target("answer", "recorded", "in Warsaw", ids, spans)
    (scored,) = fake.score([Request(trace, game, segments, (chosen,))])
    return scored.logprobs[chosen.id].tolist()


def test_values_are_looked_up_by_sorted_passage_ids(fake):
    assert ask(fake, []) == [-3.0, -3.0]
    assert ask(fake, ["a", "b"]) == [-0.5, -0.25]


def test_an_order_that_is_listed_wins_over_the_set(fake):
    assert ask(fake, ["b", "a"]) == [-0.75, -0.5]


def test_a_fake_survives_pickling_with_its_identity_and_its_numbers(fake):
    copy = pickle.loads(pickle.dumps(fake))  # noqa: S301 - our own bytes
    assert copy.describe() == fake.describe()
    assert pickle.loads(pickle.dumps(fake.describe())) == fake.describe()  # noqa: S301
    assert list(ask(copy, [])) == list(ask(fake, []))


def test_closed_book_is_its_own_row(fake):
    assert ask(fake, [], game="closed_book") == [-1.0, -2.0]


def test_a_trace_takes_from_the_star_what_its_own_entry_lacks(fake):
    assert ask(fake, [], trace="own") == [-9.0, -9.0]
    assert ask(fake, [], trace="own", game="closed_book") == [-1.0, -2.0]
    assert ask(fake, ["b", "a"], trace="own") == [-0.75, -0.5]


def test_a_missing_coalition_is_named(fake):
    with pytest.raises(ScoringError, match="no row for trace 'own', values 'a,b'"):
        ask(fake, ["a", "b"], trace="own")


def test_a_missing_entry_closed_book_or_game_is_named():
    fake = FakeGenerator({"q2": {"values": {"": [-1.0, -1.0]}}})
    with pytest.raises(ScoringError, match="no entry for trace 'q1'"):
        fake.encode_target("q1", "x")
    with pytest.raises(ScoringError, match="closed_book"):
        ask(fake, [], trace="q2", game="closed_book")
    with pytest.raises(ScoringError, match="game 'query'"):
        ask(fake, [], trace="q2", game="query")


def test_an_id_with_a_comma_works_as_joined():
    fake = FakeGenerator({"*": {"values": {"a,b": [-1.0]}}})
    assert ask(fake, ["a,b"]) == [-1.0]


def test_a_span_of_the_answer_gets_its_own_tokens(fake):
    ids, spans = fake.encode_target("q1", "in Warsaw")
    span = Target("span", "recorded", "Warsaw", ids[1:], spans[1:])
    assert ask(fake, ["a", "b"], target=span) == [-0.25]


@pytest.mark.parametrize("kind", ["reference", "abstention"])
def test_any_other_target_is_refused(fake, kind):
    ids, spans = fake.encode_target("q1", "in Warsaw")
    with pytest.raises(ScoringError, match="the answer and spans of it"):
        ask(fake, [], target=Target(f"{kind}:0", kind, "in Warsaw", ids, spans))


def test_words_are_the_tokens_when_they_are_as_many(fake):
    ids, spans = fake.encode_target("q1", " in Warsaw ")
    assert spans == ((0, 3), (3, 9))
    assert fake.decode(ids) == "in Warsaw"


def test_the_same_word_has_the_same_id_in_every_generator(fake):
    assert fake.encode_target("q1", "in Warsaw") == FakeGenerator(TABLE).encode_target("q1", "in Warsaw")


@given(st.text(max_size=30), st.integers(0, 8))
def test_token_spans_always_rebuild_the_text(text, count):
    fake = FakeGenerator({"*": {"values": {"": [-1.0] * count}}})
    ids, spans = fake.encode_target("q", text)
    assert len(ids) == len(spans) == count
    if count:
        assert "".join(text.strip()[low:high] for low, high in spans) == text.strip()


def test_the_answer_is_generated_with_as_many_tokens_as_the_table_has(fake):
    answer = fake.generate(Request("q1", "passages", (), ()), 128)
    assert answer.text == "in Warsaw"
    assert len(answer.token_ids) == 2
    assert answer.finished


def test_a_table_without_an_answer_cannot_generate():
    with pytest.raises(ScoringError, match="no answer for trace 'q1'"):
        FakeGenerator({"*": {"values": {"": [-1.0]}}}).generate(Request("q1", "passages", (), ()), 8)


def test_a_prompts_length_is_its_words_and_the_window_is_the_traces():
    fake = FakeGenerator(TABLE)
    trace = Trace("q1", "Where?", (Passage("p", "one two", "T"),), ("p",), history=(Turn("user", "a b"),))
    parts = fake.prepare(trace, BORESIGHT)
    assert len(parts.header.ids) == len(BORESIGHT.instruction.split()) + 2
    assert len(parts.block("p", 1).ids) == 5  # Passage 1: T. one two
    assert len(parts.tail.ids) == 2
    assert len(parts.closed_book.ids) == len(BORESIGHT.closed_instruction.split()) + 2 + 2
    assert parts.block("p", 1).player == "p"
    assert parts.window == 40
    assert parts.warnings == ()


def test_a_fake_has_no_floor_and_scores_alike_together(fake):
    assert not fake.capabilities().has_floor
    request = Request("q1", "closed_book", (), (Target("answer", "recorded", "", (1, 2), ((0, 0),) * 2),))
    assert fake.score_together([request])[0].logprobs["answer"].dtype == np.float32


def test_the_description_identifies_the_table_by_content_not_by_folder(tmp_path):
    found = []
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "t.json"
        file.write_text(json.dumps(TABLE))
        found.append(FakeGenerator.from_file(file).describe())
    assert found[0] == found[1]
    assert found[0]["name"] == "fake:t.json"


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ([], "one entry per trace"),
        ({}, "one entry per trace"),
        ({"*": []}, "must be an object"),
        ({"*": {"valeus": {}}}, "unknown field 'valeus'"),
        ({"*": {"answer": 3}}, "answer must be a text"),
        ({"*": {"window": 0}}, "window must be"),
        ({"*": {"window": True}}, "window must be"),
        ({"*": {"values": []}}, "values must map"),
        ({"*": {"values": {"a": 1.0}}}, "values 'a': must be a list"),
        ({"*": {"values": {"a": ["x"]}}}, "values 'a': 'x' is no finite number"),
        ({"*": {"values": {"a": [True]}}}, "is no finite number"),
        ({"*": {"closed_book": [math.nan]}}, "closed_book: nan is no finite number"),
        ({"*": {"orders": {"b,a": [-math.inf]}}}, "orders 'b,a': -inf is no finite number"),
        ({"*": {"values": {"a": [0.5]}}}, "values 'a': 0.5 is positive"),
        ({"*": {"values": {"": [-1.0], "a": [-1.0, -2.0]}}}, "values 'a' has 2 numbers, but values '' has 1"),
        ({"*": {"closed_book": [-1.0]}, "q": {"values": {"": []}}}, "q: values '' has 0 numbers"),
    ],
)
def test_a_malformed_table_is_one_sentence_with_its_key(tables, words, tmp_path):
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(tables))
    with pytest.raises(ModelError) as caught:
        FakeGenerator.from_file(file)
    assert str(caught.value).startswith(str(file))
    assert words in str(caught.value)


def test_a_file_that_is_no_json_is_said(tmp_path):
    (tmp_path / "bad.json").write_text("{")
    with pytest.raises(ModelError, match="is no JSON"):
        FakeGenerator.from_file(tmp_path / "bad.json")
