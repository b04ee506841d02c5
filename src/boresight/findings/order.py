"""What the order of the passages alone does to the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.findings.types import Finding, Number
from boresight.findings.words import nats
from boresight.measure.order import order_spread, orders_changing_answer

if TYPE_CHECKING:
    from boresight.findings.case import Case

FEWEST = 2


def is_asked(case: Case) -> bool:
    """Whether the context was scored in two orders."""
    return len(case.orders) >= FEWEST


def order_sensitive(case: Case) -> list[Finding]:
    """The answer's value moves with the order by more than the floor, and the answer itself changes.

    Where no answers were generated in other orders the spread alone decides.
    """
    spread = order_spread(case.orders).value or 0.0
    changed = orders_changing_answer(case.orders).value
    if spread <= case.floor or changed == 0:
        return []
    evidence = {"spread": Number(spread), "floor": Number(case.floor)}
    if changed is not None:
        evidence["orders_changing_answer"] = Number(changed)
    sentence = (
        f"The same passages in another order make this answer up to {nats(spread)} more or less "
        f"likely{_answers(changed)}."
    )
    return [Finding(case.trace, "order_sensitive", (), sentence, spread, evidence)]


def _answers(changed: float | None) -> str:
    if changed is None:
        return "; whether it would be another answer was not asked"
    return f"; in {changed:.0%} of the orders that were tried the model answers something else"
