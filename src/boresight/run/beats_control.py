"""Do the attributions of a run tell more about the answers than a random order of the passages does?

Per trace the attributions' ranking is compared with the exact expectation of random removal: on the
normalised deletion curve where most traces have all their values, else by what the answer loses without the
top passage. A run that does not beat the control says so in the first line of its report.

The values are those that the attributions were made from. So this asks whether one number a passage sums them
up, not whether they are more than noise: that is what the floors are for.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from boresight.findings.words import counted, interval, number
from boresight.measure.ranks import TIE
from boresight.measure.registry import parse
from boresight.run.slices import SMALLEST
from boresight.stats.bootstrap import mean_interval
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from boresight.measure.evidence import Evidence

CURVE, DROP = "naopc_deletion", "top_drop@1"
_WORDS = {
    CURVE: "on the normalised deletion curve they reach",
    DROP: "without the top passage the answers lose, in nats,",
}


class Pair(NamedTuple):
    """One trace: what the attributions reach, and what random removal does."""

    ours: float
    random: float


@dataclass(slots=True)
class ControlTotals:
    """Collects the comparison of each trace.

    Attributes:
        pairs: By name of the basis, one pair a trace that has both numbers.
    """

    pairs: dict[str, list[Pair]] = field(default_factory=lambda: {CURVE: [], DROP: []})

    def add(self, evidence: Evidence) -> None:
        """Compare one trace, if its stored rows allow."""
        for name, pairs in self.pairs.items():
            found = parse(name).compute(evidence)
            if found.value is not None and found.chance is not None:
                pairs.append(Pair(found.value, found.chance))

    def summary(self, seed: int) -> dict[str, Any]:
        """The entry ``beats_control`` of the summary.

        Args:
            seed: Seed of the run's bootstrap.

        Returns:
            ``state``; ``beats`` (whether the interval of the paired difference lies above 0), ``basis``,
            ``traces`` and how many of them are ``better``, ``equal`` and ``worse`` than random, the means
            ``attributions`` and ``random``, ``difference`` with ``low`` and ``high``, the ``sentence`` for
            the first line of a report where they do not beat it; ``reason`` where it is undefined.
        """
        basis = self._basis()
        pairs = self.pairs[basis]
        if len(pairs) < SMALLEST:
            reason = f"only {counted(len(pairs), 'trace')} of the {SMALLEST} that a comparison needs"
            return {"state": "undefined", "beats": None, "traces": len(pairs), "reason": reason}
        differences = [pair.ours - pair.random for pair in pairs]
        mean = mean_interval(differences, rng_for(seed, "beats control", basis))
        found = {
            "state": "defined",
            "beats": mean.low is not None and mean.low > 0,
            "basis": basis,
            "traces": len(pairs),
            "better": sum(difference > TIE for difference in differences),
            "equal": sum(abs(difference) <= TIE for difference in differences),
            "worse": sum(difference < -TIE for difference in differences),
            "attributions": sum(pair.ours for pair in pairs) / len(pairs),
            "random": sum(pair.random for pair in pairs) / len(pairs),
            "difference": mean.value,
            "low": mean.low,
            "high": mean.high,
            "reason": None,
        }
        return found | {"sentence": None if found["beats"] else _sentence(found)}

    def _basis(self) -> str:
        """The curve, where at least half of the traces with a drop have it."""
        return CURVE if 2 * len(self.pairs[CURVE]) >= len(self.pairs[DROP]) else DROP


def _sentence(found: dict[str, Any]) -> str:
    return (
        f"The attributions of this run do not beat random removal, so read no ranking from them: "
        f"{_WORDS[found['basis']]} {number(found['attributions'])} against {number(found['random'])} "
        f"at random ({counted(found['traces'], 'trace')}, difference {number(found['difference'])}, "
        f"{interval(found['low'], found['high'])})."
    )
