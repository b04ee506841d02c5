"""All values of one game, and the curves of passages that join or go one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boresight.measure.evidence import AbsentError
from boresight.measure.ranks import places_by_attribution

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.measure.evidence import Evidence

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Groups = Sequence[Sequence[str]]

NOT_SCORED = "no value of the prompts with some of the passages is stored"
SAMPLED = "the trace was sampled, and this reads the prompt with every set of passages"


@dataclass(frozen=True, eq=False)
class Lattice:
    """Values of the whole target by coalition.

    Attributes:
        players: The n passage ids.
        values: Nats, shape (2^n,); the index is the bit mask, bit i for passage i.
    """

    players: tuple[str, ...]
    values: Floats

    @property
    def grand(self) -> float:
        """The value with all passages."""
        return float(self.values[-1])

    @property
    def empty(self) -> float:
        """The value with none."""
        return float(self.values[0])

    def joining(self, groups: Groups) -> Floats:
        """The insertion curve: the value with the first k passages of a ranking.

        Args:
            groups: All passages, the first to join first; members of one group are tied.

        Returns:
            Nats, shape (n + 1,), k from 0 to n. Inside a group it is the expectation over a random order of
            its members: the mean over the subsets of one size.
        """
        places = {passage: place for place, passage in enumerate(self.players)}
        curve, before = [self.values[:1]], 0
        for group in groups:
            subsets, sizes = _subsets([places[passage] for passage in group])
            sums = np.bincount(sizes, self.values[before | subsets])
            curve.append((sums / np.bincount(sizes))[1:])
            before |= int(subsets[-1])
        return np.concatenate(curve)

    def going(self, groups: Groups) -> Floats:
        """The deletion curve: the value without the first k passages of a ranking, as in :meth:`joining`."""
        return Lattice(self.players, self.values[::-1]).joining(groups)


def lattice_of(seen: Evidence) -> Lattice:
    """All values of a trace.

    Raises:
        AbsentError: Not every coalition is stored.
    """
    if seen.table is None or not seen.table.rows:
        raise AbsentError(NOT_SCORED)
    if not seen.table.complete:
        raise AbsentError(SAMPLED)
    totals = seen.table.totals
    return Lattice(seen.players, np.array([totals[mask] for mask in range(len(totals))]))


def tie_groups(attribution: Mapping[str, float]) -> list[list[str]]:
    """Passages by falling attribution; those within the resolution of stored rows are one group."""
    groups: dict[int, list[str]] = {}
    for passage, place in places_by_attribution(attribution).items():
        groups.setdefault(place.first, []).append(passage)
    return [groups[first] for first in sorted(groups)]


def _subsets(places: Iterable[int]) -> tuple[Ints, Ints]:
    """Masks of all subsets of some places, and their sizes; the last one is the whole set."""
    masks, sizes = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for place in places:
        masks, sizes = np.concatenate([masks, masks | 1 << place]), np.concatenate([sizes, sizes + 1])
    return masks, sizes
