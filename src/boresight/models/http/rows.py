"""What an endpoint says of one target, with what is known about its exactness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from boresight.errors import CallError
    from boresight.models.http.spec import ValueKind
    from boresight.models.seam import Request, Target

    Pair = tuple[Request, Target]
    Numbers = NDArray[np.float32]
    Ids = tuple[int, ...]
    Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Values of one target behind one prompt.

    Attributes:
        values: One number a target token, float32, shape (T,): nats, or the mean similarity of the answers.
        lower: Lower bounds or ends of intervals, shape (T,); minus infinity where nothing is known. None
            where the values are exact.
        upper: The same from above.
    """

    values: Numbers
    lower: Numbers | None = None
    upper: Numbers | None = None


class Values(Protocol):
    """One way to get numbers out of an endpoint."""

    kind: ValueKind

    def encode(self, trace_id: str, text: str, *, end: bool) -> tuple[Ids, Spans]:
        """Token ids and spans of a stripped target text."""

    def calls(self, request: Request) -> int:
        """How many calls the targets of a request take."""

    def score(self, pairs: Sequence[Pair], repeat: int) -> list[Row | CallError]:
        """Per pair its row, or why there is none; ``repeat`` above 0 asks anew."""
