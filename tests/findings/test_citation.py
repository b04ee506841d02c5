"""A claim that cites one passage and rests on another."""

from dataclasses import replace

import numpy as np
import pytest

from boresight.findings import Number, asked_kinds, diagnose
from boresight.measure.citation import claims_under_removal
from boresight.measure.rows import TokenRows


@pytest.fixture
def case(make_case, lattice_of):
    """An answer of one sentence that cites b; without a it loses 3 nats, without b none."""
    game = lattice_of(2, lambda s: 3.0 * ("a" in s) - 9)
    rows = TokenRows(
        "So [2].", ((0, 2),), grand=np.array([-6.0]), without={"a": np.array([-9.0]), "b": np.array([-6.0])}
    )
    return replace(make_case(game, floor=0.02), claims=claims_under_removal(rows, ("a", "b")))


def of_kind(case):
    return [one for one in diagnose(case) if one.kind == "claim_from_uncited"]


def test_the_claim_and_both_passages_are_named(case):
    (found,) = of_kind(case)
    assert found.passages == ("a", "b")
    assert found.sentence == (
        "Sentence 1 of the answer cites b and rests on a: without that it loses 3.00 nats, without what it "
        "cites 0 nats."
    )
    assert found.evidence == {"drop_uncited": Number(3.0), "drop_cited": Number(0.0), "floor": Number(0.04)}
    assert found.score == 3.0


def test_below_the_floor_nothing_is_said(case):
    assert of_kind(replace(case, placebo_floor=3.0)) == []


def test_an_answer_without_citation_is_not_asked(case):
    rows = TokenRows("So.", ((0, 2),), grand=np.array([-6.0]), without=dict.fromkeys("ab", np.array([-9.0])))
    assert "claim_from_uncited" in asked_kinds(case)
    assert "claim_from_uncited" not in asked_kinds(
        replace(case, claims=claims_under_removal(rows, ("a", "b")))
    )
