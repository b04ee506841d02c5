import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boresight.errors import SpecError
from boresight.pipeline.build import build_index
from boresight.pipeline.dense import VectorShards, prepared
from boresight.pipeline.index import Index, IndexSettings
from boresight.pipeline.searchers import CandidateSearcher, open_ranker, open_searcher
from helpers import write_jsonl
from pipeline_toys import ToyEncoder, cosine


def indexed(tmp_path, texts, encoder=None):
    lines = [{"_id": f"p{number}", "text": text} for number, text in enumerate(texts)]
    source = write_jsonl(tmp_path / "corpus.jsonl", lines)
    chosen = IndexSettings(encoder=None if encoder is None else "toy")
    build_index(source, tmp_path / "index", chosen, encoder=encoder)
    return Index(tmp_path / "index", encoder)


class Backwards:
    """Likes long texts."""

    name = "length"

    def describe(self):
        return {"name": self.name}

    def score(self, query, passages):
        return {key: float(len(text)) for key, text in passages.items()}


def test_dense_search_gives_the_encoders_own_scores(index, encoder):
    texts = dict(index.store.texts())
    found = index.dense().search("water bell", 5)
    assert found == pytest.approx(encoder.score("water bell", texts), abs=1e-6)
    assert next(iter(found)) == "c"


def test_a_query_without_a_vector_scores_0_everywhere_in_the_order_of_the_collection(index):
    assert index.dense().search("nothing known", 5) == dict.fromkeys("abcde", 0.0)


def test_more_than_there_are_gives_all_that_match(index):
    assert len(index.dense().search("water", 100)) == 5
    assert list(index.lexical().search("water", 100)) == ["d", "c"]


@pytest.mark.parametrize("texts", [["", "  "], ["the and of"], []], ids=["empty", "stop words", "no line"])
def test_a_collection_without_words_is_indexed_and_gives_nothing(tmp_path, texts):
    with indexed(tmp_path, [*texts, ""]) as index:
        assert index.lexical().search("the bell", 3) == {}


def test_a_query_of_stop_words_finds_nothing(index):
    assert index.lexical().search("of the and", 5) == {}


def test_the_parts_of_bm25_sum_to_the_score_of_the_search(index):
    lexical = index.lexical()
    for key, score in lexical.search("water from the bell bell", 5).items():
        parts = lexical.parts("water from the bell bell", index.texts([key])[key])
        assert sum(part.value for part in parts) == pytest.approx(score, abs=1e-5)


def test_shards_fill_up_one_after_the_other_and_are_searched_as_one(tmp_path):
    vectors = np.eye(7, dtype=np.float32) * np.arange(1, 8, dtype=np.float32)
    shards = VectorShards(tmp_path, shard_rows=3)
    for start, end in ((0, 2), (2, 6), (6, 7)):
        shards.append(vectors[start:end])
        assert len(shards) == end
    files = sorted((tmp_path / "dense").iterdir())
    assert [shards._faiss.read_index(str(path)).ntotal for path in files] == [3, 3, 1]
    found = shards.search(np.ones(7, dtype=np.float32), 4)
    assert found == [(6, 7.0), (5, 6.0), (4, 5.0), (3, 4.0)]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 20), st.integers(1, 5), st.integers(1, 25), st.integers(0, 99))
def test_shards_of_any_size_find_what_one_index_finds(tmp_path_factory, rows, size, k, seed):
    vectors = np.random.default_rng(seed).normal(size=(rows, 4)).astype(np.float32)
    shards = VectorShards(tmp_path_factory.mktemp("shards"), shard_rows=size)
    shards.append(vectors)
    query = np.ones(4, dtype=np.float32)
    expected = np.argsort(-(vectors @ query), kind="stable")[:k]
    assert [row for row, _ in shards.search(query, k)] == expected.tolist()


def test_cosine_vectors_get_length_1_and_zeros_stay():
    vectors = np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)
    assert prepared(vectors, ToyEncoder()) == pytest.approx(np.array([[0.6, 0.8], [0.0, 0.0]]))
    encoder = ToyEncoder()
    encoder.score_name = "dot"
    assert prepared(vectors, encoder) is vectors


def test_another_ranker_ranks_the_candidates_and_sees_no_others(index):
    searcher = CandidateSearcher(Backwards(), index.lexical(), index, candidates=1)
    assert list(searcher.search("water", 1)) == ["d"]
    assert list(searcher.search("water", 2)) == ["c", "d"]


def test_no_number_of_candidates_means_every_passage(index):
    searcher = CandidateSearcher(Backwards(), index.lexical(), index, candidates=0)
    assert list(searcher.search("nothing", 3)) == ["b", "c", "a"]
    assert searcher.describe()["candidates"] == "all"


def test_a_ranker_that_compares_passages_is_not_run_block_by_block(index):
    class Listwise(Backwards):
        def describe(self):
            return {"listwise": True}

    with pytest.raises(SpecError, match="compares its candidates"):
        CandidateSearcher(Listwise(), index.lexical(), index, candidates=0)


def test_names_open_the_searches_of_the_index_and_its_rankers(index, encoder):
    assert open_searcher(index, "bm25").name == "bm25"
    assert open_searcher(index, "dense").name == "dense"
    assert open_ranker(index, "dense") is encoder
    assert open_ranker(index, "bm25").score("water", {"x": "water"})["x"] > 0


def test_an_unknown_ranker_is_refused_with_what_there_is(index):
    with pytest.raises(SpecError, match=r"'nothing' names no ranker: give .* or bm25 or dense"):
        open_searcher(index, "nothing")


def test_the_toy_cosine_is_right():
    assert cosine(np.array([1.0, 0.0]), np.array([1.0, 1.0])) == pytest.approx(2**-0.5)
