"""Stored scores of a text with tokens removed, as measures of faithfulness read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class AbsentCurveError(LookupError):
    """A measure reads a curve that was not scored; the message is the reason it is undefined."""


@dataclass(frozen=True)
class Curves:
    """Scores of one text while its tokens are removed in several orders.

    Attributes:
        tokens: Number of tokens of the text.
        removed: Tokens removed at each point, rising from 0 to ``tokens``, shape (points,).
        scores: By order (``most``, ``least``, ``random:0``), the score at each point, shape (points,).
    """

    tokens: int
    removed: NDArray[np.int64]
    scores: Mapping[str, Floats]

    def __post_init__(self) -> None:
        for name, scores in self.scores.items():
            if scores.shape != self.removed.shape or not np.isfinite(scores).all():
                raise ValueError(f"the curve {name} needs {len(self.removed)} finite scores")

    def of(self, order: str) -> Floats:
        """The curve of an order.

        Raises:
            AbsentCurveError: It was not scored.
        """
        if order not in self.scores:
            raise AbsentCurveError(f"the removal of tokens in the order {order!r} was not scored")
        return self.scores[order]

    @property
    def random(self) -> list[Floats]:
        """The curves of the random orders.

        Raises:
            AbsentCurveError: There is none.
        """
        found = [scores for name, scores in sorted(self.scores.items()) if name.startswith("random:")]
        if not found:
            raise AbsentCurveError(
                "no random removal was scored, and without a control the number says nothing"
            )
        return found

    @property
    def share(self) -> Floats:
        """Share of the tokens removed at each point, from 0 to 1."""
        return self.removed / max(self.tokens, 1)
