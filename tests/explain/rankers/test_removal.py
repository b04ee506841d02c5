from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boresight.errors import SpecError
from boresight.explain.removal import smallest_removals
from boresight.models.rankers.bm25 import Bm25Ranker
from boresight.models.rankers.fusion import FusionRanker


class Counts:
    """A passage's score: how many words of the query it says, repeats included."""

    name = "counts"

    def __init__(self):
        self.runs = 0

    def describe(self):
        return {"kind": "counts"}

    def score(self, query, passages):
        self.runs += 1
        words = query.split()
        return {key: float(sum(text.split().count(word) for word in words)) for key, text in passages.items()}


QUERY = "gold river town"
TEXTS = {
    "a": "gold gold lies here. The river and the town . Nothing else.",
    "b": "river town",
    "c": "gold",
}


def removed(found):
    return [one.texts for one in found.removals]


def test_the_one_sentence_that_carries_a_passage_is_found():
    texts = {
        **TEXTS,
        "b": "river river town",
    }  # 3; a has 4, without its first sentence 2, without its second 2
    found = smallest_removals(Counts(), QUERY, texts, "a", cut=1)
    assert (found.rank, found.smallest, found.kind) == (0, True, "causal")
    assert removed(found) == [("gold gold lies here.",), ("The river and the town .",)]
    assert [(one.rank, one.score) for one in found.removals] == [(1, 2.0), (1, 2.0)]
    assert [texts["a"][slice(*one.spans[0])].strip() for one in found.removals] == [
        "gold gold lies here.",
        "The river and the town .",
    ]


def test_two_words_of_the_query_are_needed_where_one_does_not_do():
    texts = {"a": "gold river", "b": "town", "c": "moon"}
    found = smallest_removals(Counts(), "gold river town", texts, "a", cut=1, side="query")
    assert removed(found) == [("gold", "river")]
    assert found.smallest
    assert found.removals[0].rank == 1


def test_a_passage_below_the_cut_can_rise():
    texts = {"b": "river town", "a": "gold"}  # a tie would leave b in front
    found = smallest_removals(Counts(), "gold river town", texts, "a", cut=1, side="query")
    assert found.rank == 1
    assert removed(found) == [("river", "town")]
    assert found.removals[0].rank == 0


def test_what_cannot_be_moved_has_no_removal():
    found = smallest_removals(Counts(), "gold", {"a": "gold", "b": ""}, "a", cut=1)
    assert found.removals == ()
    assert found.smallest
    assert smallest_removals(Counts(), "", {"a": "x", "b": "y"}, "a", cut=1, side="query").removals == ()


def test_no_more_than_asked_are_shown():
    texts = {"b": "moon", "a": "gold river"}
    every, one = (
        smallest_removals(Counts(), "gold moon river", texts, "a", cut=1, side="query", shown=shown)
        for shown in (5, 1)
    )
    assert removed(every) == [("gold",), ("river",)]
    assert removed(one) == [("gold",)]


def test_a_small_budget_finds_a_set_without_a_spare_part_and_says_that_it_may_not_be_smallest():
    words = [f"w{place}" for place in range(12)]
    texts = {"a": " ".join(f"Here is {word} again." for word in words), "b": " ".join(words[:6])}
    ranker = Counts()
    found = smallest_removals(ranker, " ".join(words), texts, "a", cut=1, budget=40)
    assert found.rankings == ranker.runs <= 40
    assert not found.smallest
    assert [len(one.texts) for one in found.removals] == [
        7
    ]  # 12 words against 6, and a tie leaves a in front
    assert found.removals[0].rank == 1


def test_passages_that_stand_alone_are_not_scored_again():
    ranker = Counts()
    asked = []
    score = ranker.score
    ranker.score = lambda query, passages: asked.append(list(passages)) or score(query, passages)
    smallest_removals(ranker, QUERY, TEXTS, "a", cut=1)
    assert asked[0] == list(TEXTS)
    assert all(passages == ["a"] for passages in asked[1:])


def test_a_ranker_that_looks_at_all_passages_is_given_all():
    lexical = Bm25Ranker.fit(TEXTS)
    found = smallest_removals(FusionRanker([lexical]), QUERY, TEXTS, "a", cut=1)
    assert found.rank in {0, 1, 2}
    assert found.kind == "causal"


@settings(max_examples=40)
@given(
    st.dictionaries(
        st.sampled_from("abc"), st.lists(st.sampled_from("uvwxyz"), max_size=6), min_size=2, max_size=3
    ),
    st.lists(st.sampled_from("uvwxyz"), min_size=1, max_size=5, unique=True),
)
def test_shown_sets_cross_and_no_smaller_one_does(texts, words):
    texts, query, ranker = {key: " ".join(text) for key, text in texts.items()}, " ".join(words), Counts()
    passage = min(texts)
    found = smallest_removals(ranker, query, texts, passage, cut=1, side="query", budget=10_000, shown=99)

    def crosses(gone):
        scores = ranker.score(" ".join(word for word in words if word not in gone), texts)
        first = max(texts, key=lambda key: scores[key])
        return (first == passage) != (found.rank == 0)

    sizes = {
        size: [set(gone) for gone in combinations(words, size) if crosses(gone)]
        for size in range(1, len(words))
    }
    smallest = next((sets for sets in sizes.values() if sets), [])
    assert sorted(map(sorted, smallest)) == sorted(sorted(one.texts) for one in found.removals)


@pytest.mark.parametrize(
    ("passage", "cut", "message"), [("z", 1, "not among"), ("a", 3, "cuts nothing"), ("a", 0, "cuts")]
)
def test_a_cut_that_cuts_nothing_and_a_stranger_are_refused(passage, cut, message):
    with pytest.raises(SpecError, match=message):
        smallest_removals(Counts(), QUERY, TEXTS, passage, cut=cut)


def test_the_sentence_that_matters_most_is_the_one_that_is_named():
    said = [f"Nothing is said in number {place}." for place in range(6)]
    said[3] = "The gold lies here gold gold."
    found = smallest_removals(Counts(), "gold", {"a": " ".join(said), "b": "gold"}, "a", cut=1)
    assert removed(found) == [(said[3],)]
