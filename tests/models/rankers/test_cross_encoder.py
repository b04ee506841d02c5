import json

import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from boresight.errors import ModelError
from boresight.models.rankers.checks import separates
from boresight.models.rankers.cross_encoder import CrossEncoderRanker
from boresight.models.rankers.seam import Ranker
from toy_encoders import cross_folder, dense_folder

TEXTS = {"a": "red blue", "b": "", "c": "  ", "d": "green small red blue " * 30}


@pytest.fixture
def folder(tmp_path):
    return cross_folder(tmp_path / "cross")


def test_the_score_is_the_raw_logit_of_a_padded_batch(folder):
    ranker = CrossEncoderRanker.load(str(folder))
    pairs = [("red", text.strip()) for text in TEXTS.values()]
    batch = AutoTokenizer.from_pretrained(folder)(
        pairs, padding=True, truncation=True, max_length=64, return_tensors="pt"
    )
    with torch.no_grad():
        logits = AutoModelForSequenceClassification.from_pretrained(folder)(**batch).logits[:, 0]
    assert list(ranker.score("red", TEXTS).values()) == pytest.approx(logits.tolist(), abs=1e-5)


def test_two_classes_give_log_odds(tmp_path):
    folder = cross_folder(tmp_path / "two", labels=2)
    tokens = AutoTokenizer.from_pretrained(folder)("red", "blue", return_tensors="pt")
    with torch.no_grad():
        no, yes = AutoModelForSequenceClassification.from_pretrained(folder)(**tokens).logits[0].tolist()
    assert CrossEncoderRanker.load(str(folder)).score("red", {"p": "blue"})["p"] == pytest.approx(yes - no)


def test_empty_passages_and_empty_lists_are_scored(folder):
    ranker = CrossEncoderRanker.load(str(folder))
    scores = ranker.score("red", TEXTS)
    assert list(scores) == list(TEXTS)
    assert scores["b"] == scores["c"]
    assert ranker.score("red", {}) == {}


def test_neighbours_change_no_score(folder):
    ranker = CrossEncoderRanker.load(str(folder))
    assert ranker.score("red", {"a": TEXTS["a"]})["a"] == ranker.score("red", TEXTS)["a"]


def test_truncation_says_how_much_is_read(folder):
    ranker = CrossEncoderRanker.load(str(folder))
    assert ranker.truncation("red", TEXTS["a"]) == (6, 6)
    assert ranker.truncation("red", TEXTS["d"]) == (64, 124)


def test_a_dense_encoder_has_no_trained_head_and_is_refused(tmp_path):
    with pytest.raises(ModelError, match=r"lack classifier\.bias.*would be random"):
        CrossEncoderRanker.load(str(dense_folder(tmp_path / "dense")))


def test_a_classifier_of_many_classes_is_refused(tmp_path):
    with pytest.raises(ModelError, match="sorts into 3 classes"):
        CrossEncoderRanker.load(str(cross_folder(tmp_path / "three", labels=3)))


def test_equal_scores_separate_nothing():
    assert not separates({"a": 1.0, "b": 1.0})
    assert separates({"a": 1.0, "b": 0.5})
    assert separates({"a": 1.0})


def test_it_is_a_ranker_that_names_its_scale(folder):
    ranker = CrossEncoderRanker.load(str(folder))
    assert isinstance(ranker, Ranker)
    assert ranker.describe()["score"] == "logit"
    assert json.dumps(ranker.describe(), allow_nan=False)
