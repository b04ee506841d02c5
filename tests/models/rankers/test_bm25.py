import json
import math

import pytest

from boresight.errors import InputError, SpecError
from boresight.models.rankers.bm25 import VARIANTS, Bm25Ranker, Bm25Settings, Statistics
from boresight.models.rankers.seam import Ranker, Searcher
from boresight.models.rankers.words import words_at

pytest.importorskip("bm25s", reason="bm25s is not installed")


def test_one_term_by_hand(collection):
    ranker = Bm25Ranker.fit(collection, Bm25Settings(k1=1.2, b=0.5))
    # words counted: 3 + 2 + 5 + 0 over 4 passages; "river" stands in 2 of them; p1 says it twice in 3 words
    idf = math.log(1 + (4 - 2 + 0.5) / (2 + 0.5))
    length = 1 - 0.5 + 0.5 * 3 / 2.5
    assert ranker.score("river", collection)["p1"] == pytest.approx(idf * 2 / (2 + 1.2 * length))
    (part,) = ranker.parts("river", collection["p1"])
    assert part.idf == pytest.approx(idf)
    assert (part.repeats, part.frequency) == (1, 2)
    assert part.value == pytest.approx(part.idf * part.frequency_part * part.length_part)


def test_a_term_that_the_query_repeats_counts_twice(collection):
    ranker = Bm25Ranker.fit(collection)
    once, twice = (ranker.score(query, collection)["p1"] for query in ("bridge", "bridge bridge"))
    assert twice == pytest.approx(2 * once)
    assert ranker.search("bridge bridge", 1)["p1"] == pytest.approx(twice)


@pytest.mark.parametrize("variant", VARIANTS)
def test_scores_are_those_of_bm25s(collection, variant):
    ranker = Bm25Ranker.fit(collection, Bm25Settings(variant=variant))
    for query in ("river town", "small bridge", "town town river"):
        found = ranker.search(query, 10)
        ours = ranker.score(query, {key: collection[key] for key in found})
        assert ours == pytest.approx(found, abs=1e-5)


def test_search_leaves_out_passages_that_share_no_term(collection):
    ranker = Bm25Ranker.fit(collection)
    assert list(ranker.search("river", 10)) == ["p1", "p2"]
    assert list(ranker.search("river", 1)) == ["p1"]


@pytest.mark.parametrize("query", ["", "the of and", "zebra", "?!"])
def test_a_query_without_a_known_term_finds_nothing(collection, query):
    ranker = Bm25Ranker.fit(collection)
    assert ranker.search(query, 10) == {}
    assert set(ranker.score(query, collection).values()) == {0.0}


@pytest.mark.parametrize("texts", [{}, {"a": ""}, {"a": "", "b": " \n", "c": "the of"}])
def test_a_collection_without_words_is_searched_in_vain(texts, tmp_path):
    ranker = Bm25Ranker.fit(texts)
    assert ranker.search("river", 5) == {}
    assert ranker.score("river", {"x": "river"}) == {"x": 0.0}
    ranker.save(tmp_path / "index")
    assert Bm25Ranker.load(tmp_path / "index").search("river", 5) == {}


def test_more_than_there_is_can_be_asked_for():
    ranker = Bm25Ranker.fit({"a": "river", "b": "river bridge"})
    assert list(ranker.search("river", 10)) == ["a", "b"]


def test_the_first_word_of_the_vocabulary_keeps_its_own_score():
    """An empty text must not take the place of a real term."""
    ranker = Bm25Ranker.fit({"a": "river", "b": "", "c": "bridge"})
    assert ranker.search("river", 3) == {"a": pytest.approx(ranker.score("river", {"a": "river"})["a"])}


def test_a_text_outside_the_collection_is_scored_with_its_statistics(collection):
    ranker = Bm25Ranker.fit(collection)
    assert ranker.score("river", {"new": collection["p1"]})["new"] == ranker.score("river", collection)["p1"]


def test_an_index_is_the_same_after_saving(collection, tmp_path):
    ranker = Bm25Ranker.fit(collection, Bm25Settings(k1=0.9, stop_words="none"))
    ranker.save(tmp_path / "index")
    again = Bm25Ranker.load(tmp_path / "index")
    assert again.search("river town", 5) == ranker.search("river town", 5)
    assert again.describe() == ranker.describe()


def test_a_folder_without_an_index_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"holds no BM25 index: statistics\.json is missing"):
        Bm25Ranker.load(tmp_path)


def test_without_a_collection_it_scores_and_does_not_search():
    ranker = Bm25Ranker(Statistics(2, 4, {"river": 1}))
    assert ranker.score("river", {"a": "river"})["a"] > 0
    with pytest.raises(SpecError, match="can score passages but not search"):
        ranker.search("river", 1)


@pytest.mark.parametrize("wrong", [{"k1": 0}, {"k1": math.inf}, {"b": 1.5}, {"variant": "bm25l"}])
def test_settings_out_of_range_are_refused(wrong):
    with pytest.raises(SpecError, match="BM25"):
        Bm25Settings(**wrong)


def test_it_meets_both_seams_and_describes_itself_in_json(collection):
    ranker = Bm25Ranker.fit(collection)
    assert isinstance(ranker, Ranker)
    assert isinstance(ranker, Searcher)
    assert json.loads(json.dumps(ranker.describe(), allow_nan=False))["passages"] == 4


def test_words_are_those_of_bm25s():
    import bm25s

    texts = ["The wing's lift, at Mach 2.5 and 30 degrees!", "a b cd", "under_score IT'S"]
    theirs = bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
    assert [[word.term for word in words_at(text)] for text in texts] == theirs


def test_words_know_their_places_and_both_spellings_of_an_accent():
    text = "Caf\u00e9 cafe\u0301 \u6771\u4eac"
    words = words_at(text, "none")
    assert [word.term for word in words] == ["caf\u00e9", "caf\u00e9", "\u6771", "\u4eac"]
    assert [text[word.start : word.end] for word in words] == ["Caf\u00e9", "cafe\u0301", "\u6771", "\u4eac"]
