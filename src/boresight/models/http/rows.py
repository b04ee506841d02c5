"""What an endpoint says of one target, with what is known about its exactness."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from boresight.models.seam import Capabilities, Scored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from boresight.models.http.errors import CallError
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


@dataclass(frozen=True, slots=True)
class EndpointScored(Scored):
    """The answer to one request, with bounds.

    Attributes:
        value_kind: What the numbers are.
        lower: Per target id, lower bounds; no entry where the values are exact.
        upper: The same from above.
    """

    value_kind: str = "logprob"
    lower: Mapping[str, Numbers] = field(default_factory=dict)
    upper: Mapping[str, Numbers] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EndpointCapabilities(Capabilities):
    """What an endpoint can do.

    Attributes:
        concurrency: Requests of any lengths that one batch may hold, since they are separate calls.
    """

    concurrency: int = 1


class Values(Protocol):
    """One way to get numbers out of an endpoint."""

    kind: ValueKind

    def encode(self, trace_id: str, text: str, *, end: bool) -> tuple[Ids, Spans]:
        """Token ids and spans of a stripped target text."""

    def calls(self, request: Request) -> int:
        """How many calls the targets of a request take."""

    def score(self, pairs: Sequence[Pair], repeat: int) -> list[Row | CallError]:
        """Per pair its row, or why there is none; ``repeat`` above 0 asks anew."""
