import json

import numpy as np
import pytest

from boresight.errors import ModelError
from boresight.models.rankers.maxsim import MaxSimRanker, matches
from boresight.models.rankers.seam import Ranker
from toy_encoders import dense_folder, late_folder, put

TEXTS = {"a": "red blue . small", "b": "green", "c": "small . red green blue red small green blue red"}


@pytest.fixture
def plain(tmp_path):
    return MaxSimRanker.load(str(dense_folder(tmp_path / "plain")))


def test_the_score_by_hand(plain):
    # vectors of length 1: equal words give 1, opposite ones -1, all else 0; control tokens are left out
    scores = plain.score("red blue", {"a": "red small", "b": "green", "c": "blue red red"})
    assert scores == pytest.approx({"a": 1 + 0, "b": -1 + 0, "c": 1 + 1}, abs=1e-6)


def test_matches_sum_to_the_score_and_name_their_partners(plain):
    asked, found = plain.vectors("red blue", "query"), plain.vectors("small red", "passage")
    pairs = matches(asked, found)
    assert [(asked.texts[p.query], found.texts[p.passage]) for p in pairs] == [
        ("red", "red"),
        ("blue", "red"),
    ]
    assert sum(p.value for p in pairs) == pytest.approx(plain.score("red blue", {"p": "small red"})["p"])


def test_an_empty_side_scores_zero(plain):
    assert plain.score("red", {"empty": "", "full": "red"}) == {"empty": 0.0, "full": pytest.approx(1.0)}
    assert plain.score("", {"full": "red"}) == {"full": 0.0}
    assert plain.score("red", {}) == {}


def test_the_library_gives_the_same_scores_for_a_pylate_model(tmp_path):
    library = pytest.importorskip("sentence_transformers")
    if not hasattr(library, "MultiVectorEncoder"):
        pytest.skip("this release of sentence-transformers has no late interaction")
    folder = late_folder(tmp_path / "late")
    ranker = MaxSimRanker.load(str(folder))
    theirs = library.MultiVectorEncoder(str(folder), device="cpu")
    asked = np.asarray(theirs.encode_query(["red blue"])[0])
    ours = ranker.vectors("red blue", "query")
    assert ours.vectors == pytest.approx(asked, abs=1e-5)
    for text in TEXTS.values():
        found = np.asarray(theirs.encode_document([text])[0])
        assert ranker.vectors(text, "passage").vectors == pytest.approx(found, abs=1e-5)


def test_a_query_is_filled_up_with_masks_that_are_matched(tmp_path):
    ranker = MaxSimRanker.load(str(late_folder(tmp_path / "late")))
    asked = ranker.vectors("red blue", "query")
    assert asked.texts == ("[CLS]", "[Q] ", "red", "blue", "[SEP]", *["[MASK]"] * 7)
    assert asked.expansion == (False,) * 5 + (True,) * 7
    short = MaxSimRanker.load(str(late_folder(tmp_path / "short", do_query_expansion=False)))
    assert short.vectors("red blue", "query").texts == ("[CLS]", "[Q] ", "red", "blue", "[SEP]")


def test_skipped_tokens_of_a_passage_are_not_matched_and_those_of_a_query_are(tmp_path):
    ranker = MaxSimRanker.load(str(late_folder(tmp_path / "late", do_query_expansion=False)))
    assert "." not in ranker.vectors("red .", "passage").texts
    assert "." in ranker.vectors("red .", "query").texts


def test_a_long_passage_says_what_was_read(tmp_path):
    ranker = MaxSimRanker.load(str(late_folder(tmp_path / "late")))
    found = ranker.vectors(TEXTS["c"], "passage")
    assert found.truncated
    assert TEXTS["c"][slice(*found.read)] == "small . red green blue red small green blue"


def test_padding_and_neighbours_change_no_score(tmp_path):
    ranker = MaxSimRanker.load(str(late_folder(tmp_path / "late")))
    scores = ranker.score("red blue", TEXTS)
    assert ranker.score("red blue", {"b": TEXTS["b"]}) == {"b": scores["b"]}
    assert isinstance(ranker, Ranker)
    assert json.dumps(ranker.describe(), allow_nan=False)


def test_a_projection_with_an_activation_is_refused(tmp_path):
    folder = late_folder(tmp_path / "late")
    put(folder / "1_Dense" / "config.json", {"activation_function": "torch.nn.modules.activation.Tanh"})
    with pytest.raises(ModelError, match="projects with an activation"):
        MaxSimRanker.load(str(folder))


def test_a_missing_projection_or_marker_is_refused(tmp_path):
    folder = late_folder(tmp_path / "late", query_prefix="[X] ")
    with pytest.raises(ModelError, match=r"lacks the marker '\[X\] '"):
        MaxSimRanker.load(str(folder))
    (folder / "1_Dense" / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"lacks the layer 1_Dense/model\.safetensors"):
        MaxSimRanker.load(str(folder))
