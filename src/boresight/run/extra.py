"""Rows that only some measures read: orders, other targets, abstention, two streams.

They come in batches behind all others, so asking for them moves no number of the answer's own table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from boresight.errors import WindowError
from boresight.game.batches import as_batch
from boresight.game.coalitions import coalition_of, singletons
from boresight.game.context_game import ContextGame
from boresight.game.orders import context_orders, follows_context, order_name, order_of, with_gaps
from boresight.game.targets import ABSTENTION, is_named
from boresight.models.prompts import UDCG
from boresight.run.contrasts import (
    NO_DISTRIBUTIONS,
    PAIRED,
    compared,
    pair_of,
    pairs_to_compare,
    shows_distributions,
)
from boresight.run.evidence import SIMILARITY
from boresight.run.plan import CLOSED, NO_COALITION, PASSAGES, Batch, Row, TracePlan, batches_of
from boresight.run.value_rows import value_row
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from boresight.game.needs import Needs
    from boresight.game.orders import Order
    from boresight.models.seam import Generator, Request, Target
    from boresight.store.values import ValueRow

ORDERS = "orders"
OTHER_TARGETS = "other_targets"
"""In a plan alone; its rows are stored as those of the passages and of closed book, under their targets."""
EXTRA_GAMES = (ORDERS, OTHER_TARGETS, ABSTENTION, *PAIRED)
NO_LOGPROBS = "this endpoint gives no log-probabilities"
ANSWER_ONLY = "this generator scores the recorded answer only"


def is_extra(batch: Batch) -> bool:
    """Whether a batch holds such rows."""
    return any(name in EXTRA_GAMES for name in batch.games)


def table_targets(targets: Sequence[Target], needs: Needs) -> list[Target]:
    """The targets that are scored behind every planned coalition, the answer first."""
    return [target for target in targets if is_named(target.id, needs.tables)]


def absent_reasons(generator: Generator, needs: Needs) -> dict[str, str]:
    """Why a generator cannot give what the measures read, by need."""
    found = {}
    if not shows_distributions(generator):
        found = {need: NO_DISTRIBUTIONS for need in PAIRED if need in needs.rows}
    able = generator.capabilities()
    if needs.abstention and (able.value_kind == SIMILARITY or not able.any_target):
        found[ABSTENTION] = NO_LOGPROBS if able.any_target else ANSWER_ONLY
    return found


def orders_of(trace_id: str, n: int, seed: int) -> tuple[Order, ...]:
    """The orders in which a context is scored, the recorded one first."""
    return context_orders(n, rng_for(seed, trace_id, ORDERS))


@dataclass(frozen=True)
class ExtraGames:
    """What is played beside the table of one trace.

    Attributes:
        game: The trace's context game.
        targets: The targets that have tokens, the answer first.
        needs: What the chosen measures read.
        seed: Seed of the run.
    """

    game: ContextGame
    targets: Sequence[Target]
    needs: Needs
    seed: int

    def added_to(self, plan: TracePlan) -> TracePlan:
        """The plan with these rows behind its own.

        Raises:
            WindowError: A prompt with its target is longer than the model's window.
        """
        if plan.status != "score":
            return plan
        batches = (*self._batches(plan), *pairs_to_compare(self.game, self.targets, self.needs))
        for batch in batches:
            self._check_window(batch)
        tokens = sum(batch.tokens for batch in batches)
        return replace(plan, batches=plan.batches + batches, extra_tokens=plan.extra_tokens + tokens)

    def _batches(self, plan: TracePlan) -> Iterator[Batch]:
        able = self.game.generator.capabilities()
        stored = {name for batch in plan.batches for name in batch.games.get(PASSAGES, ())}
        played = {
            ORDERS: self._orders(stored),
            OTHER_TARGETS: self._other_rows(),
            ABSTENTION: self._abstention_rows(),
        }
        for name, rows in played.items():
            yield from batches_of([Row(name, row, self.request(name, row)) for row in rows], able)

    def _orders(self, stored: set[str]) -> list[str]:
        """Orders to score; one that is a coalition of the table is there already."""
        if not (self.needs.orders or self.needs.order_answers):
            return []
        orders = orders_of(self.game.trace.id, self._n, self.seed)
        wanted = with_gaps(orders) if self.needs.orders else orders
        known = {order for order in wanted if follows_context(order) and self._coalition(order) in stored}
        return [order_name(order) for order in wanted if order not in known]

    def _other_rows(self) -> list[str]:
        """Coalitions behind which the other targets stand; the empty name is closed book."""
        if not self._others:
            return []
        rows = [self._coalition(()), self._coalition(range(self._n))]
        rows += singletons(self._n) if self.needs.singletons else []
        return list(dict.fromkeys([*rows, *([NO_COALITION] if self.needs.closed_book else [])]))

    def _abstention_rows(self) -> list[str]:
        able = self.needs.abstention and self.game.generator.capabilities().value_kind != SIMILARITY
        return singletons(self._n) if able and self._abstention else []

    def request(self, name: str, row: str) -> Request:
        """The prompt of a row, as the plan names it."""
        if name == ORDERS:
            order = order_of(row)
            return self.game.request(self._coalition(order), self.targets[:1], order)
        if name == ABSTENTION:
            return self._abstaining.request(row, self._abstention)
        if row == NO_COALITION:
            return self.game.closed_book_request(self._others)
        return self.game.request(row, self._others)

    def score(self, batch: Batch, number: int) -> list[ValueRow]:
        """Score a planned batch.

        Args:
            batch: A batch that these games added.
            number: Its place in the trace's plan.

        Raises:
            ScoringError: The generator failed.
        """
        if any(name in PAIRED for name in batch.games):
            return compared(self.game, self.targets, batch, number)
        generator = self.game.generator
        requests = [self.request(*row) for row in batch.rows]
        scored = generator.score(as_batch(requests, generator.capabilities()))
        return [
            value_row(self._stored(*row), one, target_id, number, repeat=0)
            for row, one in zip(batch.rows, scored, strict=True)
            for target_id in one.logprobs
        ]

    def calls(self, batches: Sequence[Batch], calls_for: Callable[[Request], int]) -> int:
        """Calls that planned batches take of an endpoint."""
        return sum(calls_for(request) for batch in batches for request in self._requests(batch))

    def _stored(self, name: str, row: str) -> tuple[str, str]:
        """Game and coalition under which a row is stored."""
        if name == ORDERS:
            return ORDERS, self._coalition(order_of(row))
        if name == ABSTENTION:
            return ABSTENTION, row
        return (CLOSED if row == NO_COALITION else PASSAGES), row

    def _check_window(self, batch: Batch) -> None:
        window = self.game.parts().window
        for request in self._requests(batch) if window is not None else ():
            length = request.prompt_length + max(len(target.token_ids) for target in request.targets)
            if length > (window or 0):
                raise WindowError(
                    f"trace {self.game.trace.id!r} needs {length} tokens for a prompt that the chosen "
                    f"measures read and the model's window holds {window}; leave these measures out, or pass "
                    "--too-long skip to go on without the trace"
                )

    def _requests(self, batch: Batch) -> Iterator[Request]:
        for name, rows in batch.games.items():
            if name in PAIRED:
                yield from pair_of(self.game, name, rows[0], self.targets)
            else:
                yield from (self.request(name, row) for row in rows)

    @property
    def _n(self) -> int:
        return len(self.game.players)

    def _coalition(self, places: Sequence[int]) -> str:
        return coalition_of(places, self._n)

    @cached_property
    def _others(self) -> tuple[Target, ...]:
        """The targets that are scored behind few coalitions."""
        whole, wanted = self.needs.tables, self.needs.targets
        return tuple(one for one in self.targets if is_named(one.id, wanted) and not is_named(one.id, whole))

    @cached_property
    def _abstention(self) -> tuple[Target, ...]:
        return tuple(target for target in self.targets if target.id == ABSTENTION)

    @cached_property
    def _abstaining(self) -> ContextGame:
        """The game in which a model is told how to abstain."""
        return ContextGame(self.game.generator, self.game.trace, style=UDCG)
