"""Citations in the tables of an audit."""

import pytest

import boresight as bs
from boresight.models.fake import FakeGenerator
from helpers import make_trace


def audit(answer, **fields):
    """Two tokens: the first is the claim and needs passage a, the second is its marker."""
    rows = {"": [-4.0, -1.0], "a": [-1.0, -1.0], "b": [-4.0, -1.0], "a,b": [-1.0, -1.0]}
    table = {"answer": answer, "closed_book": [-4.0, -1.0], "values": rows}
    trace = make_trace(names=("a", "b"), answer=answer, **fields)
    return bs.audit([trace], generator=FakeGenerator({"t": table}), placebo=0)


def test_columns_say_what_is_cited_and_what_that_is_worth():
    found = audit("Rome [2]").passages.reset_index().set_index("passage")
    assert found["cited"].tolist() == [False, True]
    assert found["citation_causal"]["b"] == pytest.approx(-3.0)
    assert found["citation_causal"].isna()["a"]


def test_an_answer_that_cites_nothing_leaves_the_columns_empty():
    found = audit("Rome Italy").passages
    assert found["cited"].isna().all()
    assert found["citation_causal"].isna().all()


def test_the_finding_names_the_passage_that_the_sentence_rests_on():
    (found,) = [one for one in audit("Rome [2]").findings.itertuples() if one.kind == "claim_from_uncited"]
    assert list(found.passages) == ["a", "b"]


def test_the_funnel_ends_with_the_citation():
    run = audit("Rome [1]", relevance={"a": 1, "b": 0})
    assert run.summary["funnel"]["cited"]["value"] == 1.0
