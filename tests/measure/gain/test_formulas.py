"""The published scores of single passages, by hand and against the released example."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.measure.gain import (
    Sample,
    Verdict,
    confidence,
    distracting_effect,
    gain_of,
    information_gain,
    log_perplexity,
    redundancy,
    scores_alone,
    seper_hard,
    seper_soft,
    standings,
    udcg,
    utility,
)
from boresight.measure.gain.dig import product
from boresight.measure.gain.semantic import weights
from boresight.measure.quality import exact_match

UDCG = Path(__file__).parents[4] / "shared/data/udcg/records.jsonl"


def logs(*given):
    return np.log(np.array(given))


def test_gain_of_one_token_by_hand():
    """PPL = exp(0.4196) = 1.521 and v = -log(2.521) = -0.925."""
    assert math.exp(log_perplexity([-0.4196])) == pytest.approx(1.521, abs=1e-3)
    assert gain_of([[-0.4196]]).value == pytest.approx(-0.925, abs=1e-3)


def test_perplexity_averages_over_tokens():
    assert math.exp(log_perplexity(logs(0.5, 0.125))) == pytest.approx(4.0)


def test_the_likeliest_reference_counts():
    assert gain_of([logs(0.1), logs(0.5, 0.5)]).value == pytest.approx(-math.log(3))


def test_references_without_tokens_do_not_count():
    assert gain_of([[], logs(0.5)]).value == pytest.approx(-math.log(3))
    assert gain_of([[]]).state == "undefined"


@given(st.lists(st.floats(-1e6, 0), min_size=1, max_size=5))
def test_the_gain_never_overflows_and_never_passes_that_of_certainty(row):
    assert gain_of([row]).value <= -math.log(2)


def test_smoothed_confidence_by_hand():
    """0.2, 0.4, 0.6, 0.8: windows 0.3, 0.4, 0.6, 0.7; 0.8 * 1.3 / 3 + 0.2 * 0.7."""
    assert confidence(logs(0.2, 0.4, 0.6, 0.8)) == pytest.approx(0.8 * 1.3 / 3 + 0.14)


def test_short_references_have_no_rest():
    assert confidence(logs(0.2)) == pytest.approx(0.2)
    assert confidence(logs(0.2, 0.4)) == pytest.approx(0.3)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=8), st.floats(0.01, 1))
def test_confidence_of_equal_tokens_is_theirs_whatever_the_length(row, level):
    assert confidence(logs(*[level] * len(row))) == pytest.approx(level)
    assert 0 < confidence(logs(*row)) <= 1 + 1e-12


def test_information_gain_takes_the_surest_reference_on_each_side():
    found = information_gain([logs(0.9), logs(0.1)], [logs(0.2), logs(0.3)])
    assert found.value == pytest.approx(0.6)
    assert information_gain([logs(0.5, 0.5)], [logs(0.1)], product).value == pytest.approx(0.15)
    assert information_gain([], [logs(0.1)]).state == "undefined"


def test_answers_alone_are_scored_against_the_references():
    found = scores_alone({"a": "Rome.", "b": "Paris"}, ["Rome"], ("a", "b", "c"), exact_match)
    assert (found["a"].value, found["b"].value, found["c"].state) == (1.0, 0.0, "undefined")


ABSTENTION, LABELS = {"a": 0.1, "b": 0.4, "c": 0.25}, {"a": 1.0, "b": 0.0}


def test_utility_and_distraction_ask_for_opposite_labels():
    good, bad = (
        measure(ABSTENTION, LABELS, ("a", "b", "c", "d")) for measure in (utility, distracting_effect)
    )
    assert good["a"].value == pytest.approx(0.9)
    assert bad["b"].value == pytest.approx(0.6)
    assert good["b"].reason == "the passage is labelled irrelevant"
    assert bad["a"].reason == "the passage is labelled relevant"
    assert bad["c"].reason == "the passage was never judged"
    assert "not scored" in bad["d"].reason


def test_udcg_by_hand():
    """(0.9 - 0.333 * 0.6) / 2 = 0.3501."""
    found = udcg(ABSTENTION, LABELS, ("a", "b"))
    assert found.value == pytest.approx(1 / (1 + math.exp(-0.3501)))


def test_udcg_is_undefined_where_a_passage_lacks_label_or_score():
    assert udcg(ABSTENTION, LABELS, ("a", "c")).reason == "not every passage was judged"
    assert udcg({}, LABELS, ("a",)).state == "undefined"
    assert udcg(ABSTENTION, LABELS, ()).state == "undefined"


@pytest.mark.skipif(not UDCG.is_file(), reason="../shared/data/udcg is absent")
def test_udcg_equals_the_released_example():
    model = "meta-llama/Llama-3.2-3B-Instruct"
    records = [json.loads(line) for line in UDCG.read_text(encoding="utf-8").splitlines()]
    assert len(records) == 3
    for record in records:
        passages = {one["doc_id"]: one for one in record["passages"]}
        abstention = {key: one["models_info"][model]["no_res_prob"] for key, one in passages.items()}
        labels = {key: float(one["is_relevant"]) for key, one in passages.items()}
        found = udcg(abstention, labels, passages)
        assert found.value == pytest.approx(record["udcg"][model], abs=1e-12)


SAMPLES = (
    Sample("Rome", (math.log(0.6),)),
    Sample("the city of Rome", (math.log(0.3), math.log(0.3))),
    Sample("Paris", (math.log(0.1),)),
)


def entails(premise, hypothesis):
    """A text entails another when it names the same city; "city" alone leaves everything open."""
    assert premise.startswith("Where? ")
    assert hypothesis.startswith("Where? ")
    one, other = ({"Rome", "Paris"} & set(text.split()) for text in (premise, hypothesis))
    if not (one and other):
        return Verdict(0.1, 0.8, 0.1)
    return Verdict(0.1, 0.1, 0.8) if one == other else Verdict(0.7, 0.2, 0.1)


def test_samples_weigh_by_their_length_averaged_likelihood():
    assert weights(SAMPLES) == pytest.approx([0.6, 0.3, 0.1])


def test_soft_seper_by_hand():
    """0.9 of the belief entails Rome with 0.8, the rest with 0.1."""
    assert seper_soft(SAMPLES, ["Paris", "Rome"], "Where?", entails) == pytest.approx(0.9 * 0.8 + 0.1 * 0.1)


def test_hard_seper_counts_the_clusters_that_match_a_reference():
    assert seper_hard(SAMPLES, ["Rome"], "Where?", entails) == pytest.approx(0.9)
    assert seper_hard(SAMPLES, ["Rome", "Paris"], "Where?", entails) == pytest.approx(1.0)
    assert seper_hard(SAMPLES, ["some city"], "Where?", entails) == 0.0  # both leave the other open


def test_a_later_head_claims_what_an_earlier_one_held():
    """b means a and c, a and c do not mean each other: a claims b; c heads its own and claims nothing."""
    same = {frozenset("ab"), frozenset("bc")}

    def pairs(premise, hypothesis):
        names = frozenset((premise[-1], hypothesis[-1]))
        near = len(names) == 1 or names in same
        return Verdict(0, 0, 1) if near else Verdict(1, 0, 0)

    first = [Sample(name, (0.0,)) for name in "abc"]
    assert seper_hard(first, ["a"], "Where?", pairs) == pytest.approx(2 / 3)
    later = [Sample(name, (0.0,)) for name in "acb"]  # a claims b, then c claims it
    assert seper_hard(later, ["a"], "Where?", pairs) == pytest.approx(1 / 3)


def test_seper_without_samples_is_refused():
    with pytest.raises(ValueError, match="at least one sample"):
        seper_soft([], ["Rome"], "Where?", entails)


def test_twins_are_redundant_and_two_halves_synergistic():
    """v(empty) = -4; twins reach -1 alone and together; halves do nothing alone and reach -1 together."""
    twins = redundancy({"a": -1.0, "b": -1.0}, -1.0, -4.0, ("a", "b"))
    halves = redundancy({"a": -4.0, "b": -4.0}, -1.0, -4.0, ("a", "b"))
    assert (twins.value, halves.value) == (3.0, -3.0)
    assert redundancy({"a": -1.0}, -1.0, -4.0, ("a", "b")).state == "undefined"


def test_each_passage_stands_alone_or_among_the_others():
    alone = {"a": -1.0, "b": -4.0, "c": -1.0, "d": -4.0}
    without = {"a": -1.0, "b": -4.0, "c": -3.0, "d": -1.05}
    found = standings(alone, without, -1.0, -4.0, 0.1)
    assert found == {"a": "redundant", "b": "synergistic", "c": "agreed", "d": "agreed"}
