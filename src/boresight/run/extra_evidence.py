"""From stored rows, targets and answers to what measures read beyond the answer's own table."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from boresight.game.coalitions import all_but_one, coalition_of, members, singletons
from boresight.game.orders import follows_context, without
from boresight.game.targets import ABSTENTION, ANSWER
from boresight.measure.rows import Extra, OrderRow, Streams, TokenRows
from boresight.models.streams import LAYER
from boresight.run.contrasts import CONTRASTS, MIXED, STREAM, STREAMS
from boresight.run.extra import EXTRA_GAMES, ORDERS, orders_of
from boresight.run.extra_answers import StoredAnswers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from boresight.game.needs import Needs
    from boresight.game.orders import Order
    from boresight.game.table import ValueTable
    from boresight.models.seam import Target
    from boresight.store.values import ValueRow
    from boresight.trace import Trace

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ExtraReader:
    """Fills :class:`boresight.measure.rows.Extra` for the traces of one run.

    Attributes:
        needs: What the chosen measures read.
        seed: Seed of the run.
        answers: Texts that the run generated.
        absent: Why something that was asked for is not there, by need.
    """

    needs: Needs
    seed: int
    answers: StoredAnswers
    absent: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, needs: Needs, seed: int, generations: Path, absent: Mapping[str, str]) -> ExtraReader:
        """The reader of a run; answers are read only where a measure asks for them."""
        asked = needs.order_answers or needs.single_answers or needs.closed_book_answer
        answers = StoredAnswers.read(generations) if asked else StoredAnswers({})
        return cls(needs, seed, answers, absent)

    def texts(self, trace: Trace, answer: str | None) -> Extra:
        """What is known without any scored row.

        Args:
            trace: The trace.
            answer: Text of the audited answer, or None.
        """
        return Extra(
            answer=answer,
            closed_book_answer=self.answers.closed_book(trace.id),
            single_answers=self.answers.single(trace.id, trace.context),
            references=trace.references,
            relevance=trace.relevance,
            absent=self.absent,
        )

    def whole(
        self, trace: Trace, targets: Sequence[Target], tables: Sequence[ValueTable], rows: Sequence[ValueRow]
    ) -> Extra:
        """Everything about a scored trace.

        Args:
            trace: The trace.
            targets: Its targets, the answer first.
            tables: Their values; empty where a target was not scored.
            rows: All stored rows of the trace.
        """
        added = [row for row in rows if row.game in EXTRA_GAMES]
        named = zip(targets, tables, strict=True)
        return replace(
            self.texts(trace, targets[0].text),
            orders=self._orders(trace, targets[0], tables[0], added),
            targets={target.id: token_rows(target, table) for target, table in named if table.rows},
            abstention=_abstention(trace, added),
            contrastive=_contrastive(trace, added),
            streams=streams_of(added),
        )

    def _orders(
        self, trace: Trace, answer: Target, table: ValueTable, rows: Sequence[ValueRow]
    ) -> tuple[OrderRow, ...]:
        """The orders; none where not all of them were scored."""
        if not (self.needs.orders or self.needs.order_answers):
            return ()
        n = len(trace.context)
        values = {members(name): _sum(row) for name, row in table.rows.items()}
        values |= {row.order: _sum(row.logprobs) for row in rows if row.game == ORDERS}
        orders = orders_of(trace.id, n, self.seed)
        if any(order not in values for order in orders):
            return ()
        return tuple(
            OrderRow(
                tuple(trace.context[place] for place in order),
                values[order],
                _without(trace, order, values),
                self._answer(trace, answer, order),
            )
            for order in orders
        )

    def _answer(self, trace: Trace, answer: Target, order: Order) -> str | None:
        """The greedy answer in an order; in the recorded one, the audited answer if the model gave it."""
        if not self.needs.order_answers:
            return None
        if answer.kind == "generated" and follows_context(order):
            return answer.text
        return self.answers.in_order(trace.id, order)


def token_rows(target: Target, table: ValueTable) -> TokenRows:
    """A target token by token, from its stored values."""
    n = table.n
    return TokenRows(
        target.text,
        target.offsets,
        _row(table, coalition_of(range(n), n)),
        _row(table, coalition_of((), n)),
        None if table.closed_book is None else _floats(table.closed_book),
        _by_passage(table, singletons(n)),
        _by_passage(table, all_but_one(n)),
    )


def _without(trace: Trace, order: Order, values: Mapping[Order, float]) -> dict[str, float]:
    """Per passage the value of the others in this order; empty where one of them was not scored."""
    rests = {trace.context[place]: without(order, place) for place in sorted(order)}
    found = {passage: values[rest] for passage, rest in rests.items() if rest in values}
    return found if len(found) == len(order) else {}


def _abstention(trace: Trace, rows: Sequence[ValueRow]) -> dict[str, float]:
    own = [row for row in rows if row.game == ABSTENTION]
    return {_alone(trace, row): float(np.exp(np.float64(row.logprobs[0]))) for row in own}


def _contrastive(trace: Trace, rows: Sequence[ValueRow]) -> dict[str, dict[str, Floats]]:
    found: dict[str, dict[str, Floats]] = {}
    for row in rows:
        if row.game == CONTRASTS and row.value_kind == MIXED:
            found.setdefault(_alone(trace, row), {})[row.target] = _floats(row.logprobs)
    return found


def streams_of(rows: Sequence[ValueRow]) -> Streams | None:
    """The numbers of two streams over the answer, by kind."""
    own = [row for row in rows if row.game == STREAMS and row.target == ANSWER]
    scalars = {row.value_kind.removeprefix(STREAM): _floats(row.logprobs) for row in own}
    if not scalars:
        return None
    layer = scalars.pop(LAYER, None)
    return Streams(scalars, None if layer is None or not len(layer) else int(layer[0]))


def _alone(trace: Trace, row: ValueRow) -> str:
    """The only passage of a row."""
    return trace.context[row.order[0]]


def _by_passage(table: ValueTable, coalitions: Sequence[str]) -> dict[str, Floats]:
    named = zip(table.players, coalitions, strict=True)
    return {passage: _floats(table.rows[one]) for passage, one in named if one in table.rows}


def _row(table: ValueTable, coalition: str) -> Floats | None:
    row = table.rows.get(coalition)
    return None if row is None else _floats(row)


def _floats(row: NDArray[np.float32]) -> Floats:
    return np.asarray(row, np.float64)


def _sum(row: NDArray[np.float32]) -> float:
    return float(np.sum(row, dtype=np.float64))
