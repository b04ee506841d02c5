"""The query game: words as players, the whole context in every prompt."""

import pytest

from boresight.game import ContextGame
from boresight.game.query_game import QueryGame, words_of
from boresight.models.fake import FakeGenerator
from boresight.trace import trace_from_dict
from helpers import additive_table, make_trace


def game_of(query):
    table = {"*": additive_table({"a": 0.5, "b": 0.5})}
    trace = trace_from_dict(make_trace(names=("a", "b"), answer="in Rome") | {"query": query})
    return QueryGame.of(ContextGame(FakeGenerator(table), trace))


def test_words_carry_their_place_in_the_query():
    words = words_of("  Who wrote\tit? ")
    assert [(word.text, word.start, word.end) for word in words] == [
        ("Who", 2, 5),
        ("wrote", 6, 11),
        ("it?", 12, 15),
    ]


def test_scripts_without_blanks_fall_into_characters():
    assert [word.text for word in words_of("東京 wo")] == ["東", "京", "wo"]


def test_a_query_without_words_has_no_players():
    assert words_of(" \n ") == ()


def test_more_than_thirty_two_words_are_joined_evenly_and_none_is_lost():
    query = " ".join(f"w{place}" for place in range(70))
    words = words_of(query)
    assert len(words) == 32
    assert " ".join(word.text for word in words) == query


@pytest.mark.parametrize(
    ("coalition", "text"),
    [("111", "Who  wrote it?"), ("101", "Who it?"), ("010", "wrote"), ("000", "")],
)
def test_kept_words_keep_the_blanks_before_them(coalition, text):
    assert game_of("Who  wrote it?").text(coalition) == text


def test_the_grand_coalition_is_the_query_to_the_last_blank():
    query = " Who wrote it?  "
    assert game_of(query).text("111") == query


def test_every_prompt_holds_all_passages_and_belongs_to_the_query_game():
    game = game_of("Who wrote it?")
    request = game.request("010", (game.game.target,))
    assert [segment.player for segment in request.segments if segment.player] == ["a", "b"]
    assert (request.game, request.order) == ("query", ())


def test_the_grand_coalition_has_the_prompt_of_the_context_game():
    game = game_of("Who wrote it?")
    assert game.request("111", ()).prompt_ids == game.game.request("11", ()).prompt_ids
