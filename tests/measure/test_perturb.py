"""Contexts arranged right, wrong and at random."""

import pytest

from boresight.errors import InputError
from boresight.measure.perturb import STAGE, conditions
from boresight.stats.random import rng_for
from boresight.trace import Passage, trace_from_dict

NAMES = "abcdef"


@pytest.fixture
def trace():
    passages = [
        {"id": name, "text": f"text of {name}", "score": 9.0 - rank} for rank, name in enumerate(NAMES)
    ]
    return trace_from_dict({"id": "t", "query": "?", "passages": passages, "answer": "in Rome"})


def arranged(trace, setup, corpus=()):
    return conditions(trace, setup, 2, corpus, rng_for(0, "t", "test"))


@pytest.mark.parametrize(("setup", "others"), [("A", "ef"), ("C", "cd")])
def test_the_top_stands_first_then_last_then_anywhere(trace, setup, others):
    found = arranged(trace, setup)
    assert "".join(found[1].context) == "ab" + others
    assert "".join(found[2].context) == others + "ab"
    assert sorted(found[3].context) == sorted("ab" + others)


def test_random_passages_are_those_that_the_trace_does_not_hold(trace):
    corpus = [
        Passage("a", "a stranger"),
        Passage("y", "text of a"),
        Passage("z", "another"),
        Passage("w", " "),
    ]
    found = arranged(trace, "B", corpus)
    texts = {found[1].passage(key).text for key in found[1].context[2:]}
    assert texts == {"a stranger", "another"}
    assert len(set(found[1].context)) == 4


def test_the_score_is_the_place_in_the_prompt_whatever_stands_there(trace):
    for one in arranged(trace, "A").values():
        (stage,) = one.stages
        assert stage.name == STAGE
        assert [(place.id, place.score) for place in stage.ranking] == list(
            zip(one.context, (3.0, 2.0, 1.0, 0.0), strict=True)
        )
        assert one.answer is None


def test_too_few_passages_are_refused_by_number(trace):
    with pytest.raises(InputError, match="ranks 6 passages and setup A with k = 4 needs 8"):
        conditions(trace, "A", 4, (), rng_for(0, "t", "test"))
    with pytest.raises(InputError, match="needs 2 passages of the corpus"):
        arranged(trace, "B", [Passage("z", "another")])
