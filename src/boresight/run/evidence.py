"""From stored rows to attributions and evidence: no model is called here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from boresight.errors import SpecError
from boresight.explain.shapley import ESTIMATORS, PairDesign, exact_shapley
from boresight.explain.shapley import efficiency_gap as shapley_gap
from boresight.explain.shapley.interactions import pairwise_interactions
from boresight.explain.shapley.sampled_interactions import (
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    sampled_interactions,
)
from boresight.game.coalitions import all_but_one, coalition_of, from_masks, singletons
from boresight.game.floor import numeric_floor
from boresight.game.table import ValueTable
from boresight.measure.evidence import Evidence, RetrieverView
from boresight.run.design import COALITIONS, CONTEXTCITE, EXACT, NONE, design_for
from boresight.run.plan import CLOSED, FLOOR, PASSAGES, TracePlan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from boresight.game.scales import Scale
    from boresight.run.spec import RunSpec
    from boresight.store.values import ValueRow

    Rows = NDArray[np.float32]


LOGPROB, GENERATED, SIMILARITY = "logprob", "generated_logprobs", "regenerate"
"""Kinds of values: exact; bounds outside an endpoint's list; similarity of answers generated again."""


def check_value_kind(spec: RunSpec, value_kind: str) -> None:
    """Refuse settings that read log-probabilities where the values are similarities.

    Raises:
        SpecError: Names the setting.
    """
    if value_kind != SIMILARITY:
        return
    for name, wanted in (("scale", spec.scale != "nats"), ("method", spec.method == CONTEXTCITE)):
        if wanted:
            raise SpecError(
                f"--{name} {getattr(spec, name)} needs log-probabilities and this endpoint gives "
                "similarities; leave it out"
            )


@dataclass(frozen=True, slots=True)
class Attribution:
    """Attributions of one target on one scale.

    Attributes:
        method: How they were computed.
        total: Per passage, the attribution of the whole target.
        low: Per passage, lower end of the 95 percent interval; None where nothing was sampled.
        high: Upper end.
        tokens: Shape (n, T), per passage in context order and target token.
        token_low: Shape (n, T) or None.
        token_high: Shape (n, T) or None.
    """

    method: str
    total: Mapping[str, float]
    low: Mapping[str, float] | None
    high: Mapping[str, float] | None
    tokens: NDArray[np.float64]
    token_low: NDArray[np.float64] | None
    token_high: NDArray[np.float64] | None


def efficiency_gap(table: ValueTable, attribution: Attribution, scale: Scale) -> float:
    """Largest |sum of the passages' attributions - (v(N) - v(empty))| over the target's tokens."""
    grand, empty = coalition_of(range(table.n), table.n), coalition_of([], table.n)
    return shapley_gap(table.take([empty, grand], scale), attribution.tokens)


@dataclass(frozen=True, slots=True)
class StoredRows:
    """The rows of one trace and target, sorted by what they are.

    Attributes:
        table: Values of the context game, with the closed-book row if there is one.
        together: Coalition and row of each padded scoring.
    """

    table: ValueTable
    together: tuple[tuple[str, Rows], ...]

    def restricted(self, tokens: Sequence[int], target: str) -> StoredRows:
        """The same rows with only some target tokens, for a span."""
        chosen = list(tokens)
        closed = self.table.closed_book
        rows = {coalition: row[chosen] for coalition, row in self.table.rows.items()}
        table = ValueTable(self.table.players, target, rows, None if closed is None else closed[chosen])
        return StoredRows(table, tuple((coalition, row[chosen]) for coalition, row in self.together))

    def floor(self, scale: Scale, *, measured: bool) -> float | None:
        """The numeric floor; None where it applies and was not measured, 0 where there is no rounding."""
        if not self.together:
            return None if measured else 0.0
        return numeric_floor(self.table.rows, self.together, scale)


def sort_rows(rows: Sequence[ValueRow], players: tuple[str, ...], target: str) -> StoredRows:
    """Sort the stored rows of one target."""
    own = [row for row in rows if row.target == target]
    closed = next((row.logprobs for row in own if row.game == CLOSED), None)
    values = {row.coalition: row.logprobs for row in own if row.game == PASSAGES}
    together = tuple((row.coalition, row.logprobs) for row in own if row.game == FLOOR)
    return StoredRows(ValueTable(players, target, values, closed), together)


def attribute_rows(table: ValueTable, plan: TracePlan, spec: RunSpec, scale: Scale) -> Attribution | None:
    """Attributions by the planned method; None where the plan computes none."""
    if plan.method == NONE:
        return None
    return attribute_table(table, plan.method, spec, plan.trace, scale)


def attribute_table(
    table: ValueTable, method: str, spec: RunSpec, trace: str, scale: Scale, *, purpose: str = COALITIONS
) -> Attribution:
    """Attributions of all players of a table.

    Args:
        table: Values by coalition.
        method: ``exact``, or how the coalitions were sampled.
        spec: The run's settings.
        trace: Trace id, which seeds the design.
        scale: Value scale.
        purpose: What the design is for, which seeds it too.
    """
    if method == EXACT:
        tokens = exact_shapley(table.lattice(scale))
        return Attribution(EXACT, _by_id(table, tokens.sum(axis=1)), None, None, tokens, None, None)
    estimator, design = ESTIMATORS[method], design_for(spec, trace, method, table.n, purpose)
    values = table.take(from_masks(design.coalitions), scale)
    each = estimator.estimate(design, values)
    whole = estimator.estimate(design, values.sum(axis=1))
    return Attribution(
        method,
        _by_id(table, each.attribution.sum(axis=1)),
        None if whole.low is None else _by_id(table, whole.low),
        None if whole.high is None else _by_id(table, whole.high),
        each.attribution, each.low, each.high,
    )  # fmt: skip


def restricted(found: Attribution, tokens: Sequence[int], alone: Attribution) -> Attribution:
    """The attribution of some target tokens: the sum of theirs, so that a span is the sum of its tokens.

    Args:
        found: Attributions of the whole target.
        tokens: Places of the tokens.
        alone: Attributions computed from these tokens only, whose intervals are as wide.
    """
    chosen = list(tokens)
    total = {
        passage: float(row.sum()) for passage, row in zip(found.total, found.tokens[:, chosen], strict=True)
    }
    shift = {passage: value - alone.total[passage] for passage, value in total.items()}
    low, high = (
        None if ends is None else {passage: ends[passage] + shift[passage] for passage in total}
        for ends in (alone.low, alone.high)
    )
    token_low, token_high = (
        None if ends is None else ends[:, chosen] for ends in (found.token_low, found.token_high)
    )
    return Attribution(found.method, total, low, high, found.tokens[:, chosen], token_low, token_high)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Shapley interactions of all pairs of passages, nats of the whole target.

    Attributes:
        interaction: Shape (n, n), players in context order.
        low: Lower ends of the 95 percent intervals, same shape; None without an interval.
        high: Upper ends.
        exact: Whether every coalition was scored.
    """

    interaction: NDArray[np.float64]
    low: NDArray[np.float64] | None
    high: NDArray[np.float64] | None
    exact: bool

    @property
    def nearest_to_zero(self) -> NDArray[np.float64] | None:
        """What is sure: the values where exact, else the ends nearest to 0, 0 where the interval holds it."""
        if self.exact:
            return self.interaction
        if self.low is None or self.high is None:
            return None
        return np.maximum(self.low, 0.0) + np.minimum(self.high, 0.0)


def interactions_of(table: ValueTable, plan: TracePlan, spec: RunSpec) -> Pairs | None:
    """Interactions of all pairs, from values that are stored anyway; None where the method gives none."""
    if plan.method == EXACT:
        return Pairs(pairwise_interactions(table.lattice().sum(axis=1)), None, None, exact=True)
    if plan.method == NONE or not FEWEST_PLAYERS <= table.n <= MOST_PLAYERS:
        return None
    design = design_for(spec, plan.trace, plan.method, table.n)
    if not isinstance(design, PairDesign):
        return None
    found = sampled_interactions(design, table.take(from_masks(design.coalitions), "nats").sum(axis=1))
    return Pairs(found.interaction, found.low, found.high, exact=design.complete)


def attribute_scales(
    table: ValueTable, plan: TracePlan, spec: RunSpec, value_kind: str = LOGPROB
) -> dict[Scale, Attribution | None]:
    """Attributions on each scale that something reads, computed once: nats, probability, the run's own.

    Similarities of regenerated answers stand in the place of nats and have no probability. ContextCite's
    slopes are those of log-odds, whatever the scale, so it has none either.
    """
    scales: list[Scale] = ["nats", "probability", spec.scale]
    if plan.method == CONTEXTCITE:
        return dict.fromkeys(scales, attribute_rows(table, plan, spec, "nats")) | {"probability": None}
    found = {scale: attribute_rows(table, plan, spec, scale) for scale in dict.fromkeys(scales)}
    return found | {"probability": None} if value_kind == SIMILARITY else found


def build_evidence(
    stored: StoredRows,
    plan: TracePlan,
    retriever: RetrieverView,
    attributions: Mapping[Scale, Attribution | None],
    *,
    has_floor: bool,
) -> Evidence:
    """Everything that the measures of one trace and target may read."""
    table = stored.table
    nats, prob = attributions["nats"], attributions["probability"]
    n = table.n
    return Evidence(
        trace=plan.trace,
        target=table.target,
        players=table.players,
        attribution=None if nats is None else nats.total,
        attribution_prob=None if prob is None else prob.total,
        floor=stored.floor("nats", measured=has_floor),
        floor_prob=None if prob is None else stored.floor("probability", measured=has_floor),
        method=plan.method,
        grand=_total(table, coalition_of(range(n), n)),
        empty=_total(table, coalition_of([], n)),
        closed_book=None if table.closed_book is None else float(np.sum(table.closed_book, dtype=np.float64)),
        singletons=_totals(table, singletons(n)),
        without=_totals(table, all_but_one(n)),
        retriever=retriever,
        table=table,
    )


def _by_id(table: ValueTable, values: NDArray[np.float64]) -> dict[str, float]:
    return {passage: float(values[place]) for place, passage in enumerate(table.players)}


def _total(table: ValueTable, coalition: str) -> float | None:
    row = table.rows.get(coalition)
    return None if row is None else float(np.sum(row, dtype=np.float64))


def _totals(table: ValueTable, coalitions: Sequence[str]) -> dict[str, float]:
    """Value of the i-th coalition under the i-th passage's id, where it was scored."""
    named = {passage: _total(table, coalitions[place]) for place, passage in enumerate(table.players)}
    return {passage: value for passage, value in named.items() if value is not None}
