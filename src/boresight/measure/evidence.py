"""What a measure may read about one trace: stored numbers by passage id, never a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

from boresight.measure.rows import Extra

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.game.table import ValueTable
    from boresight.measure.funnel.types import FunnelRow
    from boresight.measure.rows import Floats, OrderRow, Streams, TokenRows

Scale = Literal["nats", "prob"]
Rows = TypeVar("Rows")
RESOLUTION = 1e-9
"""Stored rows are float32; an attribution this small is their rounding, whatever the floor."""


def noise_bar(floor: float | None) -> float:
    """What the size of an attribution must exceed: twice the numeric floor, or the resolution of rows."""
    return max(2 * (floor or 0.0), RESOLUTION)


def above_noise(value: float, floor: float | None) -> bool | None:
    """Whether an attribution is above the numeric floor; None where that was not measured."""
    return None if floor is None else abs(value) > noise_bar(floor)


NO_RANKING = "no ranking recorded"

_SCALES: Mapping[Scale, str] = {"nats": "in nats", "prob": "on the probability scale"}
_ROWS: Mapping[str, str] = {
    "grand": "the prompt with all passages",
    "empty": "the prompt with no passage",
    "closed_book": "the closed-book prompt",
}
_NO_EXTRA: Mapping[str, str] = {
    "orders": "the context was not scored in other orders",
    "order_answers": "no answers were generated in other orders",
    "abstention": "the abstention string was not scored behind each passage alone",
    "contrastive": "no reference was scored under the contrastive mixture",
    "streams": "the distributions with passages and closed book were not compared",
    "single_answers": "no answers were generated with one passage alone",
    "closed_book_answer": "the plain question was not answered",
}
REFERENCE = "reference:"
"""What the ids of references begin with."""


class AbsentError(LookupError):
    """A measure reads a number that is not there; the message is the reason it is undefined."""


@dataclass(frozen=True, slots=True)
class RetrieverView:
    """What the retriever said about the passages of the context.

    Attributes:
        stage: Name of the stage that speaks for the retriever; None when no ranking is recorded.
        ranks: Per passage of the context its rank among them; 0 is best, equal numbers are ties. None when
            the stage does not rank them all.
        scores: Per passage of the context its score in that stage, in the stage's own unit; None when the
            stage does not score all that it ranks.
        rank_reason: Why there are no ranks.
        score_reason: Why there are no scores.
        ranking: All passages that the stage ranks, in the context or not, the best first.
    """

    stage: str | None = None
    ranks: Mapping[str, float] | None = None
    scores: Mapping[str, float] | None = None
    rank_reason: str | None = None
    score_reason: str | None = None
    ranking: tuple[str, ...] = ()

    def known_ranks(self) -> Mapping[str, float]:
        """The ranks.

        Raises:
            AbsentError: There are none.
        """
        if self.ranks is None:
            raise AbsentError(self.rank_reason or NO_RANKING)
        return self.ranks

    def known_scores(self) -> Mapping[str, float]:
        """The scores.

        Raises:
            AbsentError: There are none.
        """
        if self.scores is None:
            raise AbsentError(self.score_reason or NO_RANKING)
        return self.scores


@dataclass(frozen=True, slots=True)
class Evidence:
    """The stored numbers of one trace and target, as measures read them.

    Attributes:
        trace: Trace id.
        target: Target id.
        players: Passage ids in context order.
        attribution: Raw attribution of each passage, nats summed over the target; None when not computed.
        attribution_prob: The same on the probability scale (sum over tokens of probabilities).
        floor: Numeric floor in nats; None when it was not measured.
        floor_prob: Numeric floor on the probability scale.
        method: How the attributions were estimated.
        grand: Target log-probability with all passages, nats.
        empty: Target log-probability with no passage under the same instructions, nats.
        closed_book: Target log-probability after the plain question, nats.
        singletons: Per passage the target log-probability with this passage alone, nats.
        without: Per passage the target log-probability with all others, nats.
        retriever: Ranks and scores of the passages.
        funnel: The way of each good passage of the trace, whether or not it was scored.
        table: The stored values by coalition; None where nothing was scored.
        extra: Orders, other targets, tokens, streams and texts.
        reason: Why nothing can be said about this trace; None when something can.
    """

    trace: str
    target: str
    players: tuple[str, ...]
    attribution: Mapping[str, float] | None = None
    attribution_prob: Mapping[str, float] | None = None
    floor: float | None = None
    floor_prob: float | None = None
    method: str | None = None
    grand: float | None = None
    empty: float | None = None
    closed_book: float | None = None
    singletons: Mapping[str, float] = field(default_factory=dict)
    without: Mapping[str, float] = field(default_factory=dict)
    retriever: RetrieverView = field(default_factory=RetrieverView)
    funnel: tuple[FunnelRow, ...] = ()
    table: ValueTable | None = None
    extra: Extra = field(default_factory=Extra)
    reason: str | None = None

    def __post_init__(self) -> None:
        for scale in _SCALES:
            named = self._attribution(scale)
            if named is not None and set(named) != set(self.players):
                odd = ", ".join(sorted(set(named) ^ set(self.players)))
                raise ValueError(f"trace {self.trace}: attributions and players differ in {odd}")

    def resolved(self, scale: Scale = "nats") -> Mapping[str, float]:
        """Attributions with rounding of the stored rows set to 0; what the base definitions read.

        Raises:
            AbsentError: No attributions on this scale.
        """
        return _above(self._known(scale), RESOLUTION)

    def reliable(self, scale: Scale = "nats") -> Mapping[str, float]:
        """Attributions with those not above the numeric floor set to 0; what alignment measures read.

        An attribution is above when its size is more than twice the floor, and more than the resolution of
        the stored rows. A floor that was not measured counts as 0.

        Raises:
            AbsentError: No attributions on this scale.
        """
        return _above(self._known(scale), noise_bar(self.numeric_floor(scale)))

    def count_below(self, scale: Scale = "nats") -> int:
        """How many passages :meth:`reliable` sets to 0.

        Raises:
            AbsentError: No attributions on this scale.
        """
        return sum(value == 0 for value in self.reliable(scale).values())

    def numeric_floor(self, scale: Scale = "nats") -> float | None:
        """The numeric floor on the given scale; None when it was not measured."""
        return self.floor if scale == "nats" else self.floor_prob

    def row(self, name: Literal["grand", "empty", "closed_book"]) -> float:
        """Target log-probability of a named row, nats.

        Raises:
            AbsentError: The row was not scored.
        """
        value: float | None = getattr(self, name)
        if value is None:
            raise AbsentError(f"{_ROWS[name]} was not scored")
        return value

    def known_table(self) -> ValueTable:
        """The stored values by coalition.

        Raises:
            AbsentError: Nothing was scored.
        """
        if self.table is None or not self.table.rows:
            raise AbsentError("no coalition was scored")
        return self.table

    def known_orders(self) -> tuple[OrderRow, ...]:
        """The context in several orders, the recorded one first.

        Raises:
            AbsentError: No order was scored.
        """
        return self._stored("orders", self.extra.orders)

    def known_order_answers(self) -> tuple[OrderRow, ...]:
        """Those of the orders in which an answer was generated.

        Raises:
            AbsentError: In none.
        """
        answered = tuple(row for row in self.extra.orders if row.answer is not None)
        return self._stored("order_answers", answered)

    def token_rows(self, target: str = "answer") -> TokenRows:
        """A target token by token.

        Args:
            target: ``answer``, or ``reference:0`` and on.

        Raises:
            AbsentError: The target was not scored.
        """
        found = self.extra.targets.get(target)
        if found is None:
            raise AbsentError(f"the target {target} was not scored")
        return found

    def reference_rows(self) -> Mapping[str, TokenRows]:
        """Every reference token by token, by target id.

        Raises:
            AbsentError: The trace has no references, or they were not scored.
        """
        self.known_references()
        found = {name: rows for name, rows in self.extra.targets.items() if name.startswith(REFERENCE)}
        if not found:
            raise AbsentError("the references were not scored")
        return found

    def known_streams(self) -> Streams:
        """The two next-token distributions over the answer.

        Raises:
            AbsentError: They were not compared.
        """
        return self._stored("streams", self.extra.streams)

    def known_abstention(self) -> Mapping[str, float]:
        """Per passage the probability, when it stands alone, of an answer that begins as an abstention does.

        Raises:
            AbsentError: Not scored.
        """
        return self._stored("abstention", self.extra.abstention)

    def known_contrastive(self) -> Mapping[str, Mapping[str, Floats]]:
        """Per passage and reference id the log-probabilities under the contrastive mixture, shape (T,).

        Raises:
            AbsentError: The trace has no references, or they were not scored so.
        """
        self.known_references()
        return self._stored("contrastive", self.extra.contrastive)

    def known_single_answers(self) -> Mapping[str, str]:
        """Per passage the greedy answer with it alone.

        Raises:
            AbsentError: None was generated.
        """
        return self._stored("single_answers", self.extra.single_answers)

    def known_closed_book_answer(self) -> str:
        """What the model answers to the plain question; may be empty.

        Raises:
            AbsentError: It was not asked.
        """
        if self.extra.closed_book_answer is None:
            raise AbsentError(self._why("closed_book_answer"))
        return self.extra.closed_book_answer

    def known_answer(self) -> str:
        """The answer's text.

        Raises:
            AbsentError: There is none.
        """
        if self.extra.answer is None:
            raise AbsentError("there is no answer")
        return self.extra.answer

    def known_references(self) -> tuple[str, ...]:
        """The right answers.

        Raises:
            AbsentError: The trace has none.
        """
        if not self.extra.references:
            raise AbsentError("the trace has no references")
        return self.extra.references

    def _stored(self, need: str, rows: Rows | None) -> Rows:
        if not rows:
            raise AbsentError(self._why(need))
        return rows

    def _why(self, need: str) -> str:
        return self.extra.absent.get(need, _NO_EXTRA[need])

    def _attribution(self, scale: Scale) -> Mapping[str, float] | None:
        return self.attribution if scale == "nats" else self.attribution_prob

    def _known(self, scale: Scale) -> Mapping[str, float]:
        attribution = self._attribution(scale)
        if attribution is None:
            raise AbsentError(f"no attributions {_SCALES[scale]} were computed")
        return attribution


def _above(attribution: Mapping[str, float], bar: float) -> dict[str, float]:
    return {passage: value if abs(value) > bar else 0.0 for passage, value in attribution.items()}
