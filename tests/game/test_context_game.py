"""From a coalition to the exact prompt, and to its value."""

from dataclasses import replace

import numpy as np
import pytest

from boresight.errors import SpecError
from boresight.game import ContextGame
from boresight.models.fake import FakeGenerator
from boresight.trace import Passage, Trace

VALUES = {"": [-2.0], "a": [-1.0], "b": [-1.5], "a,b": [-0.25]}
FAKE = {"*": {"answer": "Rome", "closed_book": [-0.5], "values": VALUES}}


@pytest.fixture
def trace():
    passages = (Passage("a", "alpha text"), Passage("b", "beta text", title="Beta"))
    return Trace("t", "Where?", passages, context=("b", "a"), answer="Rome")


@pytest.fixture
def game(trace):
    return ContextGame(FakeGenerator(FAKE), trace)


def test_players_stand_in_context_order(game):
    assert game.players == ("b", "a")


def test_the_table_holds_every_coalition_and_closed_book(game):
    table = game.table()
    assert table.complete
    assert {ids: table.value(ids) for ids in ((), ("a",), ("b",), ("a", "b"))} == {
        (): -2, ("a",): -1, ("b",): -1.5, ("a", "b"): -0.25,
    }  # fmt: skip
    assert table.closed_book.tolist() == [-0.5]


def test_values_follow_the_ids_when_the_context_is_reordered(trace):
    other = replace(trace, context=("a", "b"))
    assert ContextGame(FakeGenerator(FAKE), other).table().value(["a"]) == -1


def test_a_prompt_holds_its_passages_and_the_target_stands_apart(game):
    prompt = game.prompt(["a"])
    assert "alpha text" in prompt.text
    assert "beta text" not in prompt.text
    assert len(prompt.target_ids) == 1


def test_labels_are_kept_when_a_passage_is_removed(game):
    assert "Passage 2: alpha text" in game.prompt(["a"]).text


def test_labels_are_renumbered_when_asked(trace):
    game = ContextGame(FakeGenerator(FAKE), trace, style="rag-e")
    assert "Document 1: alpha text" in game.prompt(["a"]).text


def test_a_prompt_in_another_order(game):
    text = game.prompt(order=["a", "b"]).text
    assert text.index("alpha") < text.index("beta")
    assert game.prompt().text.index("beta") < game.prompt().text.index("alpha")


def test_closed_book_mentions_no_passage(game):
    text = game.closed_book_prompt().text
    assert "Where?" in text
    assert "passage" not in text.lower()


def test_an_unknown_passage_is_an_error(game):
    with pytest.raises(SpecError, match="no passage"):
        game.prompt(["z"])


@pytest.mark.parametrize("order", [(0,), (0, 0), (0, 1, 2)])
def test_an_order_must_list_the_members_once_each(game, order):
    with pytest.raises(SpecError, match="once each"):
        game.request("11", (game.target,), order)


def test_a_missing_answer_is_generated(trace):
    game = ContextGame(FakeGenerator(FAKE), replace(trace, answer=None))
    assert (game.target.text, game.target.kind) == ("Rome", "generated")


def test_all_coalitions_of_many_passages_are_refused(trace):
    passages = tuple(Passage(str(n), "x") for n in range(17))
    many = replace(trace, passages=passages, context=tuple(str(n) for n in range(17)))
    with pytest.raises(SpecError, match=r"2\^17"):
        ContextGame(FakeGenerator(FAKE), many).table()


def test_only_the_asked_coalitions_are_scored(game):
    assert set(game.table(["10", "01"], closed_book=False).rows) == {"10", "01"}


def test_rows_are_float32(game):
    assert {row.dtype for row in game.table().rows.values()} == {np.dtype(np.float32)}
