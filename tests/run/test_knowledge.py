"""Sources of the answers of a run, beside whether they are right."""

from boresight.measure.evidence import Evidence
from boresight.measure.rows import Extra
from boresight.run.knowledge import KnowledgeTotals


def evidence(name, gain, answer="Rome", references=("Rome",)):
    extra = Extra(answer=answer, references=references)
    return Evidence(name, "answer", ("p",), floor=0.1, grand=-1.0, closed_book=-1.0 - gain, extra=extra)


def test_answers_are_sorted_by_source_and_correctness():
    totals = KnowledgeTotals(None, {"a": "Rome", "b": "Paris", "c": "Paris", "d": "Rome"})
    totals.add(evidence("a", 2.0))
    totals.add(evidence("b", 2.0))
    totals.add(evidence("c", 2.0, answer="Oslo"))
    totals.add(evidence("d", 0.1, references=()))
    found = totals.summary()
    assert (found["known"], found["unknown"]) == (4, 0)
    context, memory = found["sources"]["context"], found["sources"]["memory"]
    assert (context["traces"], context["right"], context["wrong"]) == (2, 1, 1)
    assert context["share"] == 0.5
    assert context["low"] < 0.5 < context["high"]
    assert context["examples"] == {"right": ["b"], "wrong": ["c"]}
    assert memory["no_reference"] == 1
    assert found["sources"]["against_context"]["traces"] == 0


def test_the_placebo_floor_counts():
    totals = KnowledgeTotals(3.0, {"a": "Paris"})
    totals.add(evidence("a", 2.0))
    assert totals.summary()["sources"]["neither"]["traces"] == 1


def test_a_trace_without_closed_book_answer_is_unknown_and_in_no_share():
    totals = KnowledgeTotals(None, {})
    totals.add(evidence("a", 2.0))
    assert totals.summary() == {"known": 0, "unknown": 1, "sources": {}}
