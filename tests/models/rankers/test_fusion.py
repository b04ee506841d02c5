import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import SpecError
from boresight.models.rankers.fusion import FusionRanker, contributions, fuse, reciprocal_rank, scaled
from boresight.models.rankers.seam import Ranker, ranking

WORDS = {"a": 3.0, "b": 2.0, "c": 1.0}
VECTORS = {"b": 0.9, "c": 0.8, "d": 0.1}
score_maps = st.dictionaries(st.sampled_from("abcdef"), st.integers(-5, 5).map(float), max_size=6)


class Table:
    """A ranker whose scores are written down."""

    def __init__(self, name, scores):
        self.name, self.scores = name, scores

    def describe(self):
        return {"kind": "table", "name": self.name}

    def score(self, query, passages):
        return {key: self.scores[key] for key in passages}


def test_reciprocal_ranks_by_hand():
    fused = fuse({"words": WORDS, "vectors": VECTORS})
    assert fused == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 63 + 1 / 62, "d": 1 / 63})
    assert ranking(fused) == ("b", "c", "a", "d")


def test_weighted_scores_by_hand():
    fused = fuse({"words": WORDS, "vectors": VECTORS}, "weighted", {"vectors": 2.0})
    assert fused == pytest.approx({"a": 1.0, "b": 0.5 + 2.0, "c": 0 + 2 * 0.7 / 0.8, "d": 0.0})


def test_tied_passages_share_the_mean_of_their_places():
    assert reciprocal_rank({"a": 1, "b": 2, "c": 1}) == pytest.approx(
        {"a": (1 / 62 + 1 / 63) / 2, "b": 1 / 61, "c": (1 / 62 + 1 / 63) / 2}
    )


def test_equal_scores_separate_nothing_and_add_nothing():
    assert scaled({"a": 7.0, "b": 7.0}) == {"a": 0.0, "b": 0.0}
    assert scaled({}) == {}


def test_a_passage_that_a_ranking_lacks_gets_no_entry_from_it():
    parts = contributions({"words": WORDS, "vectors": VECTORS})
    assert set(parts["a"]) == {"words"}
    assert set(parts["b"]) == {"words", "vectors"}


def test_two_ids_of_one_text_stay_two_passages():
    ranker = FusionRanker([Table("x", {"a": 1.0, "b": 0.5})])
    assert set(ranker.score("q", {"a": "same", "b": "same"})) == {"a", "b"}


@given(score_maps, score_maps)
def test_fused_scores_are_the_sum_of_their_parts_whatever_the_order(left, right):
    one, other = ({"l": left, "r": right}, {"r": right, "l": left})
    parts = contributions(one)
    assert fuse(one) == {key: pytest.approx(sum(values.values())) for key, values in parts.items()}
    assert fuse(other) == pytest.approx(fuse(one))


def test_a_fusion_is_a_ranker_that_says_it_looks_at_all_passages():
    ranker = FusionRanker([Table("words", WORDS), Table("vectors", {**VECTORS, "a": 0.0})])
    scores = ranker.score("q", {"c": "", "a": "", "b": ""})
    assert list(scores) == ["c", "a", "b"]
    assert isinstance(ranker, Ranker)
    assert ranker.describe()["listwise"]
    assert json.dumps(ranker.describe(), allow_nan=False)


def test_wrong_fusions_are_refused():
    with pytest.raises(SpecError, match="no fusion method 'sum'"):
        fuse({"words": WORDS}, "sum")
    with pytest.raises(SpecError, match="no ranking 'other'"):
        fuse({"words": WORDS}, weights={"other": 1.0})
    with pytest.raises(SpecError, match="each of another name"):
        FusionRanker([Table("x", {}), Table("x", {})])
