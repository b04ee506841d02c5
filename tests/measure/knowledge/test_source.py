"""Where an answer comes from, case by case."""

import pytest

from boresight.measure.knowledge import says_the_same, source_of


@pytest.mark.parametrize(
    ("gain", "agrees", "source"),
    [
        (2.0, True, "both"),
        (2.0, False, "context"),
        (0.3, True, "memory"),
        (-0.3, True, "memory"),
        (0.3, False, "neither"),
        (-2.0, True, "against_context"),
        (-2.0, False, "against_context"),
    ],
)
def test_the_table_of_sources(gain, agrees, source):
    assert source_of(gain, 0.5, memory_agrees=agrees) == source


def test_a_gain_at_the_floor_is_within_it():
    assert source_of(0.5, 0.5, memory_agrees=False) == "neither"
    assert source_of(-0.5, 0.5, memory_agrees=True) == "memory"


def test_answers_agree_in_normal_form_or_where_one_holds_the_other():
    assert says_the_same("The Rome.", "rome")
    assert says_the_same("It was built in Rome, Italy.", "Rome")
    assert says_the_same("Rome", "It was built in Rome, Italy.")
    assert not says_the_same("Rome", "Paris")
    assert says_the_same("", "")
    assert not says_the_same("", "Rome")
