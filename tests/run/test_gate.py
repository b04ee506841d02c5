"""Gates: judged by interval, with undefined and absent as outcomes of their own."""

import json
import math

import pytest

from boresight.errors import SpecError
from boresight.run.gate import _outcome, judge
from boresight.run.gate_rules import Rule, parse_rule, rules_from, settle
from boresight.run.result import RunResult
from boresight.stats.interval import Interval, undefined
from compare_runs import BEFORE, TRACES, lines_of, weighted_run

HELD = ("warg@1.5", "warg@2", "wasted_retrieval@2", "context_gain")


@pytest.mark.parametrize(
    ("side", "low", "high", "outcome"),
    [
        ("min", 0.3, 0.5, "held"),
        ("min", 0.2, 0.5, "held"),
        ("min", 0.1, 0.3, "undecided"),
        ("min", 0.1, 0.2, "undecided"),
        ("min", 0.0, 0.19, "failed"),
        ("max", 0.0, 0.1, "held"),
        ("max", 0.0, 0.2, "held"),
        ("max", 0.1, 0.3, "undecided"),
        ("max", 0.2, 0.3, "undecided"),
        ("max", 0.21, 0.3, "failed"),
    ],
)
def test_a_rule_at_0_2_fails_only_where_the_whole_interval_is_beyond_it(side, low, high, outcome):
    assert _outcome(Rule("spearman", side, 0.2), Interval((low + high) / 2, low, high)) == outcome


@pytest.mark.parametrize("value", [-1.0, 1.0])
def test_a_value_without_an_interval_is_undecided(value):
    assert _outcome(Rule("spearman", "min", 0.2), Interval(value, None, None, "one trace")) == "undecided"


def test_no_value_is_undefined():
    assert _outcome(Rule("spearman", "min", 0.2), undefined("no trace has a value")) == "undefined"


# --- rules


def test_a_rule_reads_name_and_number_and_speaks():
    rule = parse_rule(" warg@1.5 =-0.2", "min")
    assert rule == Rule("warg@1.5", "min", -0.2)
    assert str(rule) == "warg@1.5 >= -0.2"


@pytest.mark.parametrize("text", ["warg@1.5", "=0.2", "warg=", "warg=high", "warg=nan", "warg=inf", ""])
def test_a_rule_that_cannot_be_read_is_refused(text):
    with pytest.raises(SpecError, match=r"NAME=NUMBER|no finite number"):
        parse_rule(text, "max")


def test_bounds_by_name_give_rules_and_must_be_finite():
    assert rules_from({"spearman": 0}, {"kendall": 1}) == [
        Rule("spearman", "min", 0.0),
        Rule("kendall", "max", 1.0),
    ]
    with pytest.raises(SpecError, match="bound of spearman must be a finite number"):
        rules_from({"spearman": math.nan}, {})


def settled(*rules, held=HELD, of_differences=False):
    return [str(rule) for rule in settle(rules, held, of_differences=of_differences, where="RUN")]


def test_names_are_settled_by_spelling_and_by_family():
    assert settled(Rule("warg@1.50", "min", 0.1), Rule("wasted_retrieval", "max", 0.5)) == [
        "warg@1.5 >= 0.1",
        "wasted_retrieval@2 <= 0.5",
    ]


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ([], "needs at least one rule"),
        ([Rule("warg", "min", 0.1)], r"warg stands for 2 measures; name one: warg@1\.5, warg@2"),
        ([Rule("wargh", "min", 0.1)], "no measure 'wargh'; did you mean warg"),
        ([Rule("spearman", "min", 0.1)], "RUN does not hold spearman: it was not asked for; audit again"),
        ([Rule("share", "max", 0.1)], "share is a measure of passages"),
        (
            [Rule("wasted_retrieval", "max", 50)],
            "can never judge anything: wasted_retrieval@2 lies between 0 and 1",
        ),
        (
            [Rule("warg@2", "min", 0.5), Rule("warg@2", "max", 0.4)],
            "no warg@2 is at least 0.5 and at most 0.4",
        ),
        ([Rule("warg@2", "min", 0.5), Rule("warg@2", "min", 0.4)], "two --min rules for warg@2; keep one"),
    ],
)
def test_rules_that_make_no_sense_are_refused_in_one_sentence(rules, sentence):
    with pytest.raises(SpecError, match=sentence):
        settled(*rules)


def test_bounds_of_differences_reach_over_the_whole_range():
    assert settled(Rule("warg@2", "min", -2), of_differences=True) == ["warg@2 >= -2"]
    with pytest.raises(SpecError, match="a difference of warg@2 lies between -2 and 2"):
        settled(Rule("warg@2", "min", -2.5), of_differences=True)


# --- runs


def outcomes(run, minimum=None, maximum=None, **options):
    gate = judge(run, rules_from(minimum or {}, maximum or {}), **options)
    return {verdict.rule.measure: verdict.outcome for verdict in gate.verdicts}, gate


def test_a_run_is_judged_by_the_intervals_of_its_summary(before):
    summary = json.loads((before / "summary.json").read_text())["measures"]["context_gain"]
    found, gate = outcomes(before, {"context_gain": summary["high"] + 1e-6, "spearman": 0.5})
    assert found == {"context_gain": "failed", "spearman": "held"}
    (broken,) = gate.broken
    assert (broken.value, broken.low, broken.high) == (summary["value"], summary["low"], summary["high"])
    assert broken.sentence.startswith("failed context_gain >= ")
    assert broken.sentence.endswith("12 of 12 traces")
    assert outcomes(before, {"context_gain": summary["value"]})[0] == {"context_gain": "undecided"}


def test_an_undefined_measure_says_why_and_fails_only_when_strict(before):
    found, gate = outcomes(before, maximum={"wasted_retrieval@2": 0.5})
    assert found == {"wasted_retrieval@2": "undefined"}
    assert gate.passed
    assert "there are only 3 passages, 4 are needed" in gate.verdicts[0].sentence
    assert not outcomes(before, maximum={"wasted_retrieval@2": 0.5}, strict=True)[1].passed


def test_an_undecided_rule_passes_even_when_strict(tmp_path):
    run = weighted_run(tmp_path, BEFORE, lines_of(1))
    found, gate = outcomes(run, {"context_gain": 5}, strict=True)
    assert found == {"context_gain": "undecided"}
    assert gate.passed
    assert "no interval (one trace says nothing about spread)" in gate.verdicts[0].sentence


def test_few_traces_are_said_to_be_rough(tmp_path):
    gate = outcomes(weighted_run(tmp_path, BEFORE, lines_of(3)), {"spearman": 0})[1]
    assert gate.verdicts[0].sentence.endswith("3 of 3 traces (few: the interval is rough)")


def test_against_a_base_the_bounds_are_of_paired_differences(before, better):
    """Single means spread by 0.5 nats; their difference is 0.375 in every trace."""
    rules = {"context_gain": 0.376}
    assert outcomes(better, rules, against=before)[0] == {"context_gain": "failed"}
    assert outcomes(better, {"context_gain": 0.374}, against=before)[0] == {"context_gain": "held"}
    assert outcomes(before, {"context_gain": 0.374}, against=better)[0] == {"context_gain": "failed"}


def test_against_a_base_it_is_said_what_else_differs(before, better):
    remarks = outcomes(better, {"spearman": 0}, against=before)[1].remarks
    assert remarks[0] == "the runs differ in generator.sha256"


def test_a_measure_undefined_in_one_run_is_undefined_against_it(before, after):
    found, gate = outcomes(after, {"noise_distraction@2": 0}, against=before)
    assert found == {"noise_distraction@2": "undefined"}
    assert "no trace has a value in both runs" in gate.verdicts[0].sentence


def test_a_base_that_lacks_the_measure_is_named(before, tmp_path):
    base = weighted_run(tmp_path, BEFORE, measures=["spearman"])
    with pytest.raises(SpecError, match="run does not hold context_gain") as refused:
        judge(before, [Rule("context_gain", "min", 0)], against=base)
    assert str(base) in str(refused.value)


def test_a_base_without_a_common_trace_is_refused(before, tmp_path):
    base = weighted_run(tmp_path, BEFORE, [line | {"id": f"x{line['id']}"} for line in lines_of(2)])
    with pytest.raises(SpecError, match="have no trace in common"):
        judge(before, [Rule("spearman", "min", 0)], against=base)


def test_the_json_holds_each_rule_and_is_finite(before):
    gate = outcomes(before, {"spearman": 0}, {"wasted_retrieval": 0.5})[1]
    found = json.loads(json.dumps(gate.to_json(), allow_nan=False))
    assert found["passed"] is True
    assert [(one["measure"], one["side"], one["bound"], one["outcome"]) for one in found["rules"]] == [
        ("spearman", "min", 0.0, "held"),
        ("wasted_retrieval@2", "max", 0.5, "undefined"),
    ]
    assert found["rules"][0]["traces"] == TRACES


def test_measures_without_limits_take_any_bound():
    assert settled(Rule("context_gain", "max", 1e6)) == ["context_gain <= 1e+06"]


def test_an_audit_object_is_judged_like_its_folder(before):
    rules = [Rule("spearman", "min", 0)]
    assert judge(RunResult(before), rules) == judge(before, rules)
