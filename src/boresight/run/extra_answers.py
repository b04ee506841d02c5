"""Answers that only some measures read: in other orders of the context, and with each passage alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.errors import ScoringError, WindowError
from boresight.game.coalitions import coalition_of
from boresight.run.extra import orders_of
from boresight.stats.random import rng_for
from boresight.store.files import read_jsonl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from boresight.game.context_game import ContextGame
    from boresight.game.needs import Needs
    from boresight.game.orders import Order
    from boresight.models.seam import Request
    from boresight.trace import Trace

    Ask = Callable[[Request, str, str], object]

ORDER_ANSWER, SINGLE_ANSWER, CLOSED_ANSWER = "order", "single", "closed_book"
"""What answers in ``generations.jsonl`` are for, beside the audited ones."""
MOST_ORDER_ANSWERS = 4


@dataclass(frozen=True, slots=True)
class Wanted:
    """An answer to generate.

    Attributes:
        trace: Trace id.
        purpose: What it is for.
        order: Context positions of the present passages, in prompt order.
    """

    trace: str
    purpose: str
    order: Order


def wanted_answers(trace: Trace, needs: Needs, seed: int, *, generated: bool) -> Iterator[Wanted]:
    """The answers of a trace that the measures read.

    Args:
        trace: The trace.
        needs: What the chosen measures read.
        seed: Seed of the run.
        generated: Whether the audited answer is this model's own, which then stands for the recorded order.
    """
    n = len(trace.context)
    if needs.order_answers and n:
        for order in _answered_orders(trace.id, n, seed, generated=generated):
            yield Wanted(trace.id, ORDER_ANSWER, order)
    for place in range(n) if needs.single_answers else ():
        yield Wanted(trace.id, SINGLE_ANSWER, (place,))


def _answered_orders(trace_id: str, n: int, seed: int, *, generated: bool) -> list[Order]:
    """A sample of the orders; the recorded one leads it where nobody has answered in it yet."""
    recorded, *others = orders_of(trace_id, n, seed)
    first = [] if generated else [recorded]
    drawn = rng_for(seed, trace_id, "orders", "answers").permutation(len(others))
    chosen = sorted(drawn[: MOST_ORDER_ANSWERS - len(first)])
    return [*first, *(others[place] for place in chosen)]


@dataclass(frozen=True, slots=True)
class StoredAnswers:
    """Texts of answers that a run generated.

    Attributes:
        texts: By trace, purpose and order.
    """

    texts: Mapping[Wanted, str]

    @classmethod
    def read(cls, generations: Path) -> StoredAnswers:
        """Read ``generations.jsonl``."""
        return cls(
            {
                Wanted(line["trace"], line["purpose"], tuple(line["order"])): line["text"]
                for line in read_jsonl(generations)
            }
        )

    def missing(self, wanted: Iterator[Wanted]) -> list[Wanted]:
        """Those that are still to be generated."""
        return [one for one in wanted if one not in self.texts]

    def closed(self) -> dict[str, str]:
        """What the model answers to the plain question, by trace id."""
        return {one.trace: text for one, text in self.texts.items() if one.purpose == CLOSED_ANSWER}

    def closed_book(self, trace: str) -> str | None:
        """What the model answers to the plain question, or None."""
        return self.texts.get(Wanted(trace, CLOSED_ANSWER, ()))

    def single(self, trace: str, context: tuple[str, ...]) -> dict[str, str]:
        """The answers with one passage alone, by passage id."""
        asked = {passage: Wanted(trace, SINGLE_ANSWER, (place,)) for place, passage in enumerate(context)}
        return {passage: self.texts[one] for passage, one in asked.items() if one in self.texts}

    def in_order(self, trace: str, order: Order) -> str | None:
        """The answer in an order of the context, or None."""
        return self.texts.get(Wanted(trace, ORDER_ANSWER, order))


def ask_for(wanted: Wanted, game: ContextGame, ask: Ask) -> str | None:
    """Generate an answer, and store it.

    Args:
        wanted: Which one.
        game: The trace's context game.
        ask: Generates and stores: request, coalition, purpose.

    Returns:
        None, or why there is no answer: nothing but a measure depends on it.
    """
    coalition = coalition_of(wanted.order, len(game.players))
    try:
        ask(game.request(coalition, (), wanted.order), coalition, wanted.purpose)
    except (ScoringError, WindowError) as error:
        return f"trace {wanted.trace!r}, answer for a measure: {error}"
    return None
