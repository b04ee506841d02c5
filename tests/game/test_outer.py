"""Outer coalitions: all with Shapley weights, or distinct draws with theirs."""

import numpy as np
import pytest

from boresight.game.outer import most_outer, outer_coalitions
from boresight.stats.random import rng_for


def drawn(n=9, place=4, most=32, seed=0):
    return outer_coalitions(n, place, most, rng_for(seed, "t", "sentences:p"))


def test_few_others_are_all_there_with_their_shapley_weights():
    found = outer_coalitions(3, 1, 32, rng_for(0))
    assert found.weights == pytest.approx({"000": 1 / 3, "100": 1 / 6, "001": 1 / 6, "101": 1 / 3})
    assert found.draws == 0


def test_a_passage_alone_has_the_empty_outer_coalition():
    assert outer_coalitions(1, 0, 1, rng_for(0)).weights == {"0": 1.0}


@pytest.mark.parametrize(("n", "most"), [(1, 1), (4, 8), (6, 32), (7, 32), (20, 32)])
def test_no_more_than_thirty_two(n, most):
    assert most_outer(n) == most


def test_draws_are_distinct_weighted_by_repeats_and_never_hold_the_passage():
    found = drawn(n=7, place=2)
    counts = np.array(list(found.weights.values())) * 32
    assert found.draws == 32
    assert counts == pytest.approx(np.rint(counts))
    assert counts.max() > 1
    assert counts.sum() == pytest.approx(32)
    assert all(len(name) == 7 and name[2] == "0" for name in found.weights)


def test_fewer_draws_are_the_first_of_more():
    assert list(drawn(most=32).weights)[:3] == list(drawn(most=4).weights)[:3]


def test_sizes_are_uniform_and_members_too():
    found = [drawn(seed=seed, most=1) for seed in range(3000)]
    names = np.array([[mark == "1" for mark in next(iter(one.weights))] for one in found])
    sizes = np.bincount(names.sum(axis=1), minlength=9) / 3000
    assert sizes == pytest.approx(np.full(9, 1 / 9), abs=0.025)
    assert names.mean(axis=0) == pytest.approx([0.5] * 4 + [0] + [0.5] * 4, abs=0.04)


def test_the_seed_decides():
    assert drawn() == drawn()
    assert drawn() != drawn(seed=1)
