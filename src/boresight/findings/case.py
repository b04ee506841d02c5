"""Everything that a rule may read about one trace: stored numbers and the passages' texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from boresight.findings.types import Number
from boresight.measure.citation.read import known_claims
from boresight.measure.evidence import RESOLUTION
from boresight.measure.ranks import TIE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from boresight.game.table import ValueTable
    from boresight.measure.citation import CitedClaim
    from boresight.measure.evidence import Evidence
    from boresight.measure.rows import OrderRow
    from boresight.trace import Trace

    Pair = tuple[str, str]

MARGIN = 0.1
"""Nats a token of the target that an answer may lose and still count as kept."""

_ROUNDING = 2.0**-22
"""Four values of one difference of differences, each stored as float32 (half a step is 2^-24)."""


def larger_floor(numeric: float | None, placebo: float | None) -> float:
    """What an attribution must exceed: twice the numeric floor, or the placebo floor where that is larger."""
    return max(2 * (numeric or 0.0), placebo or 0.0)


def kept_margin(numeric: float | None, tokens: int) -> float:
    """Nats that an answer of so many tokens may lose and still count as kept."""
    return max(numeric or 0.0, MARGIN * tokens)


@dataclass(frozen=True, slots=True)
class Case:
    """The numbers of one trace and its answer, all in nats.

    Attributes:
        trace: Trace id.
        players: Passage ids in context order.
        target: Text of the answer.
        tokens: Number of its tokens.
        attribution: Per passage its Shapley share; None where none was computed.
        low: Lower ends of the 95 percent intervals; None where there are none.
        high: Upper ends.
        exact: Whether every coalition was scored, so that attributions carry no sampling error.
        numeric_floor: How far rounding alone moves a value; None where it was not measured.
        placebo_floor: How far a passage of another trace moves one; None where there is none.
        grand: Value with all passages.
        empty: Value with no passage under the same instructions.
        closed_book: Value of the plain question.
        singletons: Per passage its value alone.
        without: Per passage the value of all others.
        pairs: Per pair, in context order, the value of the two alone.
        interactions: Per pair, in context order, the Shapley interaction, of a sampled trace the end of its
            interval that is nearest to 0; None where there is none.
        ranks: Per passage its rank for the retriever, from 0, equal numbers are ties; None where unknown.
        texts: Per passage its title and text.
        relevance: Per labelled passage of the trace its grade; above 0 is relevant.
        least: Smallest stored value, closed book included; None where nothing was scored.
        most: Largest stored value.
        orders: The context in several orders, the recorded one first; none where not scored.
        claims: The sentences of the answer, with what each passage does for them; none where not scored.
    """

    trace: str
    players: tuple[str, ...] = ()
    target: str = ""
    tokens: int = 0
    attribution: Mapping[str, float] | None = None
    low: Mapping[str, float] | None = None
    high: Mapping[str, float] | None = None
    exact: bool = False
    numeric_floor: float | None = None
    placebo_floor: float | None = None
    grand: float | None = None
    empty: float | None = None
    closed_book: float | None = None
    singletons: Mapping[str, float] = field(default_factory=dict)
    without: Mapping[str, float] = field(default_factory=dict)
    pairs: Mapping[Pair, float] = field(default_factory=dict)
    interactions: Mapping[Pair, float] | None = None
    ranks: Mapping[str, float] | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    relevance: Mapping[str, float] = field(default_factory=dict)
    least: float | None = None
    most: float | None = None
    orders: tuple[OrderRow, ...] = ()
    claims: tuple[CitedClaim, ...] = ()

    @property
    def floor(self) -> float:
        """What an effect must exceed: the larger of twice the numeric floor and the placebo floor.

        Never below the rounding of the stored rows, which a generator without noise has too.
        """
        rounding = _ROUNDING * max(abs(self.least or 0.0), abs(self.most or 0.0))
        return max(larger_floor(self.numeric_floor, self.placebo_floor), rounding, RESOLUTION)

    @property
    def margin(self) -> float:
        """What an answer may lose and still count as kept."""
        return kept_margin(self.numeric_floor, self.tokens)

    @property
    def matters(self) -> bool:
        """Whether any two stored values differ by more than the floor."""
        return self.least is not None and self.most is not None and self.most - self.least > self.floor

    def share(self, passage: str) -> Number:
        """The attribution of a passage with its interval.

        Raises:
            KeyError: There is none.
        """
        if self.attribution is None:
            raise KeyError(passage)
        ends = None if self.low is None or self.high is None else (self.low[passage], self.high[passage])
        return Number(self.attribution[passage], *(ends or (None, None)))

    def reach(self, passage: str) -> tuple[float, float]:
        """Where the attribution lies: itself twice when exact, else its interval, all numbers without one."""
        share = self.share(passage)
        if self.exact:
            return share.value, share.value
        if share.low is None or share.high is None:
            return -np.inf, np.inf
        return share.low, share.high

    def helps(self, passage: str) -> bool:
        """Whether the attribution, or its whole interval, is above the floor."""
        return self.reach(passage)[0] > self.floor

    def hurts(self, passage: str) -> bool:
        """Whether the attribution, or its whole interval, is below minus the floor."""
        return self.reach(passage)[1] < -self.floor

    def outranks(self, one: str, other: str) -> bool:
        """Whether the answer surely rests more on one passage than on the other.

        Two passages within the floor are tied, whatever their numbers; so are overlapping intervals.
        """
        sure = any(self.helps(passage) or self.hurts(passage) for passage in (one, other))
        return sure and self.reach(one)[0] > self.reach(other)[1] + TIE

    def pair(self, one: str, other: str) -> Pair:
        """The key of a pair: context order."""
        places = self.players.index
        return (one, other) if places(one) < places(other) else (other, one)

    def both_help(self, one: str, other: str) -> bool:
        """Whether both attributions are on the helping side, and one of them is above the floor.

        Two passages that harm together would otherwise read as twins, two that each suffice to harm as a pair
        in need of each other: an interaction alone has no side.
        """
        helping = min(self.share(one).value, self.share(other).value) > 0
        return helping and (self.helps(one) or self.helps(other))

    def are_twins(self, one: str, other: str) -> bool:
        """Whether either of two helpful passages does what both do; False where the table does not tell."""
        key = self.pair(one, other)
        if one == other or self.interactions is None or self.interactions[key] >= -self.floor:
            return False
        if not self.both_help(one, other):
            return False
        alone = (self.singletons[one], self.singletons[other])
        # Where both together do clearly worse than one of them, they are at odds and not alike.
        at_odds = self.pairs[key] < max(alone) - max(self.margin, self.floor)
        return min(alone) >= self.pairs[key] - self.margin and not at_odds


def case_from(
    evidence: Evidence,
    table: ValueTable | None,
    interactions: NDArray[np.float64] | None,
    trace: Trace,
    *,
    target: str = "",
    low: Mapping[str, float] | None = None,
    high: Mapping[str, float] | None = None,
    placebo_floor: float | None = None,
) -> Case:
    """The case of a trace.

    Args:
        evidence: What measures read about the answer.
        table: Its value table; None where nothing was scored.
        interactions: Shape (n, n), nats of the whole answer, players in context order, of a sampled trace the
            ends of their intervals that are nearest to 0; None where there are none. Pairs whose own
            coalition was not scored are left out.
        trace: The trace, for the texts of its context.
        target: Text of the answer.
        low: Lower ends of the attributions' intervals, by passage id; None where nothing was sampled.
        high: Upper ends.
        placebo_floor: The run's placebo floor, nats; None when there is none.
    """
    values = {} if table is None else _totals(table)
    stored = [*values.values(), *([] if evidence.closed_book is None else [evidence.closed_book])]
    couples = list(combinations(range(len(evidence.players)), 2))
    named = {(i, j): (evidence.players[i], evidence.players[j]) for i, j in couples}
    both = _pair_values(table, values, list(named.values()))
    return Case(
        trace=trace.id,
        players=evidence.players,
        target=target,
        tokens=0 if table is None else _tokens(table),
        attribution=evidence.attribution,
        low=low,
        high=high,
        exact=evidence.method == "exact",
        numeric_floor=evidence.floor,
        placebo_floor=placebo_floor,
        grand=evidence.grand,
        empty=evidence.empty,
        closed_book=evidence.closed_book,
        singletons=evidence.singletons,
        without=evidence.without,
        pairs=both,
        interactions=None if interactions is None else {
            pair: float(interactions[i, j]) for (i, j), pair in named.items() if pair in both
        },
        ranks=evidence.retriever.ranks,
        relevance=trace.relevance,
        texts={passage.id: f"{passage.title or ''}\n{passage.text}" for passage in trace.context_passages},
        least=min(stored, default=None),
        most=max(stored, default=None),
        orders=evidence.extra.orders,
        claims=known_claims(evidence),
    )  # fmt: skip


def _totals(table: ValueTable) -> dict[str, float]:
    """Value of each stored coalition, nats of the whole target."""
    return {coalition: float(np.sum(row, dtype=np.float64)) for coalition, row in table.rows.items()}


def _tokens(table: ValueTable) -> int:
    return len(next(iter(table.rows.values()), ()))


def _pair_values(
    table: ValueTable | None, values: Mapping[str, float], pairs: list[Pair]
) -> dict[Pair, float]:
    if table is None:
        return {}
    named = {pair: values.get(table.coalition(pair)) for pair in pairs}
    return {pair: value for pair, value in named.items() if value is not None}
