"""A floor measured as the tool does holds off noise; what stands above it depends on size and certainty."""

import numpy as np
import pytest

from boresight.findings import Case, diagnose
from boresight.game.coalitions import all_coalitions
from boresight.game.floor import floor_pairs, numeric_floor

SEEDS = 1000
SIGMA = 0.05


def noisy_findings(make_case, n, seed):
    """A constant game with normal noise on each evaluation, floor from scoring some of them again."""
    rng = np.random.default_rng(seed)
    names = [*all_coalitions(n), "closed book"]
    alone = dict(zip(names, rng.normal(-5, SIGMA, len(names)), strict=True))
    pairs = floor_pairs(n, rng)
    scored = [name for pair in pairs for name in (pair.coalition, pair.companion)]
    again = [(name, np.array([rng.normal(-5, SIGMA)], np.float32)) for name in scored]
    floor = numeric_floor(
        {name: np.array([value], np.float32) for name, value in alone.items()}, again, "nats"
    )
    values = [alone[name] for name in names[:-1]]
    return diagnose(make_case(values, closed_book=alone["closed book"], floor=floor))


@pytest.mark.parametrize("n", [4, 5])
def test_noise_alone_has_a_passage_finding_in_at_most_five_percent(make_case, n):
    found = [noisy_findings(make_case, n, seed) for seed in range(SEEDS)]
    with_passage = sum(any(finding.passages for finding in one) for one in found)
    assert with_passage <= 0.05 * SEEDS


@pytest.mark.parametrize(
    ("share", "low", "high", "numeric", "placebo", "helps", "hurts"),
    [
        (0.5, 0.49, 0.51, 0.025, None, True, False),  # strong and precise
        (0.0, -0.3, 0.3, 0.025, None, False, False),  # weak and wide
        (0.5, 0.04, 0.96, 0.025, None, False, False),  # strong, but the interval meets the floor
        (0.04, 0.039, 0.041, 0.025, None, False, False),  # precise, but below the floor
        (0.5, 0.49, 0.51, 0.025, 0.6, False, False),  # above rounding, below what any text does
        (-0.5, -0.51, -0.49, 0.025, 0.1, False, True),
        (-0.5, -1.2, 0.2, 0.025, None, False, False),
        (0.051, 0.0505, 0.0515, 0.025, 0.05, True, False),
        (0.5, None, None, 0.025, None, False, False),  # sampled too thinly for an interval
    ],
)
def test_an_effect_counts_when_its_whole_interval_is_beyond_the_larger_floor(
    *, share, low, high, numeric, placebo, helps, hurts
):
    case = Case(
        "t", ("a",), attribution={"a": share}, low=None if low is None else {"a": low},
        high=None if high is None else {"a": high}, numeric_floor=numeric, placebo_floor=placebo,
    )  # fmt: skip
    assert (case.helps("a"), case.hurts("a")) == (helps, hurts)


def test_an_exact_effect_counts_by_its_value_alone():
    case = Case("t", ("a", "b"), attribution={"a": 0.051, "b": 0.05}, exact=True, numeric_floor=0.025)
    assert [case.helps("a"), case.helps("b")] == [True, False]


def test_passages_within_the_floor_are_tied_and_overlapping_intervals_do_not_rank():
    case = Case(
        "t", ("a", "b", "c", "d"), attribution={"a": 1.0, "b": 0.9, "c": 0.3, "d": 0.01},
        low={"a": 0.8, "b": 0.7, "c": 0.2, "d": 0.009}, high={"a": 1.2, "b": 1.1, "c": 0.4, "d": 0.011},
        numeric_floor=0.1,
    )  # fmt: skip
    order = [(one, other) for one in "abcd" for other in "abcd" if case.outranks(one, other)]
    assert order == [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]


def test_a_sampled_rank_is_certain_before_retrieval_is_called_wasted():
    shares = {"a": 0.0, "b": 1.0, "c": 1.0, "d": 2.0}
    common = {
        "trace": "t", "players": tuple("abcd"), "attribution": shares, "numeric_floor": 0.05,
        "ranks": {"a": 0, "b": 1, "c": 2, "d": 3}, "least": -9.0, "most": -1.0,
    }  # fmt: skip
    sure = Case(
        **common, low={x: y - 0.1 for x, y in shares.items()}, high={x: y + 0.1 for x, y in shares.items()}
    )
    wide = Case(
        **common, low={x: y - 0.6 for x, y in shares.items()}, high={x: y + 0.6 for x, y in shares.items()}
    )
    assert [f.kind for f in diagnose(sure)] == ["noise_distraction", "wasted_retrieval"]
    assert diagnose(wide) == []


def test_tied_retriever_ranks_count_only_when_every_order_says_so(make_case, lattice_of):
    weights = {"a": 0.5, "b": 1.0, "c": 2.0, "d": 3.0}
    game = lattice_of(4, lambda s: sum(weights[x] for x in s) - 9)
    tied_first = {"a": 0.0, "d": 0.0, "b": 2.0, "c": 3.0}
    assert diagnose(make_case(game, ranks=tied_first, closed_book=-9.0, floor=0.02)) == []
    tied_last = {"a": 0.0, "b": 1.0, "c": 2.0, "d": 2.0}
    assert [f.kind for f in diagnose(make_case(game, ranks=tied_last, closed_book=-9.0))] == [
        "wasted_retrieval"
    ]
