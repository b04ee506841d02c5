"""The funnel of a run: its tables, its summary, which passages are good, and what it leaves out."""

import json

import pytest

from boresight.api import Audit, audit
from boresight.errors import SpecError
from boresight.models.fake import FakeGenerator
from boresight.run.funnel import owner, stage_measures
from helpers import additive_table, make_trace

WEIGHTS = {"a": 1.0, "b": -0.5, "c": 0.25}
SCORES = {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5, "e": 0.25}


def stage(name, ids, kind="retrieve", cut=None):
    ranking = [{"id": key, "score": SCORES[key]} for key in ids]
    return {"name": name, "kind": kind, "ranking": ranking, "cut": cut}


def long_trace(trace_id="t", **fields):
    """Five passages are retrieved, three reach the context; ``d`` stands just below the reranker's cut."""
    texts = {key: f"text of {key}" for key in SCORES} | fields.pop("texts", {})
    return {
        "id": trace_id,
        "query": "Where?",
        "passages": [{"id": key, "text": text} for key, text in texts.items()],
        "stages": [stage("bm25", "abcde"), stage("ce", "cbade", "rerank", 3)],
        "context": ["a", "b", "c"],
        "answer": "in Rome",
        **fields,
    }


def run(traces, out=None, **options):
    return audit(traces, generator=FakeGenerator({"*": additive_table(WEIGHTS)}), out=out, **options)


def losses(result):
    table = result.funnel.reset_index()
    kinds = table["lost_kind"].astype(object).where(table["lost_kind"].notna(), None)
    return dict(zip(table["trace"] + ":" + table["passage"], kinds, strict=True))


def test_a_good_passage_is_followed_from_the_first_stage_to_its_attribution():
    result = run([long_trace(relevance={"a": 1, "b": 1, "d": 1})])
    assert losses(result) == {"t:a": None, "t:b": "opposed", "t:d": "cut"}
    used = result.funnel.loc[("t", "a")]
    assert (used["attribution"], used["above_floor"], used["position"]) == (pytest.approx(1.5), True, 0)
    lost = result.funnel.loc[("t", "d")]
    assert (lost["stage"], lost["rank_low"], lost["cut"], lost["reached"]) == ("ce", 3, 3, "bm25")
    steps = result.funnel_steps.loc[("t", "a")]
    assert steps["stage"].tolist() == ["bm25", "ce", "context", "generator", "citation"]
    assert steps["rank_low"].tolist()[:3] == [0, 2, 0]


def test_the_summary_counts_losses_by_stage_and_traces_without_a_good_passage():
    result = run([long_trace("t", relevance={"a": 1, "d": 1}), long_trace("u")])
    found = result.summary["funnel"]
    assert (found["good"], found["traces"], found["traces_without_good"]) == (2, 1, 1)
    lost = {one["stage"]: one["lost"]["count"] for one in found["stages"]}
    assert lost == {"bm25": 0, "ce": 1, "context": 0, "generator": 0}
    assert (found["used"]["count"], found["used"]["of"]) == (1, 1)
    json.dumps(result.summary, allow_nan=False)


def test_alignment_is_taken_with_every_stage_in_turn_at_one_setting_a_measure():
    result = run([long_trace()])
    bm25, ce = (result.stages.loc[("t", "spearman", name), "value"] for name in ("bm25", "ce"))
    assert (bm25, ce) == (pytest.approx(0.5), pytest.approx(-0.5))  # 1.5, -0.75, 0.375 are ranks 0, 2, 1
    means = {(one["measure"], one["stage"]): one for one in result.summary["stages"]}
    assert means["spearman", "ce"]["change"] == pytest.approx(-1.0)
    assert {name for name, _ in means if name.startswith("warg@")} == {"warg@1.5"}


def test_a_stage_is_measured_at_the_usual_setting_or_at_the_first_that_was_asked_for():
    chosen = stage_measures(["warg@0.5", "warg@1.5", "warg_rbo@0.5", "wasted_share@2", "wasted_share@3"])
    assert [str(one) for one in chosen] == ["warg@1.5", "warg_rbo@0.5", "wasted_share@2"]


def test_the_encoder_of_an_audit_loses_nothing_and_is_aligned_all_the_same():
    class Reversed:
        name = score_name = "reversed"

        def describe(self):
            return {"name": "reversed"}

        def score(self, _query, passages):
            return {key: float(place) for place, key in enumerate(passages)}

    result = run([long_trace(relevance={"a": 1})], retriever=Reversed())
    assert [one["stage"] for one in result.summary["funnel"]["stages"]] == [
        "bm25", "ce", "context", "generator",
    ]  # fmt: skip
    assert result.stages.loc[("t", "spearman", "reversed"), "value"] == pytest.approx(-0.5)


def test_a_reference_in_the_text_makes_a_passage_good_and_a_wrong_answer_a_loss():
    result = run([long_trace(texts={"a": "It is Oslo."}, answers=["Oslo"])])
    assert losses(result) == {"t:a": "answer_wrong"}


def test_the_least_grade_decides_which_labels_count():
    traces = [long_trace(relevance={"a": 2, "d": 1})]
    assert set(losses(run(traces))) == {"t:a", "t:d"}
    assert set(losses(run(traces, least_grade=2))) == {"t:a"}


def test_a_named_passage_is_good_where_a_trace_holds_it_or_in_the_trace_that_is_named_with_it():
    traces = [long_trace("t"), long_trace("u=1", context=["a", "b"])]
    assert losses(run(traces, good=["d", "u=1=elsewhere"])) == {
        "t:d": "cut", "u=1:d": "cut", "u=1:elsewhere": "never_retrieved",
    }  # fmt: skip


def test_in_a_single_trace_every_name_is_about_it():
    assert losses(run([long_trace()], good="elsewhere")) == {"t:elsewhere": "never_retrieved"}


def test_a_name_that_no_trace_holds_is_refused_with_the_way_to_write_it():
    with pytest.raises(SpecError, match=r"no trace holds a passage 'zz'; .* write TRACE=PASSAGE"):
        run([long_trace("t"), long_trace("u")], good=["d", "zz"])


@pytest.mark.parametrize(
    ("name", "expected"), [("t=a=b", ("t", "a=b")), ("t=1=a", ("t=1", "a")), ("x=a", None), ("a", None)]
)
def test_a_trace_before_an_equals_sign_owns_the_passage(name, expected):
    assert owner(name, {"t=1"} if name == "t=1=a" else {"t"}) == expected


@pytest.mark.parametrize(
    ("options", "words"), [({"good": [" "]}, "named by its id"), ({"least_grade": float("nan")}, "finite")]
)
def test_options_without_sense_are_refused(options, words):
    with pytest.raises(SpecError, match=words):
        run([long_trace()], **options)


def test_other_good_passages_on_resume_are_derived_again_and_nothing_is_scored(tmp_path):
    first = run([long_trace()], tmp_path / "run")
    assert losses(first) == {}
    again = run([long_trace()], tmp_path / "run", good=["d"], least_grade=1)
    assert losses(again) == {"t:d": "cut"}
    assert again.run["counts"] == first.run["counts"]
    assert again.run["spec"]["good"] == ["d"]


def test_a_trace_that_failed_is_in_the_funnel_and_its_measures_are_failed():
    class Failing(FakeGenerator):
        def score(self, requests):
            from boresight.errors import ScoringError

            raise ScoringError("no value")

    generator = Failing({"*": additive_table(WEIGHTS)})
    names = ["warg@1.5", "good_in_context"]
    result = audit([long_trace(relevance={"a": 1, "d": 1})], generator=generator, measures=names)
    assert losses(result) == {"t:a": None, "t:d": "cut"}
    assert result.stages["state"].unique().tolist() == ["failed"]
    assert result.measures.loc[("t", "good_in_context", "answer"), "state"] == "failed"


def test_the_shares_of_good_passages_are_measures_also_of_an_empty_context():
    names = ["good_retrieved", "good_in_context", "good_used", "good_cited"]
    packed = [stage("bm25", "abcde"), stage("pack", "", "pack")]
    empty = long_trace("u", context=[], stages=packed, relevance={"a": 1})
    result = run([long_trace("t", relevance={"a": 1, "b": 1, "d": 1, "zz": 1}), empty], measures=names)
    values = result.measures["value"].droplevel("target")
    assert values["t"].tolist()[:3] == [pytest.approx(0.75), pytest.approx(0.5), pytest.approx(0.5)]
    assert result.measures.loc[("t", "good_cited", "answer"), "state"] == "undefined"
    assert values["u", "good_in_context"] == 0.0
    assert result.measures.loc[("u", "good_used", "answer"), "state"] == "undefined"


def test_the_same_run_gives_the_same_bytes(tmp_path):
    traces = [long_trace(relevance={"a": 1, "d": 1}), make_trace("short", answer="in Rome")]
    for name in ("one", "two"):
        run(traces, tmp_path / name)
    for table in ("funnel", "funnel_steps", "stages"):
        one, two = ((tmp_path / name / f"{table}.parquet").read_bytes() for name in ("one", "two"))
        assert one == two
    assert Audit(tmp_path / "one").summary == Audit(tmp_path / "two").summary
