"""A floor measured as the tool does holds off noise; what stands above it depends on size and certainty."""

from collections import Counter

import numpy as np
import pytest

from boresight.findings import diagnose
from boresight.game.coalitions import all_coalitions
from boresight.game.floor import CLOSED_BOOK, floor_pairs, numeric_floor

SEEDS = 1000
SIGMA = 0.05


def noisy_findings(make_case, n, seed):
    """A constant game with normal noise on each evaluation, floor from scoring some of them again."""
    rng = np.random.default_rng(seed)
    names = [*all_coalitions(n), CLOSED_BOOK]
    alone = dict(zip(names, rng.normal(-5, SIGMA, len(names)), strict=True))
    pairs = floor_pairs(n, rng, closed_book=True)
    again = [(pair.coalition, np.array([rng.normal(-5, SIGMA)], np.float32)) for pair in pairs]
    floor = numeric_floor({name: np.array([value], np.float32) for name, value in alone.items()}, again, "nats")
    values = [alone[name] for name in names[:-1]]
    return diagnose(make_case(values, closed_book=alone[CLOSED_BOOK], floor=floor))


@pytest.mark.parametrize("n", [4, 5])
def test_noise_alone_has_a_passage_finding_in_at_most_five_percent(make_case, n):
    found = [noisy_findings(make_case, n, seed) for seed in range(SEEDS)]
    with_passage = sum(any(finding.passages for finding in one) for one in found)
    print(n, with_passage, Counter(f.kind for one in found for f in one))
    assert with_passage <= 0.05 * SEEDS
