import pytest

from boresight.errors import SpecError
from boresight.measure.funnel import decoy, inject, recut, skip
from boresight.pipeline.packing import fitting, packed
from boresight.pipeline.stages import IndexPipeline, Recipe
from boresight.trace import Trace

ASKED = Trace("t", "water bell")


class Alphabetic:
    """Likes late letters; shows that a reranker gets what was passed on."""

    name = "late"

    def describe(self):
        return {"name": self.name}

    def score(self, query, passages):
        return {key: float(ord(key)) for key in passages}


def stages(trace):
    return [(one.name, one.kind, [place.id for place in one.ranking], one.cut) for one in trace.stages]


def test_one_search_and_packing(index):
    """BM25 finds c (both words) and d (water thrice); the search itself keeps the top."""
    trace = IndexPipeline(index, Recipe(top=1, depth=2)).run(ASKED)
    assert stages(trace) == [
        ("bm25", "retrieve", ["c", "d"], 1),
        ("pack", "pack", ["c"], None),
    ]
    assert trace.context == ("c",)


def test_two_searches_are_recorded_each_with_its_cut_and_fused_by_reciprocal_rank(index):
    trace = IndexPipeline(index, Recipe(("bm25", "dense"), depth=2, top=2)).run(ASKED)
    lexical, dense, fused, pack = trace.stages
    assert (lexical.name, dense.name, fused.name, pack.name) == ("bm25", "dense", "rrf", "pack")
    assert (lexical.cut, dense.cut, fused.cut) == (2, 2, 2)
    assert {one.id: one.score for one in fused.ranking} == pytest.approx({"c": 2 / 61, "d": 2 / 62})
    assert len(dense.ranking) == 4  # twice the cut, so that what was just cut is on record


def test_a_reranker_scores_what_the_search_passed_on(index):
    pipeline = IndexPipeline(index, Recipe(("dense",), rerank="late", depth=3, top=2), reranker=Alphabetic())
    trace = pipeline.run(ASKED)
    assert stages(trace)[:2] == [
        ("dense", "retrieve", ["c", "d", "a", "b", "e"], 3),
        ("late", "rerank", ["d", "c", "a"], 2),
    ]
    assert trace.context == ("d", "c")


def test_the_budget_skips_what_does_not_fit_and_the_order_is_changed_behind_the_cut(index):
    recipe = Recipe(("dense",), depth=4, top=4, order="best-last", most_characters=60)
    trace = IndexPipeline(index, recipe).run(ASKED)
    assert trace.context == ("d", "c")  # 37 and 17 characters; a and b would be more than 60


def test_every_stage_can_be_changed_and_run_again(index):
    pipeline = IndexPipeline(index, Recipe(("bm25", "dense"), depth=3, top=1)).pipeline
    assert pipeline.run(ASKED).context == ("c",)
    assert pipeline.run(ASKED, inject("rrf"), ["b"]).context == ("b",)
    assert pipeline.run(ASKED, decoy("rrf"), ["a"]).context == ("a",)
    assert pipeline.run(ASKED, recut("rrf", 2)).context == ("c", "d")
    assert pipeline.run(ASKED, skip("pack")).context == ("c",)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"rankers": ()}, "at least one ranker"),
        ({"rankers": ("bm25", "bm25")}, "each once"),
        ({"top": 0}, "top must be at least 1"),
        ({"top": 9, "depth": 5}, "top \\(9\\) must not be above depth \\(5\\)"),
        ({"order": "worst"}, "order must be one of best-first, best-last, ends"),
    ],
)
def test_a_recipe_out_of_range_is_refused(fields, words):
    with pytest.raises(SpecError, match=words):
        Recipe(**fields)


def test_packing_orders():
    ids = ("1", "2", "3", "4", "5", "6")
    assert packed(ids) == ids
    assert packed(ids, "best-last") == ids[::-1]
    assert packed(ids, "ends") == ("1", "3", "5", "6", "4", "2")
    assert packed((), "ends") == ()


def test_a_budget_keeps_what_still_fits():
    lengths = {"a": 5, "b": 9, "c": 4}
    assert fitting(("a", "b", "c"), lengths, 9) == ("a", "c")
    assert fitting(("a", "b", "c"), lengths, None) == ("a", "b", "c")
    assert fitting(("a",), lengths, 0) == ()
