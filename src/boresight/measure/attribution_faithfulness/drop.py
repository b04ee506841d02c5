"""Top-k log-probability drop: what the answer loses without the k passages it is said to rest on most.

Source: B. Cohen-Wang et al., *ContextCite*, arXiv 2409.00729, section 4.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from boresight.measure.attribution_faithfulness.lattice import NOT_SCORED, tie_groups
from boresight.measure.evidence import AbsentError
from boresight.measure.pairing import too_few
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.measure.evidence import Evidence


def top_drop(seen: Evidence, k: float) -> Measure:
    """v(N) - v(N without the top k), nats, with the mean over all sets of k passages as chance.

    Passages tied at the edge of the top give the mean over which of them go. Works on sampled traces as far
    as these prompts were scored; the chance is there only where all sets of k were.

    Args:
        seen: The stored numbers of a trace.
        k: Number of passages, at least 1.

    Returns:
        A drop; undefined where k passages are all there are, or a prompt without the top k was not scored.

    Raises:
        AbsentError: Attributions or values are missing.
    """
    count, players = int(k), seen.players
    reason = too_few(len(players), count + 1)
    if reason:
        return Measure.undefined(reason)
    if seen.table is None or not seen.table.rows:
        raise AbsentError(NOT_SCORED)
    bits = {passage: 1 << place for place, passage in enumerate(players)}
    sure, edge, left = _top(tie_groups(seen.resolved()), count)
    whole, totals = sum(bits.values()), seen.table.totals
    kept = whole - sum(bits[passage] for passage in sure)
    without = _mean_without(totals, kept, [bits[passage] for passage in edge], left)
    if without is None:
        return Measure.undefined(f"the prompt without the top {count} was not scored: the trace was sampled")
    random = _mean_without(totals, whole, list(bits.values()), count)
    grand = seen.row("grand")
    return Measure.defined(grand - without, chance=None if random is None else grand - random)


def _top(groups: Sequence[Sequence[str]], count: int) -> tuple[list[str], Sequence[str], int]:
    """Passages surely among the first ``count``, those tied at the edge, and how many of these are in."""
    sure: list[str] = []
    for group in groups:
        if len(sure) + len(group) > count:
            return sure, group, count - len(sure)
        sure += group
    return sure, (), 0


def _mean_without(totals: Mapping[int, float], kept: int, loose: Sequence[int], count: int) -> float | None:
    """Mean value of ``kept`` without each set of ``count`` of the loose; None where one was not scored."""
    total, sets = 0.0, 0
    for gone in combinations(loose, count):
        value = totals.get(kept - sum(gone))
        if value is None:
            return None
        total, sets = total + value, sets + 1
    return total / sets
