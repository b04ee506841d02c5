"""How a stage lost a passage that had entered it: one rule a kind of stage.

A kind is given only where the record shows it. What a stage of that kind does by its nature, but did not
record, is marked as inferred; where the record allows several kinds the loss is ``not_recorded`` or one of
the wider kinds (``below_cut``, ``packing``).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from boresight.measure.funnel.packing import lost_in_packing
from boresight.measure.funnel.types import Loss

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.measure.funnel.good import Good
    from boresight.measure.funnel.layout import Gate
    from boresight.measure.funnel.places import Spot, StageView
    from boresight.measure.funnel.types import LossKind
    from boresight.trace import Passage

NEAR = 2.0
"""A passage below the cut scored well when a cut this many times as long would have kept it."""

_SCORING = frozenset({"retrieve", "rerank"})
_RANKED_OUT = frozenset({"never_retrieved", "scored_low", "cut", "below_cut"})
_SAME = 1e-6  # relative difference up to which two recorded scores are one


def judge(gate: Gate, passage: str, texts: Mapping[str, Passage], near: float = NEAR) -> Loss:
    """How a stage lost a passage.

    Args:
        gate: The stage that the passage entered, or that ranked it, and that did not keep it.
        passage: Passage id.
        texts: The passages whose text is known, by id.
        near: See :data:`NEAR`.
    """
    view = gate.view
    spot = view.spots.get(passage)
    gap = gate.gap or _rescored(gate)
    if spot is None and gap:
        return _loss(
            view, "not_recorded", "something between the recorded stage before and this one is missing"
        )
    if view.kind == "pack":
        twin = _twin(view, passage, texts)
        return _merged(view) if twin else lost_in_packing(view, None if gap else gate.before, passage)
    if spot is not None:
        return _below(view, spot, near)
    return _absent(view, passage, texts)


def never_retrieved(views: Sequence[StageView]) -> Loss:
    """The loss of a passage that none of the retrievers found."""
    found = " + ".join(f"{len(view.spots):,}" for view in views)
    name = " + ".join(view.name for view in views)
    return Loss(name, "retrieve", "never_retrieved", f"not among the {found} that were retrieved")


def beyond_limit(loss: Loss, good: Good, read: int | None) -> Loss:
    """The loss as the encoder's limit explains it, where it does.

    It does where a stage that scores texts ranked the passage out, and the reference answer ends behind what
    its encoder read of the text. A passage without a reference answer in it may have been good for what was
    read.

    Args:
        loss: The loss.
        good: The passage.
        read: Characters of the passage's text that the encoder of the stage read; None where it read all, or
            where that is not recorded.
    """
    if read is None or loss.kind not in _RANKED_OUT or loss.stage_kind not in _SCORING:
        return loss
    if good.answer_end is None or good.answer_end <= read:
        return loss
    detail = f"the encoder read {read:,} characters, the answer ends at {good.answer_end:,}; {loss.detail}"
    return Loss(loss.stage, loss.stage_kind, "beyond_limit", detail)


def _below(view: StageView, spot: Spot, near: float) -> Loss:
    """Ranked, and below the cut."""
    kept = len(view.kept)
    rank = f"rank {spot.low}" if spot.low == spot.high else f"rank {spot.low} to {spot.high}, tied,"
    if spot.low < near * max(kept, 1):
        return _loss(view, "cut", f"{rank} (from 0) of {len(view.spots):,}, the first {kept:,} were kept")
    return _loss(
        view,
        "scored_low",
        f"{rank} (from 0) of {len(view.spots):,}, far from the first {kept:,} that were kept",
    )


def _absent(view: StageView, passage: str, texts: Mapping[str, Passage]) -> Loss:
    """Entered, and not in the ranking that left."""
    ranks_all = len(view.spots) > len(view.kept)
    may_cut = view.is_full or (view.kind == "rerank" and view.stage.cut is None)
    if _twin(view, passage, texts) and not (view.kind == "rerank" and may_cut):
        return _merged(view)
    if view.kind == "filter":
        return _loss(view, "filtered", "it entered and did not leave")
    if ranks_all:  # also what it cut, so a passage that it does not rank was lost on the way to it
        return _loss(view, "not_recorded", "the stage ranked others that it cut, and not this one")
    if may_cut:
        detail = f"{len(view.kept):,} were kept, and only those were recorded"
        return _loss(view, "below_cut", detail, inferred=True)
    if view.kind == "fuse":
        return _loss(view, "merged", "fusion gives all that enters but what it merges", inferred=True)
    room = f"{len(view.kept):,} were kept where {view.stage.cut:,} could be"
    return _loss(view, "filtered", f"not cut for want of room: {room}", inferred=True)


def _merged(view: StageView) -> Loss:
    return _loss(view, "merged", "a passage with the same text came through in its place")


def _loss(view: StageView, kind: LossKind, detail: str, *, inferred: bool = False) -> Loss:
    return Loss(view.name, view.kind, kind, detail, inferred)


def _twin(view: StageView, passage: str, texts: Mapping[str, Passage]) -> str | None:
    """A passage that came through with the same words; None where there is none or the text is unknown."""
    own = texts.get(passage)
    if own is None or passage in view.spots:
        return None
    key = own.text.split()
    return next((one for one in sorted(view.kept) if one in texts and texts[one].text.split() == key), None)


def _rescored(gate: Gate) -> bool:
    """Whether a stage that gives no scores of its own carries others than its input: a ranker between."""
    if gate.before is None or gate.view.kind not in {"filter", "pack"}:
        return False
    pairs = (
        (spot.score, gate.before.spots[key].score)
        for key, spot in gate.view.spots.items()
        if key in gate.before.spots
    )
    return any(
        one is not None and other is not None and not math.isclose(one, other, rel_tol=_SAME, abs_tol=1e-12)
        for one, other in pairs
    )
