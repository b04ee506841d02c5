"""Curves, areas, drops and their limits: hand-computed, and against all orders."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.measure.attribution_faithfulness import (
    Lattice,
    deletion,
    extreme_sums,
    insertion,
    tie_groups,
)
from boresight.measure.registry import parse

VALUES = st.integers(2, 4).flatmap(
    lambda n: st.lists(st.integers(-64, 0).map(float), min_size=2**n, max_size=2**n)
)
AREAS = ("naopc_deletion", "naopc_insertion", "aopc_deletion", "aopc_insertion", "aipc")
ALL = (*AREAS, "comprehensiveness", "sufficiency", "top_drop@1", "linear_datamodelling_score")


def area_by_hand(lattice, order, direction):
    """Mean over k of what goes with the first k of an order, or comes with them."""
    n, places = len(lattice.players), {one: place for place, one in enumerate(lattice.players)}
    masks = [sum(1 << places[one] for one in order[:k]) for k in range(1, n + 1)]
    if direction is deletion:
        return lattice.grand - np.mean([lattice.values[2**n - 1 - mask] for mask in masks])
    return np.mean([lattice.values[mask] for mask in masks]) - lattice.empty


def of_values(play, values, phi):
    """Evidence of a game given as its values by bit mask."""
    names = "abcd"[: len(phi)]
    return play(
        len(phi), lambda present: values[sum(1 << names.index(one) for one in present)], attribution=phi
    )


def test_the_areas_of_an_additive_game(weighted):
    """Removing a, b, c loses 4, 6, 7; the worst order c, b, a loses 1, 3, 7; random removal 7k/3."""
    deleted = parse("aopc_deletion").compute(weighted)
    assert deleted.value == pytest.approx(17 / 3)
    assert deleted.minimum == pytest.approx(11 / 3)
    assert deleted.chance == pytest.approx((7 / 3 + 14 / 3 + 7) / 3)
    assert parse("aopc_insertion").compute(weighted).value == pytest.approx(17 / 3)
    assert parse("naopc_deletion").compute(weighted).value == 1.0
    assert parse("naopc_deletion").compute(weighted).chance == pytest.approx(0.5)


def test_a_reversed_ranking_has_the_worst_normalised_area(play):
    game = play(3, lambda present: float(len(present) + ("a" in present)), attribution=[1.0, 2.0, 3.0])
    assert parse("naopc_deletion").compute(game).value == 0.0
    assert parse("naopc_insertion").compute(game).value == 0.0


def test_aipc_is_the_area_between_both_curves_on_one_scale(weighted):
    """Most first: 1, 3/7, 1/7, 0; least first: 1, 6/7, 4/7, 0, of the spread 7; steps of a third."""
    assert parse("aipc").compute(weighted).value == pytest.approx((3 / 7 + 3 / 7) / 3)


def test_comprehensiveness_and_sufficiency_read_tops_of_up_to_half(play):
    """Four passages: tops of one and two. Lost without a, without a and b; with a alone, with both."""
    weights = {"a": 8, "b": 4, "c": 2, "d": 1}
    game = play(4, lambda present: sum(weights[one] for one in present) - 20)
    full, random = parse("comprehensiveness").compute(game), 15 / 4
    assert full.value == pytest.approx((8 + 12) / 2)
    assert full.chance == pytest.approx((random + 2 * random) / 2)
    kept = parse("sufficiency").compute(game)
    assert kept.value == pytest.approx((7 + 3) / 2)
    assert kept.chance == pytest.approx((15 - random + 15 - 2 * random) / 2)


def test_the_drop_without_the_top_stands_beside_the_drop_without_any(weighted):
    first = parse("top_drop@1").compute(weighted)
    assert (first.value, first.chance) == (4.0, pytest.approx(7 / 3))
    second = parse("top_drop@2").compute(weighted)
    assert (second.value, second.chance) == (6.0, pytest.approx(14 / 3))


def test_a_drop_of_all_passages_tells_nothing_of_a_ranking(weighted):
    assert parse("top_drop@3").compute(weighted).reason == "there are only 3 passages, 4 are needed"


def test_passages_tied_at_the_edge_of_the_top_share_the_drop(play):
    game = play(3, lambda present: 4.0 * ("a" in present) + ("b" in present), attribution=[1.0, 1.0, 0.0])
    assert parse("top_drop@1").compute(game).value == pytest.approx((4 + 1) / 2)


def test_twins_are_the_case_in_which_a_top_drop_sees_nothing(play):
    game = play(2, lambda present: float(bool(present)))
    assert parse("top_drop@1").compute(game).value == 0.0


@given(VALUES, st.sampled_from([deletion, insertion]))
def test_limits_and_random_removal_are_those_of_all_orders(values, direction):
    n = len(values).bit_length() - 1
    lattice = Lattice(tuple("abcd"[:n]), np.array(values))
    areas = [area_by_hand(lattice, order, direction) for order in permutations(lattice.players)]
    found = direction(lattice, [[one] for one in lattice.players])
    assert found.least == pytest.approx(min(areas), abs=1e-9)
    assert found.most == pytest.approx(max(areas), abs=1e-9)
    assert found.random == pytest.approx(np.mean(areas), abs=1e-9)
    assert found.area == pytest.approx(areas[0], abs=1e-9)


@given(VALUES)
def test_ties_give_the_expectation_over_their_orders(values):
    n = len(values).bit_length() - 1
    lattice = Lattice(tuple("abcd"[:n]), np.array(values))
    tied, rest = lattice.players[:2], [[one] for one in lattice.players[2:]]
    orders = [[[first], [second], *rest] for first, second in permutations(tied)]
    expected = np.mean([lattice.going(order) for order in orders], axis=0)
    assert lattice.going([tied, *rest]) == pytest.approx(expected, abs=1e-9)


@given(VALUES, st.randoms(use_true_random=False), st.sampled_from(ALL))
def test_the_order_of_the_context_changes_no_number(play, values, random, name):
    """The same game with its passages in another order, ties included."""
    n = len(values).bit_length() - 1
    placed = random.sample(range(n), n)  # where each passage of the first game stands in the second
    moved = [0.0] * len(values)
    for mask, value in enumerate(values):
        moved[sum(1 << placed[one] for one in range(n) if mask >> one & 1)] = value
    phi = [float(random.randint(0, 2)) for _ in range(n)]
    first = of_values(play, values, phi)
    second = of_values(play, moved, [phi[placed.index(one)] for one in range(n)])
    here, there = parse(name).compute(first), parse(name).compute(second)
    assert (here.state, here.reason) == (there.state, there.reason)
    if here.is_defined:
        assert (here.value, here.chance) == pytest.approx((there.value, there.chance), abs=1e-9)


def test_path_sums_do_not_count_the_empty_set():
    assert extreme_sums(np.array([100.0, 1.0, 5.0, 2.0])) == (3.0, 7.0)
    assert extreme_sums(np.array([100.0])) == (0.0, 0.0)


def test_groups_fall_and_hold_what_rounding_cannot_tell_apart():
    assert tie_groups({"a": 0.0, "b": 2.0, "c": 1e-10}) == [["b"], ["c", "a"]]


@pytest.mark.parametrize("name", [name for name in ALL if not name.startswith("aopc")])
def test_a_game_that_no_passage_moves_is_undefined_or_zero(play, name):
    found = parse(name).compute(play(3, lambda present: -2.0))
    if found.state == "defined":
        assert (found.value, found.chance) == (0.0, 0.0)
    else:
        assert "same to the answer" in found.reason or "beyond noise" in found.reason


@pytest.mark.parametrize("name", ["naopc_deletion", "naopc_insertion", "aipc", "linear_datamodelling_score"])
def test_a_spread_within_the_noise_is_undefined(play, name):
    game = play(3, lambda present: 0.01 * len(present), floor=0.02)
    assert parse(name).compute(game).state == "undefined"
    assert parse(name).compute(replace(game, floor=0.0)).state in {"defined", "undefined"}


@pytest.mark.parametrize("name", ALL)
def test_one_passage_has_no_order(play, name):
    found = parse(name).compute(play(1, lambda present: float(len(present))))
    assert found.reason == "there is only one passage"


@pytest.mark.parametrize("name", ALL)
def test_without_stored_values_there_is_no_curve(weighted, name):
    assert "no value of the prompts" in parse(name).compute(replace(weighted, table=None)).reason


@pytest.mark.parametrize("name", ALL)
def test_without_attributions_there_is_nothing_to_test(weighted, name):
    assert "no attributions" in parse(name).compute(replace(weighted, attribution=None)).reason


@pytest.mark.parametrize("name", [name for name in ALL if name != "top_drop@1"])
def test_a_sampled_trace_has_no_curve(play, name):
    game = play(3, lambda present: float(len(present)), only=["000", "111", "100"])
    assert parse(name).compute(game).reason.startswith("the trace was sampled")


def test_a_sampled_trace_has_the_drops_whose_prompts_were_scored(play):
    value = lambda present: sum({"a": 4, "b": 2, "c": 1}[one] for one in present)  # noqa: E731
    rows = ["000", "111", "011", "101", "110"]
    first = parse("top_drop@1").compute(play(3, value, only=rows))
    assert (first.value, first.chance) == (4.0, pytest.approx(7 / 3))
    assert parse("top_drop@2").compute(play(3, value, only=rows)).state == "undefined"
    only = parse("top_drop@2").compute(play(3, value, only=[*rows, "001"]))
    assert (only.value, only.chance) == (6.0, None)
