"""What the funnel says about a good passage: a step a stage, at most one loss, what the answer made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.measure.funnel.good import Good

LossKind = Literal[
    "never_retrieved", "scored_low", "cut", "below_cut", "filtered", "merged", "beyond_limit",
    "packing", "packing_budget", "packing_reorder", "unused", "opposed", "answer_wrong", "not_recorded",
]  # fmt: skip

LOSS_KINDS: tuple[LossKind, ...] = get_args(LossKind)

LOSS_WORDS: Mapping[LossKind, str] = {
    "never_retrieved": "never retrieved",
    "scored_low": "scored low",
    "cut": "scored well, cut by top-k",
    "below_cut": "below a cut, how far is not recorded",
    "filtered": "filtered",
    "merged": "merged by fusion or deduplication",
    "beyond_limit": "beyond the encoder's limit",
    "packing": "dropped in packing",
    "packing_budget": "dropped in packing: budget",
    "packing_reorder": "dropped in packing: reordered before the cut",
    "unused": "in the context but unused",
    "opposed": "in the context, speaks against the answer",
    "answer_wrong": "used but the answer is wrong",
    "not_recorded": "lost where nothing is recorded",
}
"""Each kind in a person's words."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Where and how a passage was lost.

    Attributes:
        stage: Name of the stage that lost it, ``context`` or ``generator`` behind the last one; None where
            not even that is recorded. Parallel retrievers that all missed it are joined by `` + ``.
        stage_kind: Kind of that stage, ``context`` or ``generator``; None where the stage is.
        kind: How.
        detail: What the kind was read off, in one sentence without any text of a passage.
        inferred: Whether the kind follows from what such a stage does, not from what this one recorded.
    """

    stage: str | None
    stage_kind: str | None
    kind: LossKind
    detail: str
    inferred: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """What one stage did with a passage.

    Attributes:
        stage: Name of the stage; ``context``, ``generator`` and ``citation`` end the funnel.
        kind: Kind of the stage, or the same three words.
        rank_low: Best rank that the passage can have here, from 0: its scores' tie in its best order; in the
            context its position; None where the stage did not rank it.
        rank_high: Worst rank; equal to ``rank_low`` where nothing is tied.
        score: Its score in this stage, in the stage's own unit, or None.
        margin: Its score minus the last kept one, in that unit; None where a score is missing or nothing
            kept.
        ranked: How many passages the stage recorded.
        cut: How many it was asked to keep, or None.
        survived: Whether it came through; None where that is not recorded.
        tied_at_cut: Whether the order within a tie decided about that.
    """

    stage: str
    kind: str
    rank_low: int | None = None
    rank_high: int | None = None
    score: float | None = None
    margin: float | None = None
    ranked: int | None = None
    cut: int | None = None
    survived: bool | None = None
    tied_at_cut: bool = False


@dataclass(frozen=True, slots=True)
class Generation:
    """What is known about the answer of a trace; whatever is not stays None and is never guessed.

    Attributes:
        attribution: Attribution of each passage of the context, nats; None when none was computed.
        floor: What its size must exceed to count, nats: the larger one of the numeric (twice) and the placebo
            floor.
        cited: Whether the answer cites each passage; None when citations were not read.
        answer_right: Whether the answer is right; None when that is not known.
    """

    attribution: Mapping[str, float] | None = None
    floor: float = 0.0
    cited: Mapping[str, bool] | None = None
    answer_right: bool | None = None


@dataclass(frozen=True, slots=True)
class FunnelRow:
    """One good passage of one trace, from the first retrieval to the citation.

    Attributes:
        trace: Trace id.
        good: The passage, and why it is good.
        steps: What each stage did with it, in order, then context, generator and citation.
        loss: Where it was lost; None where it was not, as far as recorded.
        in_context: Whether it reached the prompt; None where the context is not recorded.
        position: Its place in the context, from 0, or None.
        attribution: Its attribution in nats, or None.
        above_floor: Whether that speaks for the answer beyond the floor, or None.
        cited: Whether the answer cites it, or None.
        answer_right: Whether the answer is right, or None.
    """

    trace: str
    good: Good
    steps: tuple[Step, ...]
    loss: Loss | None = None
    in_context: bool | None = None
    position: int | None = None
    attribution: float | None = None
    above_floor: bool | None = None
    cited: bool | None = None
    answer_right: bool | None = None

    @property
    def passage(self) -> str:
        """Passage id."""
        return self.good.passage

    @property
    def reached(self) -> str | None:
        """The last step that it came through; None when there is none."""
        return next((step.stage for step in reversed(self.steps) if step.survived), None)

    def to_row(self) -> dict[str, Any]:
        """The row of ``funnel.parquet``."""
        loss = self.loss
        lost_at = _step_of(self.steps, loss)
        return {
            "trace": self.trace,
            "passage": self.good.passage,
            "good_by": ",".join(self.good.by),
            "grade": self.good.grade,
            "stage": loss.stage if loss else None,
            "stage_kind": loss.stage_kind if loss else None,
            "lost_kind": loss.kind if loss else None,
            "inferred": loss.inferred if loss else None,
            "detail": loss.detail if loss else None,
            "rank_low": lost_at.rank_low if lost_at else None,
            "rank_high": lost_at.rank_high if lost_at else None,
            "margin": lost_at.margin if lost_at else None,
            "cut": lost_at.cut if lost_at else None,
            "reached": self.reached,
            "in_context": self.in_context,
            "position": self.position,
            "attribution": self.attribution,
            "above_floor": self.above_floor,
            "cited": self.cited,
            "answer_right": self.answer_right,
        }

    def step_rows(self) -> list[dict[str, Any]]:
        """The rows of ``funnel_steps.parquet``, one a step."""
        loss = self.loss
        lost_at = _step_of(self.steps, loss)
        return [
            {
                "trace": self.trace,
                "passage": self.good.passage,
                "step": place,
                "stage": step.stage,
                "stage_kind": step.kind,
                "rank_low": step.rank_low,
                "rank_high": step.rank_high,
                "score": step.score,
                "margin": step.margin,
                "ranked": step.ranked,
                "cut": step.cut,
                "survived": step.survived,
                "tied_at_cut": step.tied_at_cut,
                "lost_kind": loss.kind if loss and step is lost_at else None,
            }
            for place, step in enumerate(self.steps)
        ]


def _step_of(steps: tuple[Step, ...], loss: Loss | None) -> Step | None:
    """The step that a loss is about; None for several retrievers at once and for an unknown stage."""
    if loss is None:
        return None
    return next((step for step in steps if (step.stage, step.kind) == (loss.stage, loss.stage_kind)), None)
