"""The placebo floor of a run: which traces get a guest, what it costs, and how far guests move an answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from boresight.errors import WindowError
from boresight.game.batches import grouped
from boresight.game.placebo import (
    Placebo,
    candidates,
    placebo_attribution,
    placebo_coalitions,
    placebo_orders,
    with_placebo,
)
from boresight.game.sentence_game import split_passage_of
from boresight.run.design import EXACT, NONE
from boresight.run.evidence import SIMILARITY
from boresight.run.extra import is_extra
from boresight.run.plan import (
    PASSAGES,
    PLACEBO,
    Batch,
    Row,
    TracePlan,
    batch_of,
    check_window,
    rows_of,
)
from boresight.stats.percentile import absolute_percentile
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from boresight.game.context_game import ContextGame
    from boresight.game.scales import Scale
    from boresight.models.seam import Target
    from boresight.run.spec import RunSpec
    from boresight.store.values import ValueRow
    from boresight.trace import Passage, Trace

    GameOf = Callable[[Trace], ContextGame]


@dataclass(frozen=True, slots=True)
class PlaceboPlanner:
    """Gives a seeded sample of traces a guest passage each.

    Attributes:
        traces: All traces of the run.
        targets: Targets by trace id, the answer first.
        spec: The run's settings; ``placebo`` is the number of traces.
        game_of: Makes the context game of a trace.
    """

    traces: Sequence[Trace]
    targets: Mapping[str, Sequence[Target]]
    spec: RunSpec
    game_of: GameOf

    def add(self, plans: Sequence[TracePlan]) -> list[TracePlan]:
        """The plans, those of the sample with the batches of their guest."""
        by_id = {trace.id: trace for trace in self.traces}
        able = [plan for plan in plans if plan.method != NONE]
        changed: dict[str, TracePlan] = {}
        for index in rng_for(self.spec.seed, PLACEBO).permutation(len(able)):
            if len(changed) == self.spec.placebo:
                break
            plan = able[int(index)]
            joined = self._invite(plan, by_id[plan.trace])
            if joined is not None:
                changed[plan.trace] = joined
        return [changed.get(plan.trace, plan) for plan in plans]

    def _invite(self, plan: TracePlan, trace: Trace) -> TracePlan | None:
        """The plan with a length-matched guest, or None where there is none that fits the window."""
        target = self.targets[trace.id][0]
        offers = candidates(trace, self.traces, rng_for(self.spec.seed, PLACEBO, trace.id))
        if not offers:
            return None
        lender, passage = min(offers, key=self._mismatch(trace, target))
        game = self.game_of(with_placebo(trace, passage))
        try:
            check_window(game, (target,))
        except WindowError:
            return None
        names = placebo_coalitions(plan.players, orders_of(self.spec, plan))
        rows = {name: Row(PLACEBO, name, game.request(name, (target,))) for name in names}
        batches = self._joined(plan, trace, rows)
        added = sum(batch.tokens for batch in batches) - sum(batch.tokens for batch in plan.batches)
        return replace(
            plan,
            placebo=Placebo(lender.id, passage.id),
            batches=batches,
            extra_tokens=plan.extra_tokens + added,
        )

    def _joined(self, plan: TracePlan, trace: Trace, guests: Mapping[str, Row]) -> tuple[Batch, ...]:
        """The plan's batches with the guest's prompts.

        In packs of an exact trace they continue its own prompts, so they join the batch that holds the same
        coalition without the guest; else they come in batches of their own.
        """
        able = self.game_of(trace).generator.capabilities()
        if able.packs is None or plan.method != EXACT:
            rows = list(guests.values())
            groups = grouped([row.request for row in rows], able)
            before = [batch for batch in plan.batches if not _stays_behind(batch)]
            joined = [batch_of([rows[index] for index in group], able) for group in groups]
            return (*before, *joined, *filter(_stays_behind, plan.batches))
        targets = [target for target in self.targets[trace.id] if target.token_ids]
        found = []
        for batch in plan.batches:
            names = [f"{own}1" for own in batch.games.get(PASSAGES, ())]
            joining = [guests[name] for name in names if name in guests]
            own = rows_of(self.game_of(trace), targets, batch) if joining else []
            found.append(batch_of(own, able, joining) if joining else batch)
        return tuple(found)

    def _mismatch(self, trace: Trace, target: Target) -> Callable[[tuple[Trace, Passage]], int]:
        """How far an offer's length is from the median length of the trace's own passages, in tokens."""

        def length(game: ContextGame, place: int) -> int:
            return len(game.parts(target.thoughts).block(game.players[place], place + 1).ids)

        own = self.game_of(trace)
        lengths = sorted(length(own, place) for place in range(len(own.players)))

        def mismatch(offer: tuple[Trace, Passage]) -> int:
            game = self.game_of(with_placebo(trace, offer[1]))
            return abs(length(game, len(game.players) - 1) - lengths[len(lengths) // 2])

        return mismatch


def _stays_behind(batch: Batch) -> bool:
    """Whether a batch is about sentences, or read by few measures; such batches stay behind all others."""
    return is_extra(batch) or any(split_passage_of(name) is not None for name in batch.games)


def orders_of(spec: RunSpec, plan: TracePlan) -> list[list[int]] | None:
    """The orders of entry of a sampled trace; None for an exact one."""
    if plan.method == EXACT:
        return None
    return placebo_orders(plan.players, rng_for(spec.seed, PLACEBO, plan.trace, "orders"))


def guest_game(trace: Trace, placebo: Placebo, traces: Mapping[str, Trace], game_of: GameOf) -> ContextGame:
    """The context game of a trace with its guest."""
    return game_of(with_placebo(trace, traces[placebo.trace].passage(placebo.passage)))


@dataclass(frozen=True, slots=True)
class PlaceboFloor:
    """How far a passage of another trace moves an answer.

    Attributes:
        nats: 95th percentile of |attribution| over the guests; None without guests.
        probability: The same on the probability scale.
        guests: Trace, lender, passage and attribution of each guest.
        reason: Why there is no floor, or None.
    """

    nats: float | None
    probability: float | None
    guests: tuple[dict[str, Any], ...] = ()
    reason: str | None = None

    def on(self, scale: Scale) -> float | None:
        """The floor on a scale; None where there is none (log-odds have none)."""
        return {"nats": self.nats, "probability": self.probability}.get(scale)

    def for_kind(self, value_kind: str) -> PlaceboFloor:
        """The same; similarities have no floor in probability."""
        return replace(self, probability=None) if value_kind == SIMILARITY else self

    def to_json(self) -> dict[str, Any]:
        """JSON values."""
        return {
            "nats": self.nats,
            "probability": self.probability,
            "traces": list(self.guests),
            "reason": self.reason,
        }


def placebo_floor(
    plans: Sequence[TracePlan],
    rows_of: Callable[[TracePlan], Sequence[ValueRow]],
    spec: RunSpec,
    *,
    has_floor: bool,
) -> PlaceboFloor:
    """The content floor of a run, from stored rows."""
    if not has_floor:
        return PlaceboFloor(0.0, 0.0, reason="a table of values has no noise")
    found: dict[str, list[float]] = {"nats": [], "probability": []}
    guests = []
    for plan in plans:
        rows = [row for row in rows_of(plan) if row.target == "answer"] if plan.placebo else []
        joined = {row.coalition: row.logprobs for row in rows if row.game == PLACEBO}
        if plan.placebo is None or not joined:
            continue
        own = {row.coalition: row.logprobs for row in rows if row.game == PASSAGES}
        orders = orders_of(spec, plan)
        for scale, values in found.items():
            values.append(placebo_attribution(own, joined, plan.players, orders, scale))  # type: ignore[arg-type]
        guests.append(
            {
                "trace": plan.trace,
                "from": plan.placebo.trace,
                "passage": plan.placebo.passage,
                "attribution": found["nats"][-1],
            }
        )
    if not guests:
        reason = "no placebo was asked for" if spec.placebo == 0 else "no other trace could lend a passage"
        return PlaceboFloor(None, None, reason=reason)
    floors = {scale: absolute_percentile(values) for scale, values in found.items()}
    return PlaceboFloor(floors["nats"], floors["probability"], tuple(guests))
