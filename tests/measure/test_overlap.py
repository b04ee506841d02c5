"""Rank overlap: published figures, by hand, and against the enumeration of every tie order."""

import math
from functools import partial
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boresight.measure.overlap import (
    noise_distraction,
    noise_share,
    top1_agreement,
    warg_rbo,
    warg_rbo_norm,
    wasted_retrieval,
    wasted_share,
)

# The definitions read aloud, for two orders without ties.


def naive_rbo(one, other, p):
    total = sum(p ** (d - 1) * len(set(one[:d]) & set(other[:d])) / d for d in range(1, len(one) + 1))
    return 1 - (1 - p) * total


def naive_rbo_norm(one, other, p):
    return 1 - (1 - naive_rbo(one, other, p)) / (1 - p ** len(one))


def naive_wasted_retrieval(one, other, bar):
    return float(other.index(one[0]) > bar)


def naive_noise_distraction(one, other, bar):
    return float(one.index(other[0]) > bar)


def naive_wasted_share(one, other, t):
    return sum(passage not in other[:t] for passage in one[:t]) / t


def naive_noise_share(one, other, t):
    rest = len(one) - t
    return sum(passage in other[:rest] for passage in one[t:]) / rest


def naive_top1(one, other):
    return float(one[0] == other[0])


CASES = [
    (partial(warg_rbo, p=0.9), partial(naive_rbo, p=0.9)),
    (partial(warg_rbo, p=0.5), partial(naive_rbo, p=0.5)),
    (partial(warg_rbo_norm, p=0.7), partial(naive_rbo_norm, p=0.7)),
    (partial(wasted_retrieval, bar=1), partial(naive_wasted_retrieval, bar=1)),
    (partial(wasted_retrieval, bar=2), partial(naive_wasted_retrieval, bar=2)),
    (partial(noise_distraction, bar=0), partial(naive_noise_distraction, bar=0)),
    (partial(noise_distraction, bar=2), partial(naive_noise_distraction, bar=2)),
    (partial(wasted_share, t=1), partial(naive_wasted_share, t=1)),
    (partial(wasted_share, t=3), partial(naive_wasted_share, t=3)),
    (partial(noise_share, t=1), partial(naive_noise_share, t=1)),
    (partial(noise_share, t=2), partial(naive_noise_share, t=2)),
    (top1_agreement, naive_top1),
]
EVERY = pytest.mark.parametrize(("measure", "naive"), CASES)
SMALL = st.lists(st.integers(0, 2), min_size=4, max_size=4)


def ranked(order):
    return {passage: float(rank) for rank, passage in enumerate(order)}


def attributed(order):
    return {passage: 10.0 - rank for rank, passage in enumerate(order)}


def orders(keys):
    """Every order of the passages in which smaller keys come first."""
    return [order for order in permutations(keys) if all(keys[a] <= keys[b] for a, b in pairwise(order))]


@EVERY
def test_without_ties_the_value_is_the_definition(measure, naive):
    for other in permutations("abcd"):
        expected = naive("abcd", other)
        assert measure(ranked("abcd"), attributed(other)).value == pytest.approx(expected, abs=1e-12)


@EVERY
def test_the_chance_level_is_the_mean_over_all_orders(measure, naive):
    expected = np.mean([naive("abcde", other) for other in permutations("abcde")])
    assert measure(ranked("abcde"), attributed("badec")).chance == pytest.approx(expected, abs=1e-12)


@EVERY
@settings(deadline=None, max_examples=25)
@given(one=SMALL, other=SMALL)
def test_ties_give_the_mean_over_all_orders_of_both_sides(measure, naive, one, other):
    one, other = dict(zip("abcd", one, strict=True)), dict(zip("abcd", other, strict=True))
    pairs = product(orders(one), orders(other))
    expected = np.mean([naive(first, second) for first, second in pairs])
    used = {passage: 5.0 - key for passage, key in other.items()}
    assert measure(one, used).value == pytest.approx(expected, abs=1e-12)


@EVERY
def test_when_all_is_tied_the_value_is_the_chance_level(measure, naive):
    found = measure(ranked("abcde"), dict.fromkeys("abcde", 0.0))
    assert found.value == pytest.approx(found.chance, abs=1e-12)


@EVERY
def test_the_order_of_the_passages_changes_no_bit(measure, naive):
    ranks = {"a": 0.0, "b": 1.0, "c": 1.0, "d": 3.0, "e": 4.0}
    used = {"a": 0.0, "b": 0.0, "c": 2.0, "d": 0.0, "e": 1.0}
    assert measure(ranks, used) == measure({name: ranks[name] for name in "ecadb"}, used)


@pytest.mark.parametrize(
    ("n", "published"),
    [(10, (0.801, 0.758, 0.704, 0.661, 0.697)), (5, (0.644, 0.617, 0.613, 0.655, 0.771))],
)
def test_the_chance_levels_of_rbo_are_the_published_ones(n, published):
    names = [str(number) for number in range(n)]
    found = [warg_rbo(ranked(names), attributed(names), p).chance for p in (0.5, 0.6, 0.7, 0.8, 0.9)]
    assert found == pytest.approx(published, abs=5e-4)


def test_identical_rankings_give_p_to_the_n_and_zero_when_normalised():
    names = [str(number) for number in range(10)]
    raw, norm = (measure(ranked(names), attributed(names), 0.9) for measure in (warg_rbo, warg_rbo_norm))
    assert raw.value == raw.minimum == pytest.approx(0.9**10, abs=1e-12)
    assert norm.value == 0.0


def test_rbo_of_two_swapped_passages_by_hand():
    """Depth 1 shares none, depth 2 both: RBO = 0.2 * (0 + 0.8 * 1) = 0.16 of at most 0.36."""
    assert warg_rbo(ranked("ab"), attributed("ba"), 0.8).value == pytest.approx(0.84, abs=1e-12)
    assert warg_rbo_norm(ranked("ab"), attributed("ba"), 0.8).value == pytest.approx(
        1 - 0.16 / 0.36, abs=1e-12
    )


def test_the_published_failure_rate_of_random_order_is_seventy_percent():
    names = [str(number) for number in range(10)]
    assert wasted_retrieval(ranked(names), attributed(names)).chance == pytest.approx(0.7)
    assert noise_distraction(ranked(names), attributed(names)).chance == pytest.approx(0.7)


def test_the_first_passage_used_third_is_not_wasted_and_used_fourth_is():
    assert wasted_retrieval(ranked("abcd"), attributed("bcad")).value == 0.0
    assert wasted_retrieval(ranked("abcd"), attributed("bcda")).value == 1.0
    assert noise_distraction(ranked("abcd"), attributed("bcda")).value == 0.0
    assert noise_distraction(ranked("abcd"), attributed("dabc")).value == 1.0


@pytest.mark.parametrize(
    ("measure", "n"),
    [
        (wasted_retrieval, 3),
        (noise_distraction, 3),
        (partial(wasted_retrieval, bar=5), 6),
        (wasted_share, 1),
        (partial(wasted_share, t=3), 3),
        (partial(noise_share, t=3), 3),
        (partial(noise_share, t=3), 2),
        (warg_rbo, 1),
        (warg_rbo_norm, 1),
        (top1_agreement, 1),
    ],
)
def test_too_few_passages_leave_it_undefined_and_one_more_does_not(measure, n):
    few, enough = ranked(range(n)), ranked(range(max(n, 3) + 1))
    assert measure(few, few).state == "undefined"
    assert measure(enough, enough).is_defined


def test_the_reason_says_how_many_passages_there_are_and_how_many_it_takes():
    assert wasted_retrieval(ranked("abc"), ranked("abc")).reason == "there are only 3 passages, 4 are needed"
    assert top1_agreement({"a": 0.0}, {"a": 1.0}).reason == "there is only one passage"
    assert warg_rbo({}, {}).reason == noise_share({}, {}).reason == "there is no passage"


@pytest.mark.parametrize("p", [0, 1, -0.5, 2, math.nan, math.inf])
@pytest.mark.parametrize("measure", [warg_rbo, warg_rbo_norm])
def test_p_must_lie_between_zero_and_one(measure, p):
    with pytest.raises(ValueError, match="p must be a number between 0 and 1"):
        measure(ranked("ab"), attributed("ab"), p)


@pytest.mark.parametrize(("measure", "least"), [(wasted_retrieval, 0), (noise_distraction, 0)])
@pytest.mark.parametrize("bar", [-1, 1.5, math.nan])
def test_the_bar_must_be_a_whole_number(measure, least, bar):
    with pytest.raises(ValueError, match=f"bar must be a whole number of at least {least}"):
        measure(ranked("abcd"), attributed("abcd"), bar)


@pytest.mark.parametrize("measure", [wasted_share, noise_share])
@pytest.mark.parametrize("t", [0, 1.5])
def test_t_must_be_a_whole_number(measure, t):
    with pytest.raises(ValueError, match="t must be a whole number of at least 1"):
        measure(ranked("abcd"), attributed("abcd"), t)


@EVERY
def test_other_passages_and_broken_numbers_are_refused(measure, naive):
    with pytest.raises(ValueError, match="differ in 'd', 'x'"):
        measure(ranked("abcd"), attributed("abcx"))
    with pytest.raises(ValueError, match="not for 'b'"):
        measure(ranked("abcd"), {**attributed("abcd"), "b": math.nan})
