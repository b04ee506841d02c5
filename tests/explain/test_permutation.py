"""Antithetic permutation sampling: the design, the estimate, and whether its interval holds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boresight.explain.shapley import exact_shapley, permutation, permutation_design, permutation_estimate
from boresight.explain.shapley.permutation import pair_samples


def rng(seed=0):
    return np.random.default_rng(seed)


designs = st.builds(
    lambda n, budget, seed: (n, budget, permutation_design(n, budget, rng(seed))),
    st.integers(0, 9),
    st.integers(0, 300),
    st.integers(0, 99),
)


@given(designs)
@settings(max_examples=60, deadline=None)
def test_a_design_lists_each_coalition_once_with_empty_and_grand_first(drawn):
    n, _, design = drawn
    assert len(np.unique(design.coalitions, axis=0)) == len(design.coalitions) <= 2**n
    assert not design.coalitions[0].any()
    assert design.coalitions[min(1, n)].all()


@given(designs)
@settings(max_examples=60, deadline=None)
def test_a_design_holds_exactly_what_its_pairs_pass_through(drawn):
    n, _, design = drawn
    chains = {
        frozenset(order[:size]) for order in np.concatenate(design.pairs).tolist() for size in range(n + 1)
    }
    assert chains == {frozenset(np.flatnonzero(row).tolist()) for row in design.coalitions}


@given(designs)
@settings(max_examples=60, deadline=None)
def test_only_the_least_four_pairs_may_exceed_the_budget(drawn):
    _, budget, design = drawn
    assert len(design.coalitions) <= budget or len(design.pairs) <= 4


def test_pairs_are_a_permutation_and_its_reverse_and_never_repeat():
    pairs = permutation_design(4, 16, rng()).pairs
    assert (pairs[:, 0] == pairs[:, 1, ::-1]).all()
    assert (np.sort(pairs, axis=2) == np.arange(4)).all()
    assert len(np.unique(pairs.reshape(-1, 4), axis=0)) == 2 * len(pairs) == 24  # all orders of four


def test_first_appearance_decides_the_order_of_coalitions():
    design = permutation_design(3, 6, rng(), min_pairs=1)
    a, b, c = design.pairs[0, 0].tolist()
    met = [[], [a, b, c], [a], [a, b], [c], [c, b]]
    assert [np.flatnonzero(row).tolist() for row in design.coalitions[:6]] == [sorted(set_) for set_ in met]


def test_the_same_generator_gives_the_same_design():
    first, second, other = (permutation_design(9, 80, rng(seed)) for seed in (5, 5, 6))
    assert first.pairs.tobytes() == second.pairs.tobytes()
    assert first.coalitions.tobytes() == second.coalitions.tobytes()
    assert first.pairs.tobytes() != other.pairs.tobytes()


def test_a_budget_of_eight_per_player_pays_for_four_pairs():
    assert len(permutation_design(30, 240, rng()).pairs) == 4


def test_a_design_of_no_pair_is_refused():
    with pytest.raises(ValueError, match="min_pairs >= 1, got 3 and 0"):
        permutation_design(3, 10, rng(), min_pairs=0)


def test_each_pair_averages_what_a_player_adds_in_both_orders():
    design = permutation_design(2, 4, rng())
    values = {(False, False): 1.0, (True, True): 11.0, (True, False): 3.0, (False, True): 5.0}
    found = permutation_estimate(design, values)
    assert found.attribution.tolist() == [4.0, 6.0]  # ((3-1) + (11-5)) / 2 and ((5-1) + (11-3)) / 2


@given(st.integers(0, 99), st.integers(16, 300))
@settings(max_examples=40, deadline=None)
def test_efficiency_holds_for_each_token_and_each_pair(seed, budget):
    table = rng(seed).normal(size=(256, 3)) * 50
    design = permutation_design(8, budget, rng(seed))
    values = table[design.coalitions @ (1 << np.arange(8))]
    whole = table[-1] - table[0]
    assert np.allclose(pair_samples(design, values).sum(axis=1), whole, rtol=0, atol=1e-11)
    assert np.allclose(
        permutation_estimate(design, values).attribution.sum(axis=0), whole, rtol=0, atol=1e-11
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_all_permutations_give_the_exact_values_and_say_so(n, masks):
    table = rng(n).normal(size=2**n)
    design = permutation_design(n, 2**n, rng())
    found = permutation_estimate(design, table[masks(design.coalitions)])
    assert np.allclose(found.attribution, exact_shapley(table), rtol=0, atol=1e-14)
    assert (found.low, found.high, found.reason) == (
        None,
        None,
        "every permutation was played: the values are exact",
    )


@pytest.mark.parametrize(("min_pairs", "given_pairs"), [(1, 1), (7, 7)])
def test_fewer_than_eight_pairs_give_no_interval_and_say_so(min_pairs, given_pairs):
    design = permutation_design(10, 0, rng(), min_pairs=min_pairs)
    found = permutation_estimate(design, np.zeros(len(design.coalitions)))
    assert found.low is None
    assert found.high is None
    assert found.reason.endswith(
        f"8 independent pairs of permutations, and the budget pays for {given_pairs}"
    )


def test_pairs_let_in_by_a_lucky_overlap_do_not_make_an_interval():
    """A budget of 50 pays for six pairs of six players; the eight that sometimes fit overlap too much."""
    lucky = [permutation_design(6, 50, rng(seed), min_pairs=1) for seed in range(100)]
    lucky = [design for design in lucky if len(design.pairs) >= 8]
    assert {design.independent for design in lucky} == {4}
    assert lucky
    assert all(permutation_estimate(d, np.zeros(len(d.coalitions))).low is None for d in lucky)


def test_a_null_game_gives_zeros_with_intervals_of_zero_width():
    design = permutation_design(8, 128, rng())
    found = permutation_estimate(design, np.full((len(design.coalitions), 2), -7.3))
    assert not any(part.any() for part in found[:3])


def test_a_null_player_gets_exactly_zero(masks, rough_game):
    deaf = rough_game[np.arange(256) & ~4]
    design = permutation_design(8, 128, rng())
    found = permutation_estimate(design, deaf[masks(design.coalitions)])
    assert not any(part[2].any() for part in found[:3])


def test_the_interval_is_student_s_over_pairs(masks, rough_game):
    design = permutation_design(8, 0, rng(), min_pairs=9)
    values = rough_game[masks(design.coalitions)]
    samples = pair_samples(design, values)
    found = permutation_estimate(design, values)
    reach = 2.306004135204166 * samples.std(axis=0, ddof=1) / 3  # t quantile of 8 degrees, nine pairs
    assert np.allclose(found.attribution, samples.mean(axis=0), rtol=0, atol=1e-13)
    assert np.allclose(found.low, samples.mean(axis=0) - reach, rtol=0, atol=1e-12)
    assert np.allclose(found.high, samples.mean(axis=0) + reach, rtol=0, atol=1e-12)


@pytest.mark.parametrize("budget", [114, 128])
def test_the_interval_covers_near_its_nominal_rate_per_token_and_for_their_sum(budget, masks, rough_game):
    exact = exact_shapley(rough_game)
    hits, sum_hits = [], []
    for seed in range(400):
        design = permutation_design(8, budget, rng(seed))
        values = rough_game[masks(design.coalitions)]
        found = permutation_estimate(design, values)
        hits.append((found.low <= exact) & (exact <= found.high))
        found = permutation_estimate(design, values.sum(axis=1))
        sum_hits.append((found.low <= exact.sum(axis=1)) & (exact.sum(axis=1) <= found.high))
    assert 0.92 <= np.mean(hits) <= 0.97
    assert 0.92 <= np.mean(sum_hits) <= 0.97
    assert np.mean(hits, axis=0).min() >= 0.9


def test_the_estimate_is_not_biased(masks, rough_game):
    exact = exact_shapley(rough_game)
    found = []
    for seed in range(400):
        design = permutation_design(8, 30, rng(seed), min_pairs=1)
        found.append(permutation_estimate(design, rough_game[masks(design.coalitions)]).attribution)
    error = np.std(found, axis=0, ddof=1) / np.sqrt(400)
    assert (np.abs(np.mean(found, axis=0) - exact) < 4 * error).all()


def test_blocks_of_tokens_do_not_change_the_result(monkeypatch):
    design = permutation_design(8, 128, rng())
    values = rng().normal(size=(len(design.coalitions), 11))
    whole = permutation_estimate(design, values)
    monkeypatch.setattr(permutation, "BLOCK_ENTRIES", 3 * design.pairs[:, 0].size)
    for part, again in zip(whole[:3], permutation_estimate(design, values)[:3], strict=True):
        assert np.allclose(part, again, rtol=0, atol=1e-14)


def test_a_mapping_gives_the_same_as_an_array(masks, rough_game):
    design = permutation_design(8, 64, rng())
    values = rough_game[masks(design.coalitions)]
    mapping = dict(zip(map(tuple, design.coalitions.tolist()), values.astype(np.float32), strict=True))
    found = permutation_estimate(design, mapping)
    assert (
        found.attribution.tolist()
        == permutation_estimate(design, values.astype(np.float32)).attribution.tolist()
    )


def test_a_coalition_without_value_is_refused():
    design = permutation_design(2, 4, rng())
    with pytest.raises(ValueError, match=r"1 coalitions have no value, the first is \(True, True\)"):
        permutation_estimate(design, {(False, False): 0.0, (True, False): 0.0, (False, True): 0.0})


def test_values_of_another_design_are_refused():
    with pytest.raises(ValueError, match="the design has 4 coalitions, got 3 values"):
        permutation_estimate(permutation_design(2, 4, rng()), [0.0, 1.0, 2.0])
