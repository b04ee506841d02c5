"""What counts as above the floor, and what is absent."""

from dataclasses import replace

import pytest

from boresight.measure.evidence import AbsentError, Evidence, RetrieverView


def of(floor, **attribution):
    return Evidence("q", "answer", tuple(attribution), attribution=attribution, floor=floor)


def test_an_attribution_must_be_more_than_twice_the_floor_either_way():
    seen = of(0.5, at=1.0, above=1.0001, below=-1.0, harmful=-1.0001)
    assert seen.reliable() == {"at": 0.0, "above": 1.0001, "below": 0.0, "harmful": -1.0001}
    assert seen.count_below() == 2


@pytest.mark.parametrize("floor", [0.0, None])
def test_without_a_floor_the_resolution_of_the_rows_remains(floor):
    seen = of(floor, rounding=1e-9, real=1.1e-9)
    assert seen.reliable() == {"rounding": 0.0, "real": 1.1e-9}
    assert seen.count_below() == 1


def test_resolved_knows_no_floor():
    assert of(0.5, a=0.9, b=1e-9).resolved() == {"a": 0.9, "b": 0.0}


def test_each_scale_has_its_own_attributions_and_floor(evidence):
    seen = replace(evidence, floor=0.3, floor_prob=0.06)
    assert seen.reliable("nats") == {"a": 1.0, "b": 0.0, "c": 3.0, "d": 0.0}
    assert seen.reliable("prob") == {"a": 0.0, "b": 0.0, "c": 0.0, "d": -0.2}
    assert (seen.count_below("nats"), seen.count_below("prob")) == (2, 3)


def test_what_is_absent_says_what_it_is():
    bare = Evidence("q", "answer", ("a",))
    with pytest.raises(AbsentError, match="no attributions in nats were computed"):
        bare.reliable()
    with pytest.raises(AbsentError, match="no attributions on the probability scale were computed"):
        bare.resolved("prob")
    with pytest.raises(AbsentError, match="the closed-book prompt was not scored"):
        bare.row("closed_book")
    with pytest.raises(AbsentError, match="no ranking recorded"):
        bare.retriever.known_ranks()


def test_the_retrievers_reason_is_passed_on():
    view = RetrieverView("s", {"a": 0.0}, None, None, "no retriever scores")
    assert view.known_ranks() == {"a": 0.0}
    with pytest.raises(AbsentError, match=r"^no retriever scores$"):
        view.known_scores()


def test_a_value_of_zero_is_there():
    assert replace(Evidence("q", "answer", ("a",)), grand=0.0).row("grand") == 0.0


def test_attributions_of_other_passages_are_refused():
    with pytest.raises(ValueError, match=r"trace q: attributions and players differ in b, c"):
        Evidence("q", "answer", ("a", "b"), attribution={"a": 1.0, "c": 1.0})
