"""Following a passage through recorded stages: ranks, ties, gaps, ways back."""

from hypothesis import given
from hypothesis import strategies as st

from boresight.measure.funnel import Generation, Good, funnel, good_passages
from boresight.trace import Passage, Ranked, Stage, Trace

GOOD = (Good("g", ("named",)),)


def loss_of(trace, generation=None, **options):
    rows = funnel(trace, GOOD, generation or Generation(), **options)
    return (rows[0].loss.kind, rows[0].loss.stage) if rows[0].loss else None


def test_a_row_has_a_step_for_each_stage_then_context_generator_and_citation(stage, trace):
    given_trace = trace(
        stage("bm25", "retrieve", ("a", 3.0), ("g", 2.0), ("b", 1.0), cut=2),
        stage("ce", "rerank", ("g", 0.9), ("a", 0.1)),
        context="ga",
    )
    row = funnel(given_trace, GOOD, Generation({"g": 1.5, "a": 0.0}, 0.5, {"g": False}, True))[0]
    assert [(step.stage, step.rank_low, step.survived) for step in row.steps] == [
        ("bm25", 1, True), ("ce", 0, True), ("context", 0, True), ("generator", None, True),
        ("citation", None, False),
    ]  # fmt: skip
    assert (row.loss, row.position, row.attribution, row.above_floor, row.cited) == (
        None,
        0,
        1.5,
        True,
        False,
    )
    assert row.reached == "generator"


def test_ties_give_a_range_of_ranks(stage, trace):
    ranked = stage("ce", "rerank", ("a", 0.9), ("b", 0.5), ("g", 0.5), ("c", 0.5), ("d", 0.1), cut=2)
    step = funnel(trace(stage("bm25", "retrieve", *"abgcd"), ranked), GOOD)[0].steps[1]
    assert (step.rank_low, step.rank_high, step.survived, step.tied_at_cut) == (1, 3, False, True)
    assert step.margin == 0.0


def test_equal_scores_apart_from_each_other_are_no_tie(stage, trace):
    step = funnel(trace(stage("mmr", "retrieve", ("g", 1.0), ("a", 2.0), ("b", 1.0))), GOOD)[0].steps[0]
    assert (step.rank_low, step.rank_high) == (0, 0)


def test_absent_scores_are_no_tie(stage, trace):
    step = funnel(trace(stage("r", "retrieve", "a", "g", "b")), GOOD)[0].steps[0]
    assert (step.rank_low, step.rank_high, step.score, step.margin) == (1, 1, None, None)


def test_the_margin_is_the_distance_to_the_last_kept_score(stage, trace):
    ranked = stage("r", "retrieve", ("a", 9.0), ("b", 7.0), ("g", 4.0), cut=2)
    assert funnel(trace(ranked), GOOD)[0].steps[0].margin == -3.0


def test_below_twice_the_cut_is_a_matter_of_the_cut_and_below_that_of_the_score(stage, trace):
    near = stage("r", "retrieve", "a", "b", "c", "g", cut=2)
    far = stage("r", "retrieve", "a", "b", "c", "d", "g", cut=2)
    assert loss_of(trace(near)) == ("cut", "r")
    assert loss_of(trace(far)) == ("scored_low", "r")
    assert loss_of(trace(far), near=3.0) == ("cut", "r")


def test_parallel_retrievers_lose_what_neither_kept_and_the_nearest_is_named(stage, trace):
    one = stage("bm25", "retrieve", *"abcdeg", cut=2)
    other = stage("dense", "retrieve", "x", "y", "z", "g", cut=2)
    assert loss_of(trace(one, other)) == ("cut", "dense")
    assert loss_of(trace(one, stage("dense", "retrieve", "x", "g", cut=2))) is None


def test_a_passage_that_comes_back_was_not_lost(stage, trace):
    """The cut of the first stage is a wish: the next one got the passage all the same."""
    given_trace = trace(
        stage("r", "retrieve", "a", "b", "g", cut=2), stage("ce", "rerank", "g", "a", cut=1), context="g"
    )
    assert loss_of(given_trace) is None


def test_a_second_retriever_can_bring_a_passage_back(stage, trace):
    given_trace = trace(
        stage("r", "retrieve", "a", "g"), stage("ce", "rerank", "a", "g", cut=1),
        stage("hop2", "retrieve", "g", "b"), context="ag",
    )  # fmt: skip
    assert loss_of(given_trace) is None


def test_never_seen_without_a_recorded_retriever_is_not_recorded(stage, trace):
    assert loss_of(trace(stage("ce", "rerank", "a", "b"), context="a")) == ("not_recorded", None)
    assert loss_of(trace(context="a")) == ("not_recorded", None)


def test_never_retrieved_needs_a_record_of_every_source(stage, trace):
    retrieved = stage("r", "retrieve", "a", "b")
    assert loss_of(trace(retrieved, context="a")) == ("never_retrieved", "r")
    assert loss_of(trace(retrieved, context="x")) == ("not_recorded", None)
    assert loss_of(trace(retrieved, stage("fuse", "fuse", "a", "x"))) == ("not_recorded", None)


def test_an_empty_ranking_before_others_was_not_recorded(stage, trace):
    failed = trace(
        stage("r", "retrieve", "a", "g"), stage("ce", "rerank"), stage("f", "filter", "a"), context="a"
    )
    assert loss_of(failed) == ("not_recorded", "f")
    assert funnel(failed, GOOD)[0].steps[1].survived is None
    assert loss_of(trace(stage("r", "retrieve"), context="a")) == ("not_recorded", None)


def test_a_lone_retriever_that_found_nothing_never_retrieved_it(stage, trace):
    assert loss_of(trace(stage("r", "retrieve"))) == ("never_retrieved", "r")


def test_between_the_last_ranking_and_the_context_nothing_is_blamed(stage, trace):
    row = funnel(trace(stage("r", "retrieve", "a", "b", "g"), context="ab"), GOOD)[0]
    assert (row.loss.kind, row.loss.stage_kind) == ("not_recorded", "context")
    assert "holds its first 2" in row.loss.detail


def test_an_unrecorded_context_leaves_a_kept_passage_unjudged(stage, trace):
    row = funnel(trace(stage("r", "retrieve", "a", "g")), GOOD)[0]
    assert (row.loss, row.in_context, row.reached) == (None, None, "r")


def test_a_filter_loses_without_regard_to_rank_and_names_itself(stage, trace):
    assert loss_of(trace(stage("r", "retrieve", "g", "a"), stage("f", "filter", "a"))) == ("filtered", "f")


def test_a_filter_with_other_scores_than_its_input_hides_a_ranker(stage, trace):
    given_trace = trace(stage("r", "retrieve", ("g", 9.0), ("a", 8.0)), stage("f", "filter", ("a", 0.3)))
    assert loss_of(given_trace) == ("not_recorded", "f")


def test_deduplication_is_told_by_the_text_that_stayed(stage, trace):
    stages = (stage("r", "retrieve", "a", "g", "b"), stage("dedup", "filter", "a", "b"))
    texts = {"a": "the same  text", "g": "the same text"}
    assert loss_of(trace(*stages, texts=texts)) == ("merged", "dedup")
    assert loss_of(trace(*stages)) == ("filtered", "dedup")


def test_fusion_without_a_cut_can_only_have_merged(stage, trace):
    stages = (stage("r", "retrieve", "a", "g"), stage("d", "retrieve", "b"))
    row = funnel(trace(*stages, stage("rrf", "fuse", "a", "b")), GOOD)[0]
    assert (row.loss.kind, row.loss.inferred) == ("merged", True)
    assert loss_of(trace(*stages, stage("rrf", "fuse", "a", "b", cut=2))) == ("below_cut", "rrf")


def test_a_reranker_that_kept_fewer_than_it_could_has_filtered(stage, trace):
    retrieved = stage("r", "retrieve", "a", "g", "b")
    assert loss_of(trace(retrieved, stage("ce", "rerank", "a", cut=3))) == ("filtered", "ce")
    assert loss_of(trace(retrieved, stage("ce", "rerank", "a", cut=1))) == ("below_cut", "ce")


def test_several_retrievers_without_a_fusion_leave_the_way_open(stage, trace):
    stages = (stage("r", "retrieve", "a", "g"), stage("d", "retrieve", "b"))
    assert loss_of(trace(*stages, stage("f", "filter", "a", "b"))) == ("not_recorded", "f")
    assert loss_of(trace(*stages, stage("ce", "rerank", "a", "b", "g", cut=2))) == ("cut", "ce")


def test_a_stage_that_the_audit_added_is_left_out(stage, trace):
    given_trace = trace(
        stage("r", "retrieve", "a", "g"), stage("ce", "rerank", "a", "g", cut=1),
        stage("minilm", "retrieve", "g", "a"), context="a",
    )  # fmt: skip
    assert loss_of(given_trace, exclude={"minilm"}) == ("cut", "ce")


def test_the_encoder_limit_explains_a_rank_only_where_the_answer_lies_behind_it(stage):
    passages = (Passage("g", "x" * 50 + " Warsaw"), Passage("a", "a"), Passage("b", "b"))
    stages = (Stage("r", "retrieve", tuple(map(Ranked, "abg")), 1),)
    given_trace = Trace("q", "?", passages, (), stages, references=("Warsaw",))
    good = good_passages(given_trace)

    def kind(characters):
        return funnel(given_trace, good, read={"r": {"g": characters}})[0].loss.kind

    assert (kind(40), kind(57)) == ("beyond_limit", "scored_low")
    assert funnel(given_trace, GOOD, read={"r": {"g": 40}})[0].loss.kind == "scored_low"


def test_what_an_encoder_read_can_stand_in_the_passage(stage):
    passage = Passage("g", "x" * 50 + " Warsaw", metadata={"characters_read": {"r": 40}})
    stages = (Stage("r", "retrieve", (Ranked("a"), Ranked("g")), 1),)
    given_trace = Trace("q", "?", (passage,), (), stages, references=("Warsaw",))
    assert funnel(given_trace, good_passages(given_trace))[0].loss.kind == "beyond_limit"


def test_the_generator_loses_what_it_does_not_use(stage, trace):
    given_trace = trace(stage("r", "retrieve", "g"), context="g")

    def kind(value, right=None):
        loss = funnel(given_trace, GOOD, Generation({"g": value}, 0.5, None, right))[0].loss
        return loss and loss.kind

    assert [kind(0.5), kind(-0.5), kind(0.6), kind(-0.6)] == ["unused", "unused", None, "opposed"]
    assert [kind(0.6, right=False), kind(0.1, right=True)] == ["answer_wrong", "unused"]


def test_a_wrong_answer_without_attributions_blames_nothing(stage, trace):
    given_trace = trace(stage("r", "retrieve", "g"), context="g")
    wrong = Generation(None, 0.0, None, answer_right=False)
    assert loss_of(given_trace, wrong) == ("not_recorded", "generator")


@given(st.lists(st.sampled_from("abcdefgh"), unique=True), st.integers(0, 9), st.permutations("abcdefgh"))
def test_every_passage_is_either_lost_once_or_kept(found, cut, context):
    """A retriever and a context of any shape: in the context means no loss, and out of it one."""
    held = context[: len(context) // 2]
    passages = tuple(Passage(key, key) for key in "abcdefgh")
    stages = (Stage("r", "retrieve", tuple(map(Ranked, found)), cut),)
    rows = funnel(Trace("q", "?", passages, held, stages), [Good(key, ("named",)) for key in "abcdefgh"])
    for row in rows:
        assert (row.loss is None) == row.in_context == (row.passage in held)
