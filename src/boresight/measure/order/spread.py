"""How far the order alone moves the answer: its log-probability, and the greedy answer itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.measure.quality.normal import normal_form
from boresight.outcome import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.measure.rows import OrderRow

ONE_ORDER = "the context was scored in one order only"
ONE_ANSWER = "an answer was generated in one order only"


def order_spread(rows: Sequence[OrderRow]) -> Measure:
    """Largest minus smallest log-probability of the answer over the orders, nats."""
    if len(rows) < 2:  # noqa: PLR2004 - a spread needs two
        return Measure.undefined(ONE_ORDER)
    values = [row.value for row in rows]
    return Measure.defined(max(values) - min(values))


def orders_changing_answer(rows: Sequence[OrderRow]) -> Measure:
    """Share of the other answered orders whose greedy answer differs from the first one's.

    Answers are alike when they are the same text but for case, punctuation, articles and blanks, the rule of
    SQuAD's exact match.

    Args:
        rows: The orders with an answer, the recorded one first.
    """
    answers = _answers(rows)
    if len(answers) < 2:  # noqa: PLR2004 - one to compare with
        return Measure.undefined(ONE_ANSWER)
    return Measure.defined(sum(other != answers[0] for other in answers[1:]) / (len(answers) - 1))


def answer_clusters(rows: Sequence[OrderRow]) -> Measure:
    """How many different answers the answered orders give, by the same rule."""
    answers = _answers(rows)
    if len(answers) < 2:  # noqa: PLR2004 - as above
        return Measure.undefined(ONE_ANSWER)
    return Measure.defined(len(set(answers)))


def _answers(rows: Sequence[OrderRow]) -> list[str]:
    return [normal_form(row.answer) for row in rows if row.answer is not None]
