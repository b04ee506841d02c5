"""Stored numbers that only some measures ask for: orders, other targets, tokens, two streams."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from boresight.measure.faithfulness.curves import Curves

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class OrderRow:
    """The whole context in one order.

    Attributes:
        order: Passage ids in prompt order.
        value: Target log-probability, nats.
        without: Per passage the same with all others in this order, nats; empty where that was not scored.
        answer: The greedy answer in this order; None where none was generated.
    """

    order: tuple[str, ...]
    value: float
    without: Mapping[str, float] = field(default_factory=dict)
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class TokenRows:
    """A target token by token.

    Attributes:
        text: The target.
        offsets: Character span in ``text`` of each of its T tokens.
        grand: Log-probabilities with all passages, nats, shape (T,); None where not scored.
        empty: The same with no passage.
        closed_book: The same after the plain question.
        singletons: Per passage the same with this passage alone.
        without: Per passage the same with all others.
    """

    text: str
    offsets: tuple[tuple[int, int], ...]
    grand: Floats | None = None
    empty: Floats | None = None
    closed_book: Floats | None = None
    singletons: Mapping[str, Floats] = field(default_factory=dict)
    without: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Streams:
    """Two next-token distributions over a target: with passages, and closed book.

    Attributes:
        scalars: By name (``boresight.models.streams``), one number a target token, shape (T,). Probabilities
            and distances are plain numbers; a choice is 1 or 0.
        layer: The layer that the criterion read; None where the model shows none.
    """

    scalars: Mapping[str, Floats]
    layer: int | None = None


@dataclass(frozen=True, slots=True)
class Extra:
    """What an audit stores beyond the answer's own table.

    Attributes:
        orders: The context in several orders, the recorded one first.
        targets: By target id (``answer``, ``reference:0`` and on) the target token by token.
        abstention: Per passage the probability, when it stands alone, that the answer begins like the
            abstention string.
        contrastive: Per passage and reference id, the log-probabilities of the reference under the
            contrastive mixture of the passage alone and closed book, nats, shape (T,).
        streams: Two streams over the answer, all passages against closed book.
        answer: The answer's text; None where there is none.
        closed_book_answer: What the model answers to the plain question; None where it was not asked.
        single_answers: Per passage the greedy answer with it alone; empty where not generated.
        references: Right answers.
        relevance: Labels of passages, by id; a passage without a label was never judged.
        saliency_curves: Per passage the retriever's score while its tokens go, in several orders.
        cited: Passage ids that the answer cites.
        absent: Why something that a measure asked for is not here, by need.
    """

    orders: tuple[OrderRow, ...] = ()
    targets: Mapping[str, TokenRows] = field(default_factory=dict)
    abstention: Mapping[str, float] = field(default_factory=dict)
    contrastive: Mapping[str, Mapping[str, Floats]] = field(default_factory=dict)
    streams: Streams | None = None
    answer: str | None = None
    closed_book_answer: str | None = None
    single_answers: Mapping[str, str] = field(default_factory=dict)
    references: tuple[str, ...] = ()
    relevance: Mapping[str, float] = field(default_factory=dict)
    saliency_curves: Mapping[str, Curves] = field(default_factory=dict)
    cited: frozenset[str] = frozenset()
    absent: Mapping[str, str] = field(default_factory=dict)
