"""One row of expected findings for each game whose answer is known."""

import math

from hypothesis import given
from hypothesis import strategies as st

from boresight.findings import asked_kinds, diagnose

FLOOR = 0.02  # numeric; an effect must exceed twice that


def test_an_additive_game_that_follows_the_retriever_has_no_finding(found):
    weights = {"a": 3.0, "b": 2.0, "c": 1.0, "d": 0.5}
    assert found(4, lambda s: sum(weights[x] for x in s) - 9, closed_book=-9.0, floor=FLOOR) == set()


def test_an_additive_game_against_the_retriever_is_wasted_and_distracted(found):
    weights = {"a": 0.5, "b": 1.0, "c": 2.0, "d": 3.0}
    assert found(4, lambda s: sum(weights[x] for x in s) - 9, closed_book=-9.0, floor=FLOOR) == {
        ("wasted_retrieval", ("a", "d")),
        ("noise_distraction", ("d", "a")),
    }


def test_twins_are_found_once_and_waste_no_retrieval(found, make_case, lattice_of):
    def game(s):
        return float(bool(s & {"a", "b"})) - 2

    assert found(5, game, closed_book=-2.0, floor=FLOOR) == {("twins", ("a", "b"))}
    case = make_case(lattice_of(5, game), closed_book=-2.0, floor=FLOOR)
    assert case.attribution == {"a": 0.5, "b": 0.5, "c": 0, "d": 0, "e": 0}
    (twins,) = diagnose(case)
    assert twins.evidence["interaction"].value == twins.score * -1 == -1
    assert twins.remedy == "deduplicate"


def test_no_retrieval_is_wasted_when_the_used_passage_is_a_twin_of_the_first(found):
    """The generator rests most on e, and b, c, d each a little more than a; a alone would do as well as e."""
    weights = {"b": 1.0, "c": 1.0, "d": 1.0}

    def twins(s):
        return 1.6 * bool(s & {"a", "e"}) + 0.5 * ("e" in s) + sum(weights.get(x, 0) for x in s) - 9

    without_twin = found(5, lambda s: twins(s - {"a"}), closed_book=-9.0, floor=FLOOR)
    assert ("wasted_retrieval", ("a", "e")) in without_twin
    assert ("noise_distraction", ("e", "a")) in without_twin
    kinds = {kind for kind, _ in found(5, twins, closed_book=-9.0, floor=0.26)}
    assert kinds == {"wasted_retrieval", "noise_distraction"}
    # Within the margin (here the numeric floor, 0.51 nats) a alone reaches what both reach: twins.
    assert found(5, twins, closed_book=-9.0, floor=0.51) == {("twins", ("a", "e"))}


def test_two_hops_need_each_other(found):
    assert found(4, lambda s: float({"a", "b"} <= s) - 2, closed_book=-2.0, floor=FLOOR) == {
        ("need_each_other", ("a", "b"))
    }


def test_a_harmful_passage_is_found(found):
    assert found(3, lambda s: ("a" in s) - 2.0 * ("b" in s) - 3, closed_book=-5.0, floor=FLOOR) == {
        ("harmful_passage", ("b",))
    }


def test_two_harmful_passages_do_not_need_each_other_through_the_rounding_of_float32(found):
    """0.1 and 0.3 have no exact float32: the interaction is some 1e-8 nats, no finding even at floor 0."""
    kinds = found(3, lambda s: -0.1 * ("a" in s) - 0.3 * ("b" in s) - 20.7, closed_book=-30.0, floor=0.0)
    assert kinds == {("harmful_passage", ("a",)), ("harmful_passage", ("b",))}


def test_a_game_of_order_alone_has_no_passage_finding(found):
    """Whatever the order does, the sets differ in nothing; the instructions alone beat the plain question."""
    assert found(5, lambda s: -1.0, closed_book=-3.0, floor=FLOOR) == set()


def test_an_answer_from_memory_is_found(found):
    """Closed book 0.9, empty coalition 0.1, any passage 0.9."""

    def game(s):
        return math.log(0.9 if s else 0.1)

    assert ("from_memory", ()) in found(3, game, closed_book=math.log(0.9), floor=FLOOR)
    assert ("from_memory", ()) not in found(3, game, closed_book=math.log(0.1), floor=FLOOR)


def test_the_score_of_memory_is_what_it_gives_over_the_empty_prompt(make_case, lattice_of):
    game = lattice_of(2, lambda s: math.log(0.9 if s else 0.1))
    memory = next(f for f in diagnose(make_case(game, closed_book=math.log(0.9))) if f.kind == "from_memory")
    assert math.isclose(memory.score, math.log(9), abs_tol=1e-6)


def test_a_context_that_hurts_says_so(make_case, lattice_of):
    (memory,) = diagnose(make_case(lattice_of(2, lambda s: -4.0), closed_book=-1.0))
    assert memory.kind == "from_memory"
    assert "20 times more likely without any passage" in memory.sentence
    assert memory.score == 3


@given(value=st.floats(-60, -0.01), n=st.integers(0, 5), floor=st.sampled_from([0.0, 1e-6, 0.1]))
def test_a_constant_game_has_no_finding_ever(make_case, value, n, floor):
    case = make_case([value] * 2**n, closed_book=value, floor=floor)
    assert diagnose(case) == []


def test_kinds_without_their_numbers_are_not_asked(make_case, lattice_of):
    game = lattice_of(3, lambda s: float(len(s)) - 9)
    assert asked_kinds(make_case(game)) == ("harmful_passage", "twins", "need_each_other", "hostile_passage")
    assert asked_kinds(make_case(game, exact=False, closed_book=-9.0)) == (
        "harmful_passage", "from_memory", "hostile_passage",
    )  # fmt: skip


def test_nothing_but_hostile_text_is_reported_where_the_floor_is_unknown(make_case, lattice_of):
    game = lattice_of(3, lambda s: -2.0 * ("b" in s) - 3)
    assert diagnose(make_case(game, floor=None, closed_book=0.0)) == []


def test_two_passages_that_are_worse_together_are_no_twins(found):
    """Each alone gains 1.5 nats, both together nothing: they are at odds."""

    def game(s):
        return 1.5 * (len(s & {"a", "b"}) == 1) + 3.0 * ("c" in s) - 9

    assert "twins" not in {kind for kind, _ in found(3, game, closed_book=-9.0, floor=FLOOR)}


def test_a_harmful_passage_whose_removal_does_not_help_is_not_to_be_dropped(make_case, lattice_of):
    """b harms alone and with c, but with a there it is needed."""

    def game(s):
        return -3.0 * ("b" in s and "a" not in s) + 0.5 * ({"a", "b"} <= s) + 1.0 * ("c" in s) - 9

    found = {
        one.kind: one for one in diagnose(make_case(lattice_of(3, game), closed_book=-12.0, floor=FLOOR))
    }
    harmful = found["harmful_passage"]
    assert harmful.passages == ("b",)
    assert harmful.remedy == "none"
    assert "does not help" in harmful.sentence


def test_twins_that_are_a_little_worse_together_are_still_twins(found):
    """A real model shifts by tenths of a nat for any text: within the floor that is no quarrel."""

    def game(s):
        return 5.0 * bool(s & {"a", "b"}) - 0.4 * ({"a", "b"} <= s) - 9

    assert ("twins", ("a", "b")) in found(3, game, closed_book=-9.0, floor=0.25)
