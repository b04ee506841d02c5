"""Linear datamodelling score: does the sum of the present passages' attributions order the answer's values?

Under a linear game it is 1. A pair of twins or of passages that only work together lowers it whatever the
attributions, since no sum can tell an OR from an AND; that is the score's limit and not a fault of theirs.

Sources: S. Park et al., *TRAK* (2023), for the score; B. Cohen-Wang et al., arXiv 2409.00729, section 4, for
coalitions in which each source stays with probability one half.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from boresight.measure.attribution_faithfulness.lattice import lattice_of
from boresight.measure.evidence import noise_bar
from boresight.measure.pairing import too_few
from boresight.measure.ranks import TIE
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from boresight.measure.attribution_faithfulness.lattice import Lattice
    from boresight.measure.evidence import Evidence

    Ints = NDArray[np.int64]

FEWEST = 4
"""A rank correlation of fewer coalitions says nothing."""


def score_of_trace(seen: Evidence) -> Measure:
    """The score over every coalition of a trace: what the published sample of fresh coalitions estimates.

    Raises:
        AbsentError: Attributions are missing, or the trace was sampled. Its stored coalitions are then those
            that the attributions were fitted to, and none is fresh.
    """
    reason = too_few(len(seen.players))
    if reason:
        return Measure.undefined(reason)
    lattice = lattice_of(seen)
    if np.ptp(lattice.values) <= noise_bar(seen.floor):
        return Measure.undefined("no set of passages changes the answer beyond noise")
    return linear_datamodelling_score(seen.resolved(), lattice, np.arange(len(lattice.values)))


def linear_datamodelling_score(attribution: Mapping[str, float], lattice: Lattice, masks: Ints) -> Measure:
    """Spearman correlation of predicted and true values over some coalitions.

    Args:
        attribution: Of each passage, nats.
        lattice: The true values.
        masks: Bit masks of the coalitions, as :func:`fresh_coalitions` draws them.

    Returns:
        Between -1 and 1, chance 0; undefined for fewer than four coalitions, or where one side is constant.
    """
    if len(masks) < FEWEST:
        return Measure.undefined(f"there are only {len(masks)} fresh coalitions, {FEWEST} are needed")
    weights = np.array([attribution[passage] for passage in lattice.players])
    present = (masks[:, None] >> np.arange(len(weights))) & 1
    predicted, true = _steps(present @ weights), _steps(lattice.values[masks])
    if not np.ptp(predicted):
        return Measure.undefined("the attributions predict the same value for every coalition")
    if not np.ptp(true):
        return Measure.undefined("no coalition changes the answer")
    from scipy.stats import rankdata  # half a second to import

    value = float(np.corrcoef(rankdata(predicted), rankdata(true))[0, 1])
    return Measure.defined(min(max(value, -1.0), 1.0), chance=0.0)


def fresh_coalitions(n: int, used: Collection[int], count: int, rng: np.random.Generator) -> Ints:
    """Seeded coalitions that an estimator has not seen, each passage present with probability one half.

    Args:
        n: Number of passages, few enough to list all coalitions.
        used: Bit masks of the estimator's design.
        count: How many; all unused ones where there are no more.
        rng: Source of the draws.

    Returns:
        Bit masks without repetition, rising.
    """
    unused = np.setdiff1d(np.arange(1 << n, dtype=np.int64), np.array(sorted(used), dtype=np.int64))
    drawn: Ints = np.sort(rng.permutation(unused)[:count])
    return drawn


def _steps(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values as multiples of the resolution of stored rows, so that rounding makes no ranks."""
    steps: NDArray[np.float64] = np.round(values / TIE)
    return steps
