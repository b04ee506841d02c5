"""Names, declarations, and what each measure does with the evidence."""

import json
import math
import subprocess
import sys
from dataclasses import fields, replace
from functools import reduce
from operator import or_

import cloudpickle
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import SpecError
from boresight.game.needs import Needs
from boresight.measure.evidence import AbsentError, Evidence, RetrieverView
from boresight.measure.registry import catalogue, default_measures, parse, passage_measures
from boresight.measure.rows import Extra

ALL = tuple(parse(entry["name"]) for entry in catalogue())
EVERY = (*default_measures(), *(one for one in passage_measures() if one.family.default))
TRACE = pytest.mark.parametrize("measure", [one for one in ALL if one.family.scope == "trace"], ids=str)
PASSAGE = pytest.mark.parametrize("measure", passage_measures(), ids=str)


def test_an_audit_takes_these_measures_by_default():
    taus, ps, tops = (
        ("0.5", "1", "1.5", "2", "2.5", "3", "3.5", "4"),
        ("0.5", "0.6", "0.7", "0.8", "0.9"),
        "123",
    )
    assert [measure.name for measure in default_measures()] == [
        *(f"warg@{tau}" for tau in taus),
        *(f"warg_prob@{tau}" for tau in taus),
        *(f"warg_rbo@{p}" for p in ps),
        *(f"warg_rbo_norm@{p}" for p in ps),
        "wasted_retrieval@2",
        "noise_distraction@2",
        *(f"wasted_share@{t}" for t in tops),
        *(f"noise_share@{t}" for t in tops),
        "top1_agreement",
        "spearman",
        "pearson",
        "kendall",
        "effective_passages",
        "context_gain",
        "context_effect",
        "below_numeric_floor",
        "total_harm",
    ]


def test_the_default_measures_need_only_the_answer_table_and_the_closed_book():
    needs = reduce(or_, (measure.needs for measure in default_measures()))
    assert needs.targets == {"answer"}
    assert set(needs.rows) == {
        "table",
        "grand",
        "empty",
        "closed_book",
        "retriever_ranks",
        "retriever_scores",
    }


def test_four_measures_speak_of_a_passage_by_default():
    found = [str(measure) for measure in passage_measures() if measure.family.default]
    assert found == ["share", "harm", "leave_one_out", "gain"]


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_a_name_parses_back(measure):
    assert parse(str(measure)) == measure


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("warg@2.25", "warg@2.25"),
        ("warg@1.0", "warg@1"),
        ("warg@1e-7", "warg@1e-07"),
        ("warg_rbo@0.75", "warg_rbo@0.75"),
        ("wasted_retrieval@0", "wasted_retrieval@0"),
        ("noise_share@7", "noise_share@7"),
        ("noise_share@7.0", "noise_share@7"),
    ],
)
def test_any_valid_parameter_is_taken(written, name):
    assert str(parse(written)) == name


@given(st.floats(min_value=5e-324, allow_infinity=False))
def test_every_tau_survives_its_name(tau):
    measure = parse(f"warg@{tau!r}")
    assert measure.parameter == tau
    assert parse(measure.name) == measure


@pytest.mark.parametrize(
    "name",
    [
        *("warg", "warg@", "warg@0", "warg@-1", "warg@nan", "warg@inf", "warg@1e999", "warg@x"),
        *("warg@1_0", "warg@ 1", "warg@\u0661", "warg@1.5@2"),
        *("warg_rbo@1", "warg_rbo@0", "warg_rbo@1.5"),
        *("wasted_share@0", "wasted_share@1.5", "noise_distraction@-1"),
    ],
)
def test_a_bad_parameter_says_what_it_must_be(name):
    with pytest.raises(
        SpecError, match=r"needs a (tau|p|t|bar) that is a .*, got .*; write for example \w+@"
    ):
        parse(name)


def test_a_measure_without_parameter_takes_none():
    with pytest.raises(SpecError, match=r"The measure spearman takes no parameter; write spearman\."):
        parse("spearman@2")
    with pytest.raises(SpecError, match="takes no parameter"):
        parse("spearman@")


@pytest.mark.parametrize(
    ("name", "near"), [("wrag@1.5", "warg"), ("Kendal", "kendall"), ("context-gain", "context_gain")]
)
def test_an_unknown_name_gets_the_nearest_ones(name, near):
    with pytest.raises(SpecError, match=rf"There is no measure '{name}'; did you mean .*\b{near}\b"):
        parse(name)


def test_a_name_like_no_other_gets_the_list():
    with pytest.raises(SpecError, match="`boresight measures` lists them"):
        parse("%%%")


def test_the_catalogue_is_json_and_each_name_in_it_parses():
    listed = json.loads(json.dumps(catalogue(), allow_nan=False))
    assert [entry["name"] for entry in listed] == [str(parse(entry["name"])) for entry in listed]
    assert len(listed) == len({entry["name"] for entry in listed})
    assert {entry["name"] for entry in listed if entry["default"]} == {str(measure) for measure in EVERY}


def test_the_catalogue_declares_everything_about_a_measure():
    entry = next(entry for entry in catalogue() if entry["name"] == "warg_prob@1.5")
    assert "tau / n" in entry.pop("formula")
    assert entry == {
        "name": "warg_prob@1.5",
        "family": "warg_prob",
        "parameter": "tau",
        "value": 1.5,
        "scope": "trace",
        "unit": "index",
        "range": [-1.0, 1.0],
        "scale": "prob",
        "needs": ["table", "retriever_scores"],
        "targets": ["answer"],
        "source": "arXiv 2601.21803 v2",
        "default": True,
    }


EXPECTED = {
    "warg@1.5": (3.0 - 17 / 3) / (10 - 10 / 3),  # share of c is 3/4, of a 1/4; the bar is 3/8
    "warg_prob@1.5": (6.5 - 3.5) / (7 - 3),  # a and c share evenly
    "warg_rbo@0.5": 1 - 0.5 * (0 + 0.5 * 1 / 2 + 0.25 * 1 + 0.125 * 1),  # generator: c, a, b, d
    "warg_rbo_norm@0.5": 1 - 0.5 * (0.25 + 0.25 + 0.125) / (1 - 0.5**4),
    "wasted_retrieval@2": 0.0,
    "noise_distraction@2": 0.0,
    "wasted_share@1": 1.0,
    "noise_share@2": 0.5,
    "top1_agreement": 0.0,
    "spearman": 1 - 6 * (1 + 1 + 4) / 60,
    "kendall": (4 - 2) / 6,
    "effective_passages": (4 + 1e-6) ** 2 / (1 + 9 + 1e-12),
    "context_gain": 2.0,
    "context_effect": 3.500001,
    "below_numeric_floor": 1.0,
    "total_harm": 0.5,
}


@pytest.mark.parametrize(("name", "expected"), EXPECTED.items())
def test_a_measure_reads_its_numbers_from_the_evidence(evidence, name, expected):
    assert parse(name).compute(evidence).value == pytest.approx(expected, abs=1e-9)


def test_pearson_reads_scores_and_attributions_above_the_floor(evidence):
    scores, used = (10.0, 4.0, 3.0, 3.0), (1.0, 0.0, 3.0, -0.5)
    cov = sum((s - 5) * (u - 0.875) for s, u in zip(scores, used, strict=True))
    norm = (25 + 1 + 4 + 4) * sum((u - 0.875) ** 2 for u in used)
    assert parse("pearson").compute(evidence).value == pytest.approx(cov / norm**0.5, abs=1e-12)


def test_passage_measures_are_keyed_in_context_order(evidence):
    found = {str(measure): measure.per_passage(evidence) for measure in EVERY if measure.family.passages}
    assert all(list(values) == list("abcd") for values in found.values())
    assert found["share"]["a"].value == pytest.approx(1 / (4 + 1e-6), abs=1e-12)
    assert found["harm"]["d"].value == 0.5
    assert [one.value for one in found["leave_one_out"].values()] == [0.5, 0.0, 3.0, -0.75]
    assert [one.value for one in found["gain"].values()] == [-0.5, -1.5, 1.75, -2.0]


@TRACE
def test_every_value_lies_in_its_declared_range(measure, evidence, toy, full):
    low, high = measure.family.range
    for seen in (evidence, toy, full):
        found = measure.compute(seen)
        for number in (found.value, found.chance, found.minimum):
            if number is not None:
                assert (-math.inf if low is None else low) <= number <= (math.inf if high is None else high)


@TRACE
def test_a_reason_of_the_trace_undefines_the_measure(measure, evidence):
    found = measure.compute(replace(evidence, reason="the answer is empty"))
    if measure.needs.rows:
        assert (found.state, found.reason) == ("undefined", "the answer is empty")


@PASSAGE
def test_a_reason_of_the_trace_undefines_every_passage(measure, evidence):
    found = measure.per_passage(replace(evidence, reason="the answer is empty"))
    assert {(one.state, one.reason) for one in found.values()} == {("undefined", "the answer is empty")}


def without(need, evidence):
    """The evidence without what a need stands for, and the reason that a measure must then give."""
    no_ranks = replace(evidence.retriever, ranks=None, rank_reason="no ranks")
    no_scores = replace(evidence.retriever, scores=None, score_reason="no scores")
    gap, reason = {
        "table": ({"attribution": None, "attribution_prob": None, "table": None}, "no "),
        "grand": ({"grand": None}, "the prompt with all passages was not scored"),
        "empty": ({"empty": None}, "the prompt with no passage was not scored"),
        "closed_book": ({"closed_book": None}, "the closed-book prompt was not scored"),
        "singletons": ({"singletons": {}}, "the prompt with this passage alone was not scored"),
        "leave_one_out": ({"without": {}}, "the prompt without this passage was not scored"),
        "retriever_ranks": ({"retriever": no_ranks}, "no ranks"),
        "retriever_scores": ({"retriever": no_scores}, "no scores"),
    }.get(need) or extra_without(need, evidence)
    if need in TOKEN_FIELDS:
        gap["extra"] = replace(evidence.extra, targets=tokens_without(need, evidence))
    if need == "order_answers":
        orders = tuple(replace(row, answer=None) for row in evidence.extra.orders)
        gap["extra"] = replace(evidence.extra, orders=orders)
    return replace(evidence, **gap), reason


def extra_without(need, evidence):
    """The same for rows that only some measures read; a need without an accessor has no fixed reason."""
    gap, reason = GAPS.get(need) or ({need: getattr(Extra(), need)}, "")
    return {"extra": replace(evidence.extra, **gap)}, reason


GAPS = {
    "orders": ({"orders": ()}, "the context was not scored in other orders"),
    "order_answers": ({}, "no answers were generated in other orders"),
    "contrastive": ({"contrastive": {}}, "no reference was scored under the contrastive mixture"),
    "abstention": ({"abstention": {}}, "the abstention string was not scored behind each passage alone"),
    "streams": ({"streams": None}, "the distributions with passages and closed book were not compared"),
    "single_answers": ({"single_answers": {}}, "no answers were generated with one passage alone"),
    "closed_book_answer": ({"closed_book_answer": None}, "the plain question was not answered"),
}
TOKEN_FIELDS = {
    "grand": {"grand": None},
    "empty": {"empty": None},
    "closed_book": {"closed_book": None},
    "singletons": {"singletons": {}},
    "leave_one_out": {"without": {}},
}


def tokens_without(need, evidence):
    """The targets token by token without the rows of a need."""
    targets = evidence.extra.targets.items()
    return {name: replace(rows, **TOKEN_FIELDS[need]) for name, rows in targets}


def outcomes(measure, seen):
    return (
        [measure.compute(seen)] if measure.family.scope == "trace" else [*measure.per_passage(seen).values()]
    )


NEEDS = sorted({field.name for field in fields(Needs)} - {"targets", "tables"})


@pytest.mark.parametrize("need", NEEDS)
@pytest.mark.parametrize("measure", EVERY, ids=str)
def test_a_default_measure_reads_exactly_what_it_declares(measure, need, evidence):
    seen, reason = without(need, evidence)
    if need in measure.needs.rows:
        assert all(one.state == "undefined" and reason in one.reason for one in outcomes(measure, seen))
    else:
        assert outcomes(measure, seen) == outcomes(measure, evidence)


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_a_measure_reads_nothing_that_it_does_not_declare(measure, full):
    declared = set(measure.needs.rows)
    declared |= {"orders"} if "order_answers" in declared else set()  # an answer stands in a row of its order
    whole = outcomes(measure, full)
    for need in set(NEEDS) - declared:
        assert outcomes(measure, without(need, full)[0]) == whole, need


@pytest.mark.parametrize("measure", ALL, ids=str)
def test_a_measure_says_which_extra_rows_it_lacks(measure, full):
    for need in set(GAPS) & set(measure.needs.rows):
        seen, reason = without(need, full)
        reasons = {reason, GAPS["order_answers"][1]} if need == "orders" else {reason}
        found = outcomes(measure, seen)
        assert any(one.state == "undefined" and any(r in one.reason for r in reasons) for one in found), need


@pytest.mark.parametrize("need", sorted(GAPS))
def test_the_reason_of_the_run_goes_before_the_general_one(need, evidence):
    accessor = f"known_{need}"
    extra = Extra(references=("Rome",), absent={need: "this generator shows no distributions"})
    with pytest.raises(AbsentError, match="this generator shows no distributions"):
        getattr(replace(evidence, extra=extra), accessor)()


def test_a_target_that_was_not_scored_is_absent_by_its_name(full):
    assert full.token_rows("reference:0") is full.reference_rows()["reference:0"]
    with pytest.raises(AbsentError, match="the target reference:1 was not scored"):
        full.token_rows("reference:1")
    with pytest.raises(AbsentError, match="the references were not scored"):
        replace(full, extra=replace(full.extra, targets={})).reference_rows()


def test_every_accessor_gives_what_is_stored(full):
    extra = full.extra
    assert full.known_orders() == full.known_order_answers() == extra.orders
    assert (full.known_streams(), full.known_abstention()) == (extra.streams, extra.abstention)
    assert (full.known_contrastive(), full.known_table()) == (extra.contrastive, full.table)
    assert (full.known_single_answers(), full.known_references()) == (extra.single_answers, extra.references)
    assert (full.known_answer(), full.known_closed_book_answer()) == ("Rome [1]", "Paris")


def test_an_empty_answer_to_the_plain_question_is_an_answer(full):
    assert replace(full, extra=replace(full.extra, closed_book_answer="")).known_closed_book_answer() == ""


@pytest.mark.parametrize("accessor", ["known_references", "known_answer", "known_table"])
def test_what_was_never_recorded_is_absent(accessor, evidence):
    with pytest.raises(AbsentError):
        getattr(evidence, accessor)()


def test_the_floor_must_be_measured_before_anything_is_below_it(evidence):
    found = parse("below_numeric_floor").compute(replace(evidence, floor=None))
    assert found.reason == "the numeric floor was not measured"


def test_alignment_sees_an_attribution_below_the_floor_as_zero(evidence):
    """A floor of 1.4 nats leaves c alone, third of four: the correlation of mid-ranks is -1 / sqrt(15)."""
    found = parse("spearman").compute(replace(evidence, floor=1.4))
    assert found.value == pytest.approx(-1 / 15**0.5)
    assert parse("spearman").compute(replace(evidence, floor=2.0)).reason == "all attributions are equal"


def test_base_definitions_see_it_as_it_is(evidence):
    assert parse("total_harm").compute(replace(evidence, floor=2.0)).value == 0.5
    assert parse("share").per_passage(replace(evidence, floor=2.0))["c"].value == pytest.approx(
        0.75, abs=1e-6
    )


def test_even_use_up_to_rounding_has_no_high_set_at_tau_one(toy):
    assert "high set is empty" in parse("warg@1").compute(toy).reason
    assert parse("effective_passages").compute(toy).value == pytest.approx(3.0)
    assert parse("context_gain").compute(toy).value == 0.0


def test_an_empty_context_leaves_the_alignment_undefined_without_a_reason_from_outside():
    seen = Evidence(
        "q", "answer", (), {}, {}, 0.0, 0.0, "exact", -1.0, -1.0, -2.0, retriever=RetrieverView("s", {}, {})
    )
    found = {str(measure): measure.compute(seen) for measure in default_measures()}
    assert found["warg@1.5"].reason == found["spearman"].reason == "there is no passage"
    assert found["context_effect"].value == 0.0
    assert all(measure.per_passage(seen) == {} for measure in passage_measures())


def test_a_measure_of_one_scope_refuses_to_be_the_other(evidence):
    with pytest.raises(ValueError, match="share is a measure of passages"):
        parse("share").compute(evidence)
    with pytest.raises(ValueError, match="spearman is a measure of traces"):
        parse("spearman").per_passage(evidence)


def test_measures_travel_to_other_processes(evidence):
    for measure in default_measures():
        copy = cloudpickle.loads(cloudpickle.dumps(measure))
        assert copy.compute(evidence) == measure.compute(evidence)


def test_the_registry_loads_without_scipy():
    code = "import sys, boresight.measure.registry; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
