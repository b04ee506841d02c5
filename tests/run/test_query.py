"""Words of the query as players of a run, with a real tiny model."""

import numpy as np
import pytest

import boresight as bs
from boresight.game import ContextGame
from boresight.game.coalitions import all_coalitions
from boresight.game.query_game import QueryGame
from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.toy_models import tiny_model, toy_tokenizer
from boresight.trace import trace_from_dict
from helpers import make_trace

TRACE = make_trace(names=("a", "b"), answer="in Rome") | {"query": "Who was it?"}


@pytest.fixture(scope="module")
def generator():
    tokenizer = toy_tokenizer("bytes")
    return TransformersGenerator(
        tiny_model("llama", vocabulary=len(tokenizer), window=4096), tokenizer, name="toy"
    )


def saliency(generator, **settings):
    return bs.audit([TRACE], generator=generator, players=["query"], **settings)


def test_exact_values_of_the_words_equal_enumeration(generator):
    rows = saliency(generator).saliency.reset_index()
    game = QueryGame.of(ContextGame(generator, trace_from_dict(TRACE)))
    target = game.game.target
    value = {
        name: float(generator.score([game.request(name, (target,))])[0].logprobs["answer"].sum())
        for name in all_coalitions(3)
    }
    first = (
        (value["100"] - value["000"]) / 3
        + (value["110"] - value["010"]) / 6
        + (value["101"] - value["001"]) / 6
        + (value["111"] - value["011"]) / 3
    )
    assert rows["value"][0] == pytest.approx(first, abs=1e-4)
    assert rows["value"].sum() == pytest.approx(value["111"] - value["000"], abs=1e-4)


def test_each_word_has_its_characters_and_its_side(generator):
    rows = saliency(generator).saliency.reset_index()
    assert rows["text"].tolist() == ["Who", "was", "it?"]
    assert rows[["start", "end"]].to_numpy().tolist() == [[0, 3], [4, 7], [8, 11]]
    assert set(rows["side"]) == {"query"}
    assert set(rows["stage"]) == {"generator"}


def test_a_long_query_is_sampled_with_intervals(generator):
    trace = TRACE | {"query": " ".join(f"w{place}" for place in range(18))}
    rows = bs.audit([trace], generator=generator, players=["query"], budget=500).saliency
    assert set(rows["method"]) == {"kriging"}
    assert (rows["low"] <= rows["value"]).all()
    assert (rows["value"] <= rows["high"]).all()


def test_the_passages_keep_every_bit_with_the_second_game(generator):
    with_words, without = saliency(generator).passages, bs.audit([TRACE], generator=generator).passages
    np.testing.assert_array_equal(with_words["attribution"], without["attribution"])


def test_without_the_second_game_there_is_no_saliency(generator):
    assert bs.audit([TRACE], generator=generator).saliency.empty


def test_the_plain_engine_gives_the_same_values(generator):
    plain = TransformersGenerator(generator.model, toy_tokenizer("bytes"), name="toy", engine="plain")
    np.testing.assert_allclose(
        saliency(plain).saliency["value"], saliency(generator).saliency["value"], atol=1e-4
    )


def test_another_kind_of_player_is_refused(generator):
    with pytest.raises(bs.BoresightError, match="query"):
        bs.audit([TRACE], generator=generator, players=["sentences"])
