"""What a measure may read about one trace: stored numbers by passage id, never a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from boresight.measure.rows import Extra

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.game.table import ValueTable
    from boresight.measure.funnel.types import FunnelRow

Scale = Literal["nats", "prob"]
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
    """

    stage: str | None = None
    ranks: Mapping[str, float] | None = None
    scores: Mapping[str, float] | None = None
    rank_reason: str | None = None
    score_reason: str | None = None

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

    def _attribution(self, scale: Scale) -> Mapping[str, float] | None:
        return self.attribution if scale == "nats" else self.attribution_prob

    def _known(self, scale: Scale) -> Mapping[str, float]:
        attribution = self._attribution(scale)
        if attribution is None:
            raise AbsentError(f"no attributions {_SCALES[scale]} were computed")
        return attribution


def _above(attribution: Mapping[str, float], bar: float) -> dict[str, float]:
    return {passage: value if abs(value) > bar else 0.0 for passage, value in attribution.items()}
