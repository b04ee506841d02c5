"""WARG v2: by hand, by its invariances, and against a naive implementation in exact fractions."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.measure.alignment import warg

SCORES = dict(zip("abcde", (10.0, 1.2, 1.1, 1.0, 0.9), strict=True))


def only(*passages, of="abcde"):
    """The whole attribution on some passages, evenly."""
    return {passage: float(passage in passages) for passage in of}


def test_the_generator_that_uses_the_best_scored_passage_is_aligned():
    assert warg(SCORES, only("a")).value == 1.0


def test_the_lowest_value_depends_on_the_scores():
    """Gap of e: 0.9 - 13.3 / 4 = -2.425; oracle: 10 - 4.2 / 4 = 8.95; ratio -0.27095."""
    found = warg(SCORES, only("e"))
    assert found.value == pytest.approx(-2.425 / 8.95, abs=1e-12)
    assert found.minimum == found.value


def test_a_high_set_of_two_by_hand():
    """H = {a, b}: 5.6 - 3 / 3 = 4.6 is the oracle; H = {c, e}: 1.0 - 12.2 / 3 = -46 / 15."""
    found = warg(SCORES, only("c", "e"))
    assert found.value == pytest.approx(-(46 / 15) / 4.6, abs=1e-12)
    assert found.minimum == pytest.approx((0.95 - 12.3 / 3) / 4.6, abs=1e-12)


def test_the_bar_is_tau_times_the_even_share_of_the_positive():
    """Shares .5 .3 .2 of the positive 10, over five passages: the bar is tau / 5."""
    used = {"a": 2.0, "b": 3.0, "c": 5.0, "d": -4.0, "e": 0.0}
    only_c, b_and_c = warg(SCORES, only("c")).value, warg(SCORES, only("b", "c")).value
    assert warg(SCORES, used, 1.5).value == only_c  # 0.3 is not above 0.3
    assert warg(SCORES, used, 1.49).value == b_and_c
    assert warg(SCORES, used, 2.4).value == only_c


def test_rounding_does_not_lift_even_shares_above_the_bar():
    third = {"a": 1 / 3, "b": 1 / 3 + 1e-16, "c": 1 / 3 - 1e-16}
    assert not warg({"a": 3.0, "b": 2.0, "c": 1.0}, third, 1.0).is_defined


@pytest.mark.parametrize(
    ("retriever", "generator", "tau", "reason"),
    [
        ({}, {}, 1.5, "there is no passage"),
        ({"a": 1.0}, {"a": 1.0}, 1.5, "there is only one passage"),
        ({"a": 1.0, "b": 2.0}, {"a": -1.0, "b": 0.0}, 1.5, "no passage has a positive attribution"),
        ({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 1.0}, 1.5, "the high set is empty"),
        ({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 0.0}, 2.0, "the high set is empty"),
        ({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": 1.0}, 0.5, "the high set is all of them"),
        ({"a": 2.0, "b": 2.0}, {"a": 1.0, "b": 0.0}, 1.5, "all retriever scores are equal"),
    ],
)
def test_each_undefined_case_has_its_reason(retriever, generator, tau, reason):
    found = warg(retriever, generator, tau)
    assert found.state == "undefined"
    assert reason in found.reason


def test_the_value_is_clipped_where_the_scores_are_skewed():
    """Scores 1 1 1 0, H = the last: gap -1, oracle 1 / 3, ratio -3."""
    scores = dict(zip("abcd", (1.0, 1.0, 1.0, 0.0), strict=True))
    found = warg(scores, only("d", of="abcd"))
    assert (found.value, found.minimum) == (-1.0, -1.0)
    assert found.chance == pytest.approx(0.5)  # three sets of four give 1, one gives -1


def test_scores_in_even_steps_have_chance_zero_whatever_their_number():
    names = [str(number) for number in range(20)]
    for size in range(1, 20):
        scores = {name: int(name) / 10 for name in names}
        found = warg(scores, {name: float(int(name) < size) for name in names}, 0.9)
        assert (found.chance, found.minimum) == (0.0, pytest.approx(-1.0))


@given(st.lists(st.integers(0, 9), min_size=5, max_size=5), st.integers(1, 4))
def test_the_chance_level_is_the_mean_over_all_ways_to_spread_the_attribution(scores, size):
    retriever = dict(zip("abcde", map(float, scores), strict=True))
    spread = [1.0] * size + [0.0] * (5 - size)
    found = [warg(retriever, dict(zip("abcde", way, strict=True)), 0.9) for way in set(permutations(spread))]
    if found[0].is_defined:
        assert found[0].chance == pytest.approx(np.mean([one.value for one in found]), abs=1e-12)
        assert found[0].minimum == pytest.approx(min(one.value for one in found), abs=1e-12)


def test_the_chance_level_of_too_many_sets_is_left_open():
    names = [str(number) for number in range(30)]
    scores = {name: float(name != "0") for name in names}
    found = warg(scores, {name: float(int(name) < 12) for name in names}, 1.0)
    assert (found.value, found.chance) == (-1.0, None)


NUMBERS = st.floats(-50, 50).map(lambda number: round(number, 3))
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=7)


def split(pairs):
    return (
        {str(i): pair[0] for i, pair in enumerate(pairs)},
        {str(i): pair[1] for i, pair in enumerate(pairs)},
    )


@given(
    PAIRS, st.floats(0.01, 100), st.floats(-100, 100), st.floats(0.01, 100), st.sampled_from([0.5, 1.5, 3.1])
)
def test_stretching_either_side_and_moving_the_scores_changes_nothing(pairs, stretch, shift, factor, tau):
    retriever, generator = split(pairs)
    moved = {passage: stretch * score + shift for passage, score in retriever.items()}
    scaled = {passage: factor * value for passage, value in generator.items()}
    before, after = warg(retriever, generator, tau), warg(moved, scaled, tau)
    assert before.reason == after.reason
    assert before.value == pytest.approx(after.value, abs=1e-6)


def test_another_monotone_map_of_the_scores_does_change_it():
    logistic = {passage: 1 / (1 + math.exp(-score)) for passage, score in SCORES.items()}
    assert warg(logistic, only("c")).value != pytest.approx(warg(SCORES, only("c")).value, abs=0.01)


def test_the_order_of_the_passages_changes_no_bit():
    """Five scores inside and four outside, whose plain sums do depend on the order."""
    rng = np.random.default_rng(0)
    names = list("abcdefghi")
    scores, used = dict(zip(names, rng.random(9).tolist(), strict=True)), only(*"aceg", "i", of=names)
    found = {warg({str(name): scores[name] for name in rng.permutation(names)}, used, 0.9) for _ in range(50)}
    assert len(found) == 1
    assert len({sum(rng.permutation([scores[name] for name in "acegi"]).tolist()) for _ in range(50)}) > 1


@given(PAIRS, st.sampled_from([0.5, 1.0, 1.5, 2.0]))
def test_the_value_lies_between_its_minimum_and_one(pairs, tau):
    found = warg(*split(pairs), tau)
    if found.is_defined:
        assert -1 <= found.minimum <= found.value <= 1
        assert found.minimum <= found.chance <= 1


def naive(retriever, generator, tau):
    """The definition read aloud, in exact fractions; None where undefined."""
    names, n = list(retriever), len(retriever)
    r = {name: Fraction(retriever[name]) for name in names}
    g = {name: Fraction(generator[name]) for name in names}
    positive = sum(value for value in g.values() if value > 0)
    if n < 2 or positive == 0 or len(set(r.values())) == 1:
        return None
    high = [name for name in names if g[name] / positive > Fraction(tau) / n]
    if not 0 < len(high) < n:
        return None

    def gap(chosen):
        rest = [r[name] for name in names if name not in chosen]
        return sum(r[name] for name in chosen) / len(chosen) - sum(rest) / len(rest)

    best = sorted(names, key=r.__getitem__, reverse=True)[: len(high)]
    return float(max(Fraction(-1), min(Fraction(1), gap(high) / gap(best))))


def random_cases(count):
    """Cases on a grid, so that shares at the bar and tied scores occur."""
    rng = np.random.default_rng(20260121)
    for _ in range(count):
        n, steps = int(rng.integers(0, 9)), int(rng.choice([2, 20, 2000]))
        r, g = rng.integers(-steps, steps, size=(2, n), endpoint=True) / 64
        tau = float(rng.choice([0.5, 1.0, 1.5, 2.0, 2.5, 4.0]))
        yield (
            dict(zip("abcdefgh", r.tolist(), strict=False)),
            dict(zip("abcdefgh", g.tolist(), strict=False)),
            tau,
        )


def test_ten_thousand_random_cases_equal_the_naive_definition():
    undefined = 0
    for retriever, generator, tau in random_cases(10_000):
        found, expected = warg(retriever, generator, tau), naive(retriever, generator, tau)
        undefined += expected is None
        assert found.is_defined == (expected is not None)
        assert found.value == (None if expected is None else pytest.approx(expected, abs=1e-12))
    assert 2000 < undefined < 8000


@pytest.mark.parametrize("big", [1e308, 1e-308, 5e-324])
def test_numbers_at_the_ends_of_the_floats_stay_finite(big):
    scores, used = {"a": big, "b": 0.0, "c": -big}, {"a": big, "b": -big, "c": big}
    found = warg(scores, used, 1.2)
    assert (found.value, found.chance) == (0.0, 0.0)


@pytest.mark.parametrize("tau", [0, -1.0, math.nan, math.inf])
def test_tau_must_be_a_number_above_zero(tau):
    with pytest.raises(ValueError, match="tau must be a number above 0"):
        warg(SCORES, only("a"), tau)


def test_passages_that_only_one_side_holds_are_named():
    with pytest.raises(ValueError, match="differ in 'b', 'c'"):
        warg({"a": 1.0, "b": 2.0}, {"a": 1.0, "c": 2.0})


@pytest.mark.parametrize("broken", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_named(broken):
    with pytest.raises(ValueError, match="not for 'b'"):
        warg({"a": 1.0, "b": broken}, {"a": 1.0, "b": 2.0})
    with pytest.raises(ValueError, match="not for 'b'"):
        warg({"a": 1.0, "b": 2.0}, {"a": 1.0, "b": broken})
