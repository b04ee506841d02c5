"""Labels, shares and distances of two streams, by hand."""

import math

import numpy as np
import pytest

from boresight.measure.evidence import AbsentError, Evidence
from boresight.measure.rows import Extra, Streams
from boresight.measure.tokens import claim_of, labels, token_families
from boresight.models.streams import (
    AGREE,
    APART,
    HIT_WITH,
    HIT_WITHOUT,
    JS,
    KL,
    L1,
    MET,
    TOP_WITH,
    TOP_WITHOUT,
)

FAMILIES = {family.name: family for family in token_families()}


def streams(**rows):
    return Streams({name: np.array(row, dtype=float) for name, row in rows.items()})


FOUR = streams(
    **{
        AGREE: [1, 0, 0, 0],
        MET: [0.1, 0.9, 0.5, 0.3],
        APART: [0.9, 0.2, 0.5, 0.6],
        TOP_WITH: [0.9, 0.5, 0.4, 0.3],
        TOP_WITHOUT: [0.9, 0.6, 0.2, 0.3],
        KL: [0.0, 0.5, 0.25, 0.25],
        JS: [0.0, 0.1, 0.1, 0.2],
        L1: [0.0, 1.0, 0.5, 0.5],
    }
)


def value(name, found=FOUR):
    evidence = Evidence("q1", "answer", ("p1",), extra=Extra(streams=found))
    return FAMILIES[name].bound()[0].compute(evidence)


def test_a_token_that_both_streams_write_is_the_same_whatever_the_criterion_says():
    assert labels(FOUR) == ("same", "benefit", "detriment", "detriment")


def test_shares_by_hand():
    assert value("differing_tokens").value == pytest.approx(3 / 4)
    assert value("detrimental_tokens").value == pytest.approx(2 / 3)
    assert value("less_certain_tokens").value == pytest.approx(2 / 3)  # the second and the last


def test_distances_by_hand():
    assert value("stream_kl").value == pytest.approx(1.0)
    assert value("stream_kl_token").value == pytest.approx(0.25)
    assert value("stream_js_token").value == pytest.approx(0.1)
    assert value("stream_l1_token").value == pytest.approx(0.5)


def test_streams_that_never_differ_leave_the_shares_of_choices_undefined():
    same = streams(**{AGREE: [1, 1], MET: [0, 0], APART: [1, 1], TOP_WITH: [1, 1], TOP_WITHOUT: [1, 1]})
    for name in ("detrimental_tokens", "less_certain_tokens"):
        assert value(name, same).reason == "both streams write the same tokens"
    assert value("differing_tokens", same).value == 0


def test_a_model_without_attention_leaves_the_criterion_undefined_and_the_rest_defined():
    blind = streams(**{AGREE: [0], TOP_WITH: [0.5], TOP_WITHOUT: [0.6], KL: [0.5]})
    assert "no attention" in value("detrimental_tokens", blind).reason
    assert value("less_certain_tokens", blind).value == 1
    assert value("stream_kl", blind).value == 0.5


def test_an_empty_answer_has_no_mean_distance():
    assert value("stream_kl_token", streams(**{KL: []})).reason == "the answer has no token"


def test_traces_whose_streams_were_not_compared_are_undefined():
    assert value("stream_kl", None).state == "undefined"


@pytest.mark.parametrize("name", FAMILIES)
def test_measures_of_tokens_are_taken_only_when_asked_for(name):
    assert not FAMILIES[name].default
    assert FAMILIES[name].needs.rows == ("streams",)


def rights(ours, theirs, met, top):
    """Streams with apart 0 and q's certainty 0.5."""
    still = [0.0] * len(met)
    return streams(
        **{HIT_WITH: ours, HIT_WITHOUT: theirs, MET: met, APART: still, TOP_WITH: top,
           TOP_WITHOUT: [0.5] * len(met)}
    )  # fmt: skip


def test_the_claim_is_tested_on_tokens_where_one_stream_is_right():
    """Benefits score 0.9 and 0.2, detriments 0.3 and 0.1: three of four pairs; certainty has one of four."""
    found = claim_of(
        {
            "a": rights([1, 1, 0], [0, 1, 1], [0.9, 0.0, 0.3], [0.2, 0.0, 0.6]),
            "b": rights([1, 0, 0], [0, 1, 0], [0.2, 0.1, 0.9], [0.5, 0.4, 0.0]),
        }
    )
    assert (found.benefit, found.detriment, found.neither) == (2, 2, 2)
    assert found.criterion.value == pytest.approx(0.75)
    assert found.certainty.value == pytest.approx(0.25)
    assert found.difference.value == pytest.approx(0.5)


def test_an_answer_of_the_model_itself_tests_nothing():
    found = claim_of({"a": rights([1, 1], [0, 1], [0.5, 0.5], [0.9, 0.9])})
    assert found.criterion.value is None
    assert "0 negatives" in found.criterion.reason


def test_a_claim_without_the_criterion_is_refused():
    blind = streams(**{HIT_WITH: [1], HIT_WITHOUT: [0]})
    with pytest.raises(AbsentError, match="no attention"):
        claim_of({"a": blind})


def test_the_largest_possible_js_is_declared():
    assert FAMILIES["stream_js_token"].range == (0.0, math.log(2))
