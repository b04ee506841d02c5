"""The sentence game: sentences of one passage as players, beside some of the others."""

import pytest

from boresight.errors import SpecError
from boresight.game import ContextGame
from boresight.game.sentence_game import SentenceGame, sentence_game_name, split_passage_of
from boresight.models.fake import FakeGenerator
from boresight.models.prompts import RAG_E
from boresight.trace import trace_from_dict
from helpers import additive_table, make_trace

TEXT = "One is here. Two is here. Three is here."


def game_of(text=TEXT, count=8, style="boresight"):
    fields = make_trace(names=("a", "b", "c"), answer="in Rome")
    fields["passages"][1] |= {"text": text, "title": "Title"}
    generator = FakeGenerator({"*": additive_table({"a": 0.5, "b": 0.5, "c": 0.5})})
    return SentenceGame.of(ContextGame(generator, trace_from_dict(fields), style=style), "b", count)


def prompt(game, coalition):
    request = game.request(coalition, (game.game.target,))
    return game.game.generator.decode(request.prompt_ids)


def test_the_name_of_the_game_holds_the_passage():
    assert split_passage_of(sentence_game_name("p/1: x")) == "p/1: x"
    assert split_passage_of("query") is None


def test_coalitions_say_whether_the_passage_is_there():
    assert game_of(count=1).coalitions(["001", "101"]) == ["001/0", "011/1", "101/0", "111/1"]


def test_without_a_sentence_the_passage_is_absent():
    game = game_of()
    assert prompt(game, "101/000") == game.game.generator.decode(game.game.request("101", ()).prompt_ids)


def test_with_all_sentences_the_prompt_is_that_of_the_context_game():
    game = game_of()
    assert game.request("110/111", ()).prompt_ids == game.game.request("110", ()).prompt_ids


def test_the_kept_sentences_stand_under_label_and_title():
    assert "text of a Passage 2: Title. One is here. Three is here. Passage 3:" in prompt(
        game_of(), "111/101"
    )


def test_labels_are_renumbered_where_the_style_says_so():
    assert "Document 1: Title. Two is here. Document 2: text of c" in prompt(game_of(style=RAG_E), "011/010")


def test_more_sentences_than_players_are_joined():
    game = game_of(count=2)
    assert [game.text(inner) for inner in ("10", "01")] == [
        "One is here. Two is here. ",
        "Three is here.",
    ]


def test_a_request_belongs_to_the_game_and_names_the_players():
    request = game_of().request("011/010", ())
    assert request.game == "sentences:b"
    assert request.order == (1, 2)
    assert [segment.player for segment in request.segments if segment.player] == ["b", "c"]


@pytest.mark.parametrize("coalition", ["111/000", "101/010", "111/11", "111", "11/111", "1x1/111"])
def test_what_is_no_coalition_is_refused(coalition):
    with pytest.raises(SpecError, match="coalition"):
        game_of().request(coalition, ())
