"""Claims under removal of one passage, worked out by hand."""

import numpy as np
import pytest

from boresight.measure.citation import claims_under_removal, scores
from boresight.measure.rows import TokenRows

PLAYERS = ("a", "b", "c")
# Two claims of one word each: "So [1]." cites a, "No [2]." cites b.
TEXT = "So [1]. No [2]."
OFFSETS = ((0, 2), (3, 6), (8, 10), (11, 14))
GRAND = np.array([-1.0, -0.5, -2.0, -0.5])
# Without a the first claim loses 3 nats, without c the second 2; b matters to a marker only.
WITHOUT = {
    "a": np.array([-4.0, -9.0, -2.0, -0.5]),
    "b": np.array([-1.0, -0.5, -2.0, -9.0]),
    "c": np.array([-1.0, -0.5, -4.0, -0.5]),
}
ROWS = TokenRows(TEXT, OFFSETS, grand=GRAND, without=WITHOUT)


def one_token(text, grand, without):
    """An answer whose first word is one token, with the same value without any one passage."""
    rows = dict.fromkeys(PLAYERS, np.array([without]))
    return TokenRows(text, ((0, 2),), grand=np.array([grand]), without=rows)


@pytest.fixture
def tested():
    return claims_under_removal(ROWS, PLAYERS)


def test_drops_are_those_of_the_claims_own_words(tested):
    assert [dict(one.drops) for one in tested] == [
        {"a": 3.0, "b": 0.0, "c": 0.0},
        {"a": 0.0, "b": 0.0, "c": 2.0},
    ]


def test_a_citation_is_causal_where_the_claim_falls_more_than_without_the_others(tested):
    first, second = tested
    assert first.is_causal("a", bar=0.1)
    assert not second.is_causal("b", bar=0.1)
    assert not first.is_causal("a", bar=3.0)


def test_a_citation_that_falls_like_any_other_passage_is_not_causal():
    level = dict.fromkeys(PLAYERS, np.array([-2.0, -0.5, -3.0, -0.5]))
    first, _ = claims_under_removal(TokenRows(TEXT, OFFSETS, grand=GRAND, without=level), PLAYERS)
    assert first.drops["a"] == first.uncited_drop == 1.0
    assert not first.is_causal("a", bar=0.1)


def test_a_claim_rests_on_an_uncited_passage(tested):
    first, second = tested
    assert first.rests_on_uncited(0.1) is None
    assert second.rests_on_uncited(0.1) == "c"
    assert second.rests_on_uncited(2.0) is None


def test_a_claim_that_cites_everything_has_no_uncited_drop():
    (one,) = claims_under_removal(
        TokenRows(
            "So [1-3].", ((0, 2),), grand=np.array([-1.0]), without=dict.fromkeys(PLAYERS, np.array([-2.0]))
        ),
        PLAYERS,
    )
    assert one.uncited_drop == 0.0
    assert one.rests_on_uncited(0.1) is None


def test_precision_and_recall_of_causes(tested):
    assert scores.causal_precision(tested, 0.1).value == 0.5  # a is real, b is not
    assert scores.causal_recall(tested, 0.1).value == 0.5  # of the causes a and c, a is cited
    assert scores.uncited_support(tested, 0.1).value == 0.5


def test_precision_and_recall_of_labels(tested):
    claims = [one.claim for one in tested]
    labels = {"a": 1.0, "b": 0.0, "c": 2.0}
    assert scores.precision(claims, labels, PLAYERS).value == 0.5
    assert scores.recall(claims, labels, PLAYERS).value == 0.5
    assert scores.precision(claims, {}, PLAYERS).reason == "no passage of the context is labelled"


def test_an_answer_without_citation_has_no_precision():
    rows = TokenRows(
        "So.", ((0, 2),), grand=np.array([-1.0]), without=dict.fromkeys(PLAYERS, np.array([-3.0]))
    )
    tested = claims_under_removal(rows, PLAYERS)
    for measure in (scores.causal_precision, scores.causal_recall, scores.uncited_support):
        assert measure(tested, 0.1).reason == "the answer cites no passage of the context"
    assert scores.citations([one.claim for one in tested]).value == 0


def test_the_column_is_the_excess_over_uncited_passages(tested):
    assert scores.citation_causal(tested) == {"a": 3.0 - (0 + 0) / 2, "b": 0 - (0 + 2.0) / 2}


def test_a_missing_removal_is_an_error_and_no_zero():
    with pytest.raises(KeyError, match="c"):
        claims_under_removal(TokenRows(TEXT, OFFSETS, grand=GRAND, without={"a": GRAND, "b": GRAND}), PLAYERS)
