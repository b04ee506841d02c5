"""AOPC: the area over a curve of removal, plain and between the limits that a trace allows.

    AOPC = 1/n * sum over k = 1..n of [v(N) - v(N without the top k)]
    normalised = (AOPC - AOPC_min) / (AOPC_max - AOPC_min), both over all n! orders

Plain AOPC tells how much the answer depends on passages at all; only the normalised one compares rankings
over traces and models. Beside each stands what random removal gives, which is exact here: the mean over the
sets of each size. Insertion is the same for passages that join an empty prompt, top first.

Sources: W. Samek et al. (2017) for AOPC; J. Edin et al., arXiv 2408.08137 (ACL 2025) for the limits;
V. Petsiuk et al., *RISE* (2018) for insertion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.measure.attribution_faithfulness.lattice import lattice_of, tie_groups
from boresight.measure.attribution_faithfulness.paths import extreme_sums
from boresight.measure.evidence import noise_bar
from boresight.measure.pairing import too_few
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Callable

    from boresight.measure.attribution_faithfulness.lattice import Groups, Lattice
    from boresight.measure.evidence import Evidence

NO_SPREAD = "every order of removal does the same to the answer, up to noise"


@dataclass(frozen=True, slots=True)
class Spread:
    """The area of a ranking among those of all rankings, nats.

    Attributes:
        area: Of the ranking; the expectation over random order where passages are tied.
        random: The expectation over a random order of all passages.
        least: Of the worst order.
        most: Of the best order.
    """

    area: float
    random: float
    least: float
    most: float

    def share(self, area: float) -> float:
        """Where an area lies between the limits, 0 to 1."""
        return min(max((area - self.least) / (self.most - self.least), 0.0), 1.0)


def deletion(lattice: Lattice, groups: Groups) -> Spread:
    """Areas over the curves of removal: what the answer loses, averaged over the number of passages gone.

    Args:
        lattice: All values of a trace of at least one passage.
        groups: Its passages, the first to go first; members of one group are tied.
    """
    n = len(lattice.players)
    least, most = extreme_sums(lattice.values[::-1])
    ranked, random = lattice.going(groups), lattice.going([lattice.players])
    return Spread(
        lattice.grand - float(ranked[1:].mean()),
        lattice.grand - float(random[1:].mean()),
        lattice.grand - most / n,
        lattice.grand - least / n,
    )


def insertion(lattice: Lattice, groups: Groups) -> Spread:
    """Areas under the curves of joining passages, above the empty prompt, as in :func:`deletion`."""
    n = len(lattice.players)
    least, most = extreme_sums(lattice.values)
    ranked, random = lattice.joining(groups), lattice.joining([lattice.players])
    return Spread(
        float(ranked[1:].mean()) - lattice.empty,
        float(random[1:].mean()) - lattice.empty,
        least / n - lattice.empty,
        most / n - lattice.empty,
    )


def aopc(seen: Evidence, area: Callable[[Lattice, Groups], Spread]) -> Measure:
    """The area of the attributions' ranking, nats, with that of random removal as chance.

    Args:
        seen: The stored numbers of a trace.
        area: :func:`deletion` or :func:`insertion`.

    Raises:
        AbsentError: Attributions or values are missing.
    """
    reason = too_few(len(seen.players))
    if reason:
        return Measure.undefined(reason)
    found = area(lattice_of(seen), tie_groups(seen.resolved()))
    return Measure.defined(found.area, chance=found.random, minimum=found.least)


def normalised_aopc(seen: Evidence, area: Callable[[Lattice, Groups], Spread]) -> Measure:
    """The same between the limits of all orders: 0 the worst, 1 the best; undefined where they are one.

    Args:
        seen: The stored numbers of a trace.
        area: :func:`deletion` or :func:`insertion`.

    Raises:
        AbsentError: Attributions or values are missing.
    """
    reason = too_few(len(seen.players))
    if reason:
        return Measure.undefined(reason)
    found = area(lattice_of(seen), tie_groups(seen.resolved()))
    if found.most - found.least <= noise_bar(seen.floor):
        return Measure.undefined(NO_SPREAD)
    return Measure.defined(found.share(found.area), chance=found.share(found.random))
