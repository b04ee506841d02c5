"""Correlations: by hand, against formulas written out, and their undefined cases."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boresight.measure.correlation import kendall, pearson, spearman

ALL = pytest.mark.parametrize("measure", [spearman, pearson, kendall])


def named(values):
    return dict(zip("abcdefgh", map(float, values), strict=False))


def naive_spearman(ranks, used):
    """Pearson correlation of mid-ranks."""

    def mid(values):
        return [
            sum(x < value for x in values) + (sum(x == value for x in values) - 1) / 2 for value in values
        ]

    return np.corrcoef(mid([-rank for rank in ranks]), mid(used))[0, 1]


def naive_tau_b(ranks, used):
    """Concordant minus discordant pairs over the root of the untied pairs of either side."""
    signs = [
        (np.sign(ranks[j] - ranks[i]), np.sign(used[i] - used[j]))
        for i, j in combinations(range(len(used)), 2)
    ]
    untied = [sum(sign[side] != 0 for sign in signs) for side in (0, 1)]
    return sum(one * other for one, other in signs) / math.sqrt(untied[0] * untied[1])


def test_agreement_is_positive_although_the_best_rank_is_the_lowest():
    ranks, scores, used = named([0, 1, 2]), named([9, 5, 1]), named([3, 2, 1])
    assert spearman(ranks, used).value == pytest.approx(1.0)
    assert kendall(ranks, used).value == pytest.approx(1.0)
    assert pearson(scores, used).value == pytest.approx(1.0)


def test_the_reverse_order_is_minus_one():
    assert spearman(named([0, 1, 2]), named([1, 2, 9])).value == pytest.approx(-1.0)
    assert kendall(named([0, 1, 2]), named([1, 2, 9])).value == pytest.approx(-1.0)


def test_one_swap_of_four_by_hand():
    """Rank differences 1 and 1: 1 - 6 * 2 / (4 * 15) = 0.8; five pairs of six agree, one does not: 2 / 3."""
    ranks, used = named([0, 1, 2, 3]), named([4, 2, 3, 1])
    assert spearman(ranks, used).value == pytest.approx(0.8)
    assert kendall(ranks, used).value == pytest.approx(2 / 3)


def test_pearson_reads_scores_by_hand():
    """Scores 0 0 3, attributions 1 2 3: covariance 3, roots of squares 6 and 2."""
    assert pearson(named([0, 0, 3]), named([1, 2, 3])).value == pytest.approx(3 / math.sqrt(12))


RANKS = st.lists(st.tuples(st.integers(0, 3), st.integers(-3, 3)), min_size=2, max_size=7)


@settings(deadline=None)  # the first call imports scipy
@given(RANKS)
def test_ties_on_both_sides_equal_the_formulas_written_out(pairs):
    ranks, used = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    for measure, naive in ((spearman, naive_spearman), (kendall, naive_tau_b)):
        found = measure(named(ranks), named(used))
        if len(set(ranks)) == 1 or len(set(used)) == 1:
            assert found.state == "undefined"
        else:
            assert found.value == pytest.approx(naive(ranks, used), abs=1e-12)


@settings(deadline=None)
@given(RANKS)
def test_pearson_equals_numpy(pairs):
    scores, used = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found = pearson(named(scores), named(used))
    if len(set(scores)) == 1 or len(set(used)) == 1:
        assert found.state == "undefined"
    else:
        assert found.value == pytest.approx(np.corrcoef(scores, used)[0, 1], abs=1e-12)


@ALL
def test_attributions_that_differ_by_rounding_are_tied(measure):
    assert measure(named([0, 1, 2]), named([1, 1 + 1e-10, 1 - 1e-10])).reason == "all attributions are equal"


def test_rounding_breaks_no_tie():
    ranks = named([0, 1, 2, 3])
    assert spearman(ranks, named([5, 1, 1 + 1e-10, 0])) == spearman(ranks, named([5, 1, 1, 0]))


@ALL
def test_a_constant_retriever_is_undefined(measure):
    found = measure(named([1, 1, 1]), named([1, 2, 3]))
    assert found.state == "undefined"
    assert found.reason.startswith("all retriever")


@ALL
@pytest.mark.parametrize(("n", "reason"), [(0, "there is no passage"), (1, "there is only one passage")])
def test_fewer_than_two_passages_are_undefined(measure, n, reason):
    assert measure(named(range(n)), named(range(n))).reason == reason


@ALL
def test_two_passages_are_enough(measure):
    assert abs(measure(named([0, 1]), named([3, 1])).value) == pytest.approx(1.0)


@ALL
def test_chance_is_zero(measure):
    assert measure(named([0, 1, 2]), named([3, 1, 2])).chance == 0.0


@ALL
def test_the_order_of_the_passages_changes_no_bit(measure):
    rng = np.random.default_rng(0)
    one, other = named(rng.random(8)), named(rng.random(8))
    orders = [rng.permutation(list("abcdefgh")).tolist() for _ in range(50)]
    assert len({measure({name: one[name] for name in order}, other) for order in orders}) == 1


def test_scores_at_the_ends_of_the_floats_stay_finite():
    assert pearson(named([1e308, -1e308, 0]), named([2, 0, 1])).value == pytest.approx(1.0)
    assert pearson(named([1e16, 1e16 + 2, 1e16 + 4]), named([0, 1, 2])).value == pytest.approx(1.0)


@ALL
def test_other_passages_and_broken_numbers_are_refused(measure):
    with pytest.raises(ValueError, match="differ in 'c'"):
        measure(named([1, 2]), named([1, 2, 3]))
    with pytest.raises(ValueError, match="not for 'a'"):
        measure(named([math.inf, 2]), named([1, 2]))
