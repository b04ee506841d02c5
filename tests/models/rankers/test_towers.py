import json

import pytest

from boresight.errors import SpecError
from boresight.models.encoder import load_encoder
from boresight.models.rankers.seam import Ranker
from boresight.models.rankers.towers import TwoTowers
from toy_encoders import dense_folder, tokenizer


@pytest.fixture
def folders(tmp_path):
    """A query tower that pools [CLS], and a passage tower whose tokenizer lower-cases, of the last token."""
    query = dense_folder(tmp_path / "asks", "cls_token", similarity_fn_name="dot")
    passage = dense_folder(tmp_path / "answers", "mean_tokens", similarity_fn_name="dot")
    tokenizer(lower=True).save_pretrained(passage)
    return query, passage


@pytest.fixture
def towers(folders):
    return TwoTowers(*(load_encoder(str(folder)) for folder in folders))


def test_each_side_has_its_own_pooling_and_tokenizer(towers):
    # The passage is read as "green", so that it is the mean of three vectors, a third of (-1, -1, 1, 1).
    assert towers.score("RED", {"p": "GREEN"}) == {"p": pytest.approx((1 - 1 + 1 - 1) / 3, abs=1e-6)}
    assert towers.encode(["RED"], "query")[0] == pytest.approx((-1, 1, 1, -1))
    assert towers.encode(["GREEN"], "passage")[0] == pytest.approx((-1 / 3, -1 / 3, 1 / 3, 1 / 3), abs=1e-6)


def test_a_pair_of_towers_is_a_ranker(towers):
    assert isinstance(towers, Ranker)
    assert towers.score("red", {}) == {}
    assert towers.truncation("red blue") == (4, 4)
    described = json.loads(json.dumps(towers.describe(), allow_nan=False))
    assert described["query_tower"]["pooling"] == ["cls"]
    assert described["passage_tower"]["pooling"] == ["mean"]
    assert towers.name == "asks+answers"


def test_towers_of_two_models_are_refused(folders, tmp_path):
    query, other = load_encoder(str(folders[0])), load_encoder(str(dense_folder(tmp_path / "cosine")))
    with pytest.raises(SpecError, match="are not two towers of one model"):
        TwoTowers(query, other)
