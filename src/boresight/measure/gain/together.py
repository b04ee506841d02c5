"""Where passages alone and passages together disagree.

Measures that score one passage at a time give twins their worth twice, and give nothing to two passages that
only help together. The published gains (GainRAG, DIG, SePer, eRAG) all do; these numbers say how much.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Mapping

Standing = Literal["redundant", "synergistic", "agreed"]

NOT_ALL_ALONE = "not every passage was scored alone"


def redundancy(
    singletons: Mapping[str, float], grand: float, empty: float, players: tuple[str, ...]
) -> Measure:
    """``sum_i (v({i}) - v(empty)) - (v(N) - v(empty))``, nats.

    Args:
        singletons: v({i}) by passage, nats.
        grand: v(N).
        empty: v(empty).
        players: The passages.

    Returns:
        Above 0: the passages repeat each other. Below 0: together they do more than each alone (synergy).
        Undefined where a passage was not scored alone.
    """
    if not players or any(passage not in singletons for passage in players):
        return Measure.undefined(NOT_ALL_ALONE)
    alone = math.fsum(singletons[passage] - empty for passage in players)
    return Measure.defined(alone - (grand - empty))


def standings(
    singletons: Mapping[str, float], without: Mapping[str, float], grand: float, empty: float, bar: float
) -> dict[str, Standing]:
    """For each passage whether its worth alone and its worth among the others disagree.

    Args:
        singletons: v({i}) by passage, nats.
        without: v(N minus i) by passage, nats.
        grand: v(N).
        empty: v(empty).
        bar: What a worth must exceed to count, nats; the larger floor.

    Returns:
        By passage that has both rows: ``redundant`` where it helps alone and nothing is lost without it,
        ``synergistic`` where it does nothing alone and something is lost without it, else ``agreed``.
    """
    found: dict[str, Standing] = {}
    for passage in singletons.keys() & without.keys():
        alone, among = singletons[passage] - empty > bar, grand - without[passage] > bar
        found[passage] = "agreed" if alone == among else "redundant" if alone else "synergistic"
    return {passage: found[passage] for passage in singletons if passage in found}
