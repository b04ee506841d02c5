"""Which targets a name stands for."""

import pytest

from boresight.errors import SpecError
from boresight.game.targets import is_named, known_target, named_targets
from boresight.models.fake import FakeGenerator
from boresight.trace import trace_from_dict
from helpers import additive_table, make_trace

FAKE = FakeGenerator({"*": additive_table({"a": 1.0})})


def trace(*references):
    return trace_from_dict(make_trace(names=("a",), references=list(references)))


@pytest.mark.parametrize(
    ("names", "found"),
    [
        ({"reference"}, ["reference:0", "reference:1"]),
        ({"reference", "reference:1"}, ["reference:1", "reference:0"]),
        ({"abstention", "reference"}, ["abstention", "reference:0", "reference:1"]),
        ({"reference:1"}, ["reference:1"]),
        (set(), []),
    ],
)
def test_reference_stands_for_every_reference(names, found):
    assert named_targets(names, trace("Rome", "the city")) == found


def test_ten_references_keep_their_order():
    assert named_targets({"reference"}, trace(*"abcdefghijkl"))[-1] == "reference:11"


def test_a_trace_without_references_has_none():
    assert named_targets({"reference"}, trace()) == []


@pytest.mark.parametrize(
    ("target", "names", "held"),
    [
        ("reference:3", {"reference"}, True),
        ("reference:3", {"reference:3"}, True),
        ("reference:3", {"reference:1"}, False),
        ("answer", {"answer"}, True),
        ("answer", {"reference"}, False),
    ],
)
def test_a_target_is_named_by_its_id_or_its_kind(target, names, held):
    assert is_named(target, names) is held


def test_the_text_of_an_abstention_is_fixed():
    found = known_target(FAKE, trace(), "abstention")
    assert (found.text, found.kind) == ("NO-RESPONSE", "abstention")


def test_a_reference_that_the_trace_lacks_is_none_and_another_word_is_refused():
    assert known_target(FAKE, trace("Rome"), "reference:1") is None
    with pytest.raises(SpecError, match="no target is called 'reference'"):
        known_target(FAKE, trace("Rome"), "reference")
