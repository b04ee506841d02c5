"""Changing one stage of a pipeline and reading what it does."""

import pytest

from boresight.errors import InputError, ScoringError, SpecError
from boresight.measure.funnel import (
    Answered,
    Pipeline,
    PipelineStage,
    ablate,
    decoy,
    funnel,
    good_passages,
    inject,
    recut,
    skip,
)
from boresight.trace import Passage, Ranked, Trace

TEXTS = {key: Passage(key, f"text of {key}") for key in "abcdefg"}
TRACES = tuple(
    Trace(f"q{number}", f"q{number}", references=("yes",), relevance={"g": 1}) for number in range(4)
)


def ranking(ids):
    return tuple(Ranked(key, float(10 - place)) for place, key in enumerate(ids))


def pipeline(found="abgcd", order="bagcd", **cuts):
    """A retriever that keeps four, and a reranker that keeps two and puts g third."""

    def rerank(_query, entering):
        inside = {place.id for place in entering}
        return ranking([key for key in order if key in inside])

    return Pipeline(
        [
            PipelineStage("bm25", "retrieve", lambda _query, _entering: ranking(found), cuts.get("bm25", 4)),
            PipelineStage("ce", "rerank", rerank, cuts.get("ce", 2)),
        ],
        TEXTS,
    )


def answer_of(trace):
    return Answered(-1.0 if "g" in trace.context else -3.0, "yes" if "g" in trace.context else "no idea")


def effects(found):
    return {effect.measure: effect for effect in found.effects}


def test_a_run_records_the_full_ranking_and_cut_of_every_stage():
    ran = pipeline().run(TRACES[0])
    assert [(one.name, len(one.ranking), one.cut) for one in ran.stages] == [("bm25", 5, 4), ("ce", 4, 2)]
    assert (ran.context, [one.id for one in ran.context_passages]) == (("b", "a"), ["b", "a"])
    loss = funnel(ran, good_passages(ran))[0].loss
    assert (loss.kind, loss.stage) == ("cut", "ce")


def test_a_wider_cut_recovers_the_passage_and_the_answer():
    (found,) = ablate(pipeline(), TRACES, [recut("ce", 3)], answer_of=answer_of)
    taken = effects(found)
    assert (found.recovered.value, found.missing, found.displaced) == (1.0, 4, 0)
    assert (taken["good_in_context"].before, taken["good_in_context"].after) == (0.0, 1.0)
    assert taken["reciprocal_rank"].after == pytest.approx(1 / 3)
    logprob = taken["reference_logprob"].change
    assert (logprob.difference.value, logprob.difference.low, logprob.pairs) == (2.0, 2.0, 4)
    assert (taken["answer_right"].before, taken["answer_right"].after) == (0.0, 1.0)
    assert taken["answer_changed"].after == 1.0


def test_the_identity_takes_the_order_away_and_keeps_the_cut():
    ran = pipeline().run(TRACES[0], skip("ce"))
    assert ran.context == ("a", "b")


def test_an_oracle_puts_the_good_passages_first_within_the_cut():
    ran = pipeline(found="abcd").run(TRACES[0], inject("ce"), ["g"])
    assert ran.context == ("g", "b")
    assert ran.stages[1].ranking[0].score == ran.stages[1].ranking[1].score


def test_an_oracle_before_a_deaf_reranker_changes_nothing():
    """The retriever finds g, and the reranker still puts it third: retrieval is not what is wrong."""
    first, last = ablate(pipeline(), TRACES, [inject("bm25"), inject("ce")], answer_of=answer_of)
    assert (first.recovered.value, last.recovered.value) == (0.0, 1.0)
    assert effects(first)["context_changed"].after == 0.0
    assert last.displaced == 0


def test_a_decoy_is_the_same_intrusion_without_the_good_passage():
    """The reranker ranks b a g c and cuts g and c, so only c can be drawn."""
    (found,) = ablate(pipeline(), TRACES, [decoy("ce")], answer_of=answer_of)
    taken = effects(found)
    assert (found.recovered.value, taken["context_changed"].after) == (0.0, 1.0)
    assert taken["reference_logprob"].change.difference.value == 0.0


def test_a_stage_that_cuts_nothing_has_no_decoys():
    (found,) = ablate(pipeline(ce=None), TRACES, [decoy("ce")])
    assert effects(found)["context_changed"].after == 0.0


def test_a_tighter_cut_displaces_good_passages():
    (found,) = ablate(pipeline(order="gab"), TRACES, [recut("ce", 0)])
    assert (found.displaced, found.missing, found.recovered.value) == (4, 0, None)


def test_the_answer_is_not_asked_for_again_where_the_context_stays():
    asked = []

    def count(trace):
        asked.append(trace.id)
        return Answered(text=f"sample {len(asked)}")

    (found,) = ablate(pipeline(), TRACES, [recut("bm25", 3)], answer_of=count)
    assert len(asked) == len(TRACES)
    assert effects(found)["answer_changed"].after == 0.0


def test_stages_before_the_change_are_not_run_again():
    calls = []

    def retrieve(query, _entering):
        calls.append(query)
        return ranking("abg")

    line = Pipeline(
        [PipelineStage("r", "retrieve", retrieve), PipelineStage("f", "filter", lambda _, got: got)], TEXTS
    )
    ablate(line, TRACES[:1], [recut("f", 1), skip("f")])
    assert calls == ["q0"]


def test_a_failed_answer_is_counted_and_left_out():
    def failing(trace):
        if trace.id == "q1" and "g" in trace.context:
            raise ScoringError("the server said no")
        return answer_of(trace)

    (found,) = ablate(pipeline(), TRACES, [recut("ce", 3)], answer_of=failing)
    assert found.failed == {"q1": "the server said no"}
    assert effects(found)["reference_logprob"].change.pairs == 3
    assert effects(found)["good_in_context"].change.pairs == 4


def test_without_answers_only_the_context_is_compared():
    (found,) = ablate(pipeline(), TRACES, [skip("ce")])
    assert list(effects(found)) == ["good_in_context", "any_good", "reciprocal_rank", "context_changed"]


def test_traces_without_good_passages_say_only_whether_the_context_changed():
    bare = [Trace("q", "q")]
    (found,) = ablate(pipeline(), bare, [skip("ce")])
    assert list(effects(found)) == ["context_changed"]


def test_json_has_no_infinite_or_missing_numbers():
    (found,) = ablate(pipeline(), TRACES, [recut("ce", None)], answer_of=answer_of)
    told = found.to_json()
    assert (told["change"], told["recovered"]["of"], told["failed"]) == ("recut@ce=none", 4, {})
    assert told["effects"][0]["traces"] == 4


@pytest.mark.parametrize(
    ("change", "words"),
    [(skip("bm25"), "cannot be skipped"), (inject("rrf"), "there is no stage 'rrf'")],
)
def test_a_change_that_cannot_be_made_is_refused_before_anything_runs(change, words):
    with pytest.raises(SpecError, match=words):
        ablate(pipeline(), TRACES, [change], answer_of=lambda trace: pytest.fail("it ran"))


def test_a_pipeline_needs_stages_with_names_of_their_own():
    one = PipelineStage("r", "retrieve", lambda _query, _entering: ())
    with pytest.raises(SpecError, match="at least one stage"):
        Pipeline([], TEXTS)
    with pytest.raises(SpecError, match="two stages are named 'r'"):
        Pipeline([one, one], TEXTS)
    with pytest.raises(SpecError, match="0 or more"):
        recut("r", -1)


def test_a_stage_that_ranks_a_passage_twice_is_refused():
    line = Pipeline([PipelineStage("r", "retrieve", lambda _query, _entering: ranking("aa"))], TEXTS)
    with pytest.raises(InputError, match="twice"):
        line.run(TRACES[0])
