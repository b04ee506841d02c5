from dataclasses import replace

import numpy as np
import pytest

from boresight.errors import SpecError
from boresight.measure.funnel import recut
from boresight.models.fake import FakeGenerator
from boresight.pipeline.ask import answering, ask, changed, usual_changes, way
from boresight.pipeline.stages import IndexPipeline, Recipe
from helpers import additive_table

WEIGHTS = {"a": 0.1, "b": 0.2, "c": 2.0, "d": -0.5, "e": 0.0}
ANSWER = "in water"


class Lenient(FakeGenerator):
    """Scores a reference as if it were the answer."""

    def _lookup(self, request, target):
        return np.asarray(self._row(request), dtype=np.float32)


@pytest.fixture
def generator():
    return Lenient({"*": additive_table(WEIGHTS, answer=ANSWER)})


@pytest.fixture
def pipeline(index):
    return IndexPipeline(index, Recipe(("bm25", "dense"), depth=3, top=2))


def test_the_trace_holds_every_stage_and_the_text_of_all_that_went_on(pipeline):
    trace = way(pipeline, "water bell", references=["water"])
    assert [stage.name for stage in trace.stages] == ["bm25", "dense", "rrf", "pack"]
    assert {one.id for one in trace.passages} == {"c", "d", "a"}
    assert trace.context == ("c", "d")
    assert (trace.answer, trace.references) == (None, ("water",))
    assert trace.meta["pipeline"]["recipe"]["depth"] == 3


def test_the_answer_is_generated_and_audited_with_both_sides_on_record(pipeline, generator, tmp_path):
    """Additive values: an attribution is the weight on the first token and half of it on the second."""
    asked = ask(pipeline, "water bell", generator=generator, out=tmp_path / "run")
    assert asked.result.answers[asked.trace.id] == ANSWER
    rows = asked.result.passages.reset_index().set_index("passage")
    assert rows["attribution"].to_dict() == pytest.approx({"c": 3.0, "d": -0.75}, abs=1e-5)
    assert rows["rank"].to_dict() == {"c": 0, "d": 1}
    stored = next(iter(asked.result.traces.values()))
    assert [stage.name for stage in stored.stages] == ["bm25", "dense", "rrf", "pack"]


def explained(index, recipe, generator, tmp_path, *explain):
    return ask(
        IndexPipeline(index, recipe),
        "water bell",
        generator=generator,
        out=tmp_path / "run",
        settings={"explain": explain},
    )


def test_the_only_search_is_explained_under_the_stage_that_it_made(index, generator, tmp_path):
    asked = explained(index, Recipe(depth=2, top=2), generator, tmp_path, "retriever")
    stored = next(iter(asked.result.traces.values()))
    assert [stage.name for stage in stored.stages] == ["bm25", "pack"]
    rows = asked.result.saliency.reset_index()
    sums = rows[rows["side"] == "query"].groupby("passage")["value"].sum().to_dict()
    found = {one.id: one.score for one in stored.stages[0].ranking if one.id in stored.context}
    assert sums == pytest.approx(found, abs=1e-5)


def test_a_reranker_is_explained_and_a_fusion_is_refused(index, generator, tmp_path):
    fused = Recipe(("bm25", "dense"), depth=2, top=2)
    with pytest.raises(SpecError, match="name one --ranker, or a --rerank"):
        explained(index, fused, generator, tmp_path, "retriever")
    again = replace(fused, rankers=("dense",), rerank="bm25")
    asked = explained(index, again, generator, tmp_path, "retriever")
    assert asked.result.summary["retriever"]["stage"] == "bm25"


def test_removals_look_below_the_cut(index, generator, tmp_path):
    """Ranked are d and c, kept is d; without "water" only c holds a word of the question."""
    asked = explained(index, Recipe(depth=1, top=1), generator, tmp_path, "removals")
    (line,) = asked.result.removals.values()
    assert (asked.trace.context, line["cut"]) == (("c",), 1)
    moved = {
        (one["passage"], one["side"]): [removal["texts"] for removal in one["removals"]]
        for one in line["passages"]
    }
    assert set(moved) == {(key, side) for key in "cd" for side in ("query", "passage")}
    assert moved["d", "query"] == [["bell"]]


def test_the_usual_changes_try_every_stage(pipeline):
    assert [change.name for change in usual_changes(pipeline)] == [
        "inject@rrf",
        "decoy@rrf",
        "skip@pack",
        "recut@rrf=1",
        "recut@rrf=4",
    ]


def test_an_oracle_brings_in_a_named_passage_that_no_search_found(index, generator):
    """b is never retrieved; injected, it takes the place of d, and the answer's value rises by b less d."""
    pipeline = IndexPipeline(index, Recipe(depth=2, top=2))
    traces = [way(pipeline, "water bell", references=["water"])]
    found = changed(pipeline, traces, answer_of=answering(generator), good=["b"])
    effects = {one.change.name: {effect.measure: effect for effect in one.effects} for one in found}
    oracle = effects["inject@bm25"]
    good = oracle["good_in_context"]
    assert (good.before, good.after) == pytest.approx((2 / 3, 2 / 3))
    assert oracle["reference_logprob"].change.difference.value == pytest.approx(0.7 * 1.5, abs=1e-6)
    assert oracle["context_changed"].after == 1


def test_a_changed_cut_changes_context_and_reference(index, generator):
    """Without d, -0.5 on the first token and half of it on the second, the reference gains 0.75."""
    pipeline = IndexPipeline(index, Recipe(depth=2, top=2))
    traces = [way(pipeline, "water bell", references=["water"])]
    (found,) = changed(pipeline, traces, [recut("bm25", 1)], answer_of=answering(generator))
    effects = {effect.measure: effect for effect in found.effects}
    assert effects["reference_logprob"].change.difference.value == pytest.approx(0.75, abs=1e-6)
    assert effects["context_changed"].after == 1
    assert effects["answer_right"].before == 1
