"""Measures as predictors of right answers, on numbers worked out by hand."""

import pytest

from boresight.measure.evidence import Evidence
from boresight.measure.rows import Extra
from boresight.outcome import Measure
from boresight.run.prediction import PredictionTotals
from boresight.trace import trace_from_dict


def totals(rights, held=()):
    """Answers named t0, t1, ...; right where said; contexts hold the reference where said."""
    found = PredictionTotals()
    for number, right in enumerate(rights):
        text = "Rome it is" if number in held else "nothing"
        trace = trace_from_dict(
            {
                "id": f"t{number:02}",
                "query": "?",
                "passages": [{"id": "p", "text": text}],
                "answers": ["Rome"],
            }
        )
        answer = "in Rome" if right else "in Paris"
        found.add(
            trace, Evidence(trace.id, "answer", ("p",), extra=Extra(answer=answer, references=("Rome",)))
        )
    return found


def rows(values, name="spearman"):
    return [(f"t{number:02}", name, Measure.defined(value)) for number, value in enumerate(values)]


def test_a_measure_that_is_higher_for_right_answers_has_an_area_above_one_half():
    # Five right with 1..5, five wrong with 0.5 above each of 0..4: of 25 pairs 15 are in order.
    found = totals([True] * 5 + [False] * 5).summary(rows([1, 2, 3, 4, 5, 0.5, 1.5, 2.5, 3.5, 4.5]))
    assert (found["right"], found["wrong"]) == (5, 5)
    assert found["measures"]["spearman"]["auroc"]["value"] == pytest.approx(15 / 25)


def test_with_retrieval_fixed_only_alike_contexts_are_compared():
    # The measure only says whether the context holds the answer: within each kind of context it is constant.
    held = {0, 1, 2, 3, 5, 6}
    rights = [True, True, True, True, False, True, False, False, False, False]
    found = totals(rights, held).summary(rows([1.0 if n in held else 0.0 for n in range(10)]))
    one = found["measures"]["spearman"]
    assert one["auroc"]["value"] == 1.0 - 0.5 * (1 / 5)
    assert one["auroc_retrieval_fixed"]["value"] == 0.5


def test_rank_correlation_is_spearmans_with_f1():
    found = totals([True] * 5 + [False] * 5).summary(rows([2.0] * 5 + [1.0] * 5))
    rank = found["measures"]["spearman"]["rank_correlation"]
    assert rank["value"] == pytest.approx(1.0)


def test_few_answers_say_nothing():
    found = totals([True] * 4 + [False] * 9).summary(rows(range(13)))
    assert found["measures"]["spearman"]["reason"] == "fewer than 5 right or 5 wrong answers have a value"
    assert "auroc" not in found["measures"]["spearman"]


def test_a_measure_of_the_answers_own_text_predicts_nothing():
    found = totals([True] * 5 + [False] * 5).summary(rows([1.0] * 10, "exact_match"))
    assert found["measures"] == {}


def test_a_constant_measure_has_no_rank_correlation():
    one = totals([True] * 5 + [False] * 5).summary(rows([1.0] * 10))["measures"]["spearman"]
    assert one["rank_correlation"] == {"value": None, "low": None, "high": None}
    assert one["auroc"]["value"] == 0.5


def test_order_of_the_traces_moves_nothing():
    values = [1, 2, 3, 4, 5, 0.5, 1.5, 2.5, 3.5, 4.5]
    found = totals([True] * 5 + [False] * 5)
    assert found.summary(rows(values)) == found.summary(rows(values)[::-1])
