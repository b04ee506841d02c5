"""The sign flip test: by hand, against scipy, and its properties."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test

from boresight.stats.random import rng_for
from boresight.stats.sign_flip import sign_flip_p

VALUES = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=7)


def p_of(differences, **options):
    return sign_flip_p(differences, rng_for(0, "test"), **options)


def test_three_differences_by_hand():
    """Of the eight patterns of 1, 2, 3 only all plus and all minus reach 6."""
    assert p_of([1.0, 2.0, 3.0]) == 2 / 8


def test_a_tie_with_the_pattern_that_was_seen_counts():
    """1 + 2 - 3 is 0, and every pattern is at least as far from 0."""
    assert p_of([1.0, 2.0, -3.0]) == 1.0


@pytest.mark.parametrize("differences", [[0.7], [0.0] * 5, [0.0] * 50])
def test_one_difference_or_none_at_all_says_nothing(differences):
    assert p_of(differences) == 1.0


@given(VALUES.filter(lambda values: len(values) > 1))  # scipy takes no single difference
@settings(max_examples=30, deadline=None)
def test_few_differences_give_the_exact_value_of_scipy(differences):
    theirs = permutation_test(
        (np.array(differences),), np.sum, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    # scipy doubles the smaller tail; by symmetry that is our two-sided share, up to the cap at 1
    assert p_of(differences) == pytest.approx(min(theirs, 1.0))


def test_unit_differences_are_the_sign_test():
    """15 plus and 5 minus: the binomial gives 0.0414; 9,999 patterns are within four standard errors."""
    exact = binomtest(15, 20).pvalue
    assert exact == pytest.approx(0.0414, abs=1e-4)
    assert p_of([1.0] * 15 + [-1.0] * 5) == pytest.approx(exact, abs=4 * (exact / 10_000) ** 0.5)


def test_a_sampled_value_is_never_zero():
    assert p_of([1.0] * 60) == 1 / 10_000


@given(VALUES, st.randoms())
def test_order_and_sign_change_nothing(differences, random):
    shuffled = random.sample(differences, len(differences))
    assert p_of(shuffled) == p_of(differences)
    assert p_of([-one for one in differences]) == p_of(differences)


def test_many_differences_take_bounded_memory_and_the_same_seed_gives_the_same_value():
    differences = np.linspace(-1, 1.2, 5_000)
    assert p_of(differences, draws=2_000) == p_of(differences, draws=2_000) < 0.01


@pytest.mark.parametrize("wrong", [[], [float("nan")]])
def test_nothing_and_nan_are_refused(wrong):
    with pytest.raises(ValueError, match="a sign flip needs"):
        p_of(wrong)


def test_no_draws_are_refused():
    with pytest.raises(ValueError, match="draws must be at least 1"):
        p_of([1.0] * 20, draws=0)
