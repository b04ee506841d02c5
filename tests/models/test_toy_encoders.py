"""Vectors worked out by hand, one toy encoder a pooling and padding side."""

import numpy as np
import pytest

from boresight.errors import ModelError, SpecError
from boresight.models.encoder import load_encoder
from boresight.models.library_check import require_library_vectors
from boresight.models.sentence_config import SentenceConfig
from toy_encoders import POOLINGS, dense_folder, vectors

BY_HAND = {  # of "red blue": [CLS] red blue [SEP]
    "cls_token": (-1, 1, 1, -1),
    "mean_tokens": (0.5, 0, 0, -0.5),
    "max_tokens": (1, 1, 1, 1),
    "lasttoken": (1, -1, -1, 1),
}


@pytest.fixture
def make(tmp_path):
    return lambda *args, **options: dense_folder(tmp_path / "encoder", *args, **options)


@pytest.mark.parametrize("padding_side", ["left", "right"])
@pytest.mark.parametrize("pooling", POOLINGS)
def test_a_vector_is_the_one_worked_out_by_hand(make, pooling, padding_side):
    encoder = load_encoder(str(make(pooling, padding_side=padding_side)))
    found = encoder.encode(["red blue", "red blue small"])
    assert found[0] == pytest.approx(BY_HAND[pooling], abs=1e-6)
    longer = POOLINGS[pooling](vectors("[CLS]", "red", "blue", "small", "[SEP]"))
    assert found[1] == pytest.approx(longer, abs=1e-6)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_the_library_gives_the_same_vectors(make, pooling):
    folder = make(pooling, normalize=True, length=10)
    encoder = load_encoder(str(folder), check=False)
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    assert require_library_vectors(encoder, str(folder))


def test_an_encoder_that_differs_from_the_library_is_refused(make, monkeypatch, tmp_path):
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    monkeypatch.setenv("BORESIGHT_CACHE", str(tmp_path / "cache"))
    folder = make("mean_tokens")
    other = load_encoder(str(folder), config=SentenceConfig(pooling=("cls",)))
    with pytest.raises(ModelError, match="differ from those of sentence-transformers by"):
        require_library_vectors(other, str(folder))


def test_a_check_that_passed_is_not_repeated(make, monkeypatch, tmp_path):
    pytest.importorskip("sentence_transformers", reason="sentence-transformers is not installed")
    monkeypatch.setenv("BORESIGHT_CACHE", str(tmp_path / "cache"))
    encoder = load_encoder(str(make()))
    assert len(list((tmp_path / "cache" / "encoder-checks").iterdir())) == 1
    monkeypatch.setattr("boresight.models.library_check._largest_difference", None)
    assert require_library_vectors(encoder, "not looked at")


def test_a_matryoshka_cut_keeps_the_first_numbers_behind_the_normalisation(make):
    folder = str(make(normalize=True))
    cut = load_encoder(folder, dimension=2)
    assert cut.dimension == 2
    assert cut.encode(["red blue"])[0] == pytest.approx((2**-0.5, 0), abs=1e-6)
    assert cut.score("red blue", {"p": "red blue"}) == {"p": pytest.approx(1.0)}


@pytest.mark.parametrize("dimension", [0, 5])
def test_a_cut_that_does_not_exist_is_refused(make, dimension):
    with pytest.raises(SpecError, match="have 4 numbers and cannot be cut"):
        load_encoder(str(make()), dimension=dimension)


def test_dot_and_cosine_by_hand(make, tmp_path):
    texts = {"p": "red red"}  # mean of [CLS] red red [SEP] is (0.5, 0.5, -0.5, -0.5)
    dot = load_encoder(str(make(similarity_fn_name="dot")))
    assert dot.score("red blue", texts) == {"p": pytest.approx(0.5)}
    cosine = load_encoder(str(dense_folder(tmp_path / "other")))
    assert cosine.score("red blue", texts) == {"p": pytest.approx(0.5**0.5)}


def test_a_passage_beyond_the_limit_is_marked_with_the_part_that_was_seen(make):
    encoder = load_encoder(str(make(length=4)))
    text = "red blue small green"
    tokens = encoder.tokens(text, "passage")
    assert tokens.truncated
    assert (len(tokens.ids), tokens.total) == (4, 6)
    assert text[slice(*tokens.read)] == "red blue"


def test_token_vectors_are_those_before_pooling(make):
    tokens, found = load_encoder(str(make())).token_vectors("red  blue")
    assert tokens.texts == ("[CLS]", "red", "blue", "[SEP]")
    assert tokens.spans == (None, (0, 3), (3, 9), None)
    assert found == pytest.approx(vectors(*tokens.texts), abs=1e-6)
    assert found.dtype == np.float32


def test_prompts_are_shown_apart_from_the_text(make):
    encoder = load_encoder(str(make(prompts={"query": "query: ", "document": "passage: "})))
    tokens = encoder.tokens(" red blue", "query")
    assert tokens.texts == ("[CLS]", "query", ":", "red", "blue", "[SEP]")
    assert tokens.content == (False, False, False, True, True, False)
    assert tokens.spans == (None, None, None, (0, 4), (4, 9), None)
