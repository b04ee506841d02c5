"""How packing lost a passage: was the budget spent before its rank, or was the order changed before the cut?

A packer that puts the best passages at both ends ("lost in the middle") and cuts afterwards drops good ones,
which would have been kept had it cut first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from boresight.measure.funnel.types import Loss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.measure.funnel.places import StageView
    from boresight.measure.funnel.types import LossKind

_MANY = 3  # kept passages from which on a pattern is no accident


def lost_in_packing(view: StageView, before: StageView | None, passage: str) -> Loss:
    """How a packing stage lost a passage that entered it.

    With m passages kept: ranked m or worse on entry, it was the budget. Ranked better, it was the reorder
    where the packed order puts the passage behind all that were kept, or where the kept ones are the first m
    of a usual reordering of the input; and the budget (skipped, probably too long) where the packed order
    keeps the passage before others that were kept, or keeps the order of entry and no count did the cutting.

    Args:
        view: The packing stage.
        before: The stage whose ranking entered it; None where that is not recorded.
        passage: Passage id.
    """
    entry = before.spots.get(passage) if before else None
    if before is None or entry is None:
        return _loss(view, "packing", "its rank on entry is not recorded")
    number = len(view.kept)
    rank = f"rank {entry.low}" if entry.low == entry.high else f"rank {entry.low} to {entry.high}, tied,"
    if entry.low >= number:
        return _loss(view, "packing_budget", f"{rank} on entry, {number:,} were packed")
    if entry.high >= number:
        return _loss(
            view, "packing", f"{rank} on entry, {number:,} were packed: the order of the tie decided"
        )
    return _ahead(view, before, passage, f"{rank} on entry would have been kept among {number:,}")


def _ahead(view: StageView, before: StageView, passage: str, detail: str) -> Loss:
    """It stood high enough on entry and was not packed."""
    spot = view.spots.get(passage)
    if spot is not None:
        places = [view.spots[key].place for key in view.kept if key in view.spots]
        if places and max(places) < spot.place:
            return _loss(view, "packing_reorder", f"{detail}; packing put it behind all that were kept")
        return _loss(view, "packing_budget", f"{detail}; packing skipped it for others behind it")
    kept = [place.id for place in view.stage.ranking if place.id in view.kept]
    entered = [place.id for place in before.stage.ranking if place.id in before.kept]
    if len(kept) >= _MANY and any(kept == order[: len(kept)] for order in reorderings(entered)):
        return _loss(
            view, "packing_reorder", f"{detail}; the kept ones begin a known reordering", inferred=True
        )
    if not view.is_full and _in_order(kept, before):
        return _loss(
            view, "packing_budget", f"{detail}; it was skipped, the order is unchanged", inferred=True
        )
    return _loss(view, "packing", f"{detail}; skipped or reordered, the record does not say")


def reorderings(entered: Sequence[str]) -> list[list[str]]:
    """The usual reorderings of a ranking before it is put into a prompt.

    Best at both ends beginning with the best (1 3 5 6 4 2), beginning with the second (2 4 6 5 3 1), and
    worst first (6 5 4 3 2 1).

    Source: N. Liu et al., Lost in the Middle, arXiv 2307.03172, and the reorderings of common frameworks.
    """
    odd, even = list(entered[::2]), list(entered[1::2])
    return [odd + even[::-1], even + odd[::-1], list(entered[::-1])]


def _in_order(kept: Sequence[str], before: StageView) -> bool:
    ranks = [before.spots[key].low for key in kept if key in before.spots]
    return ranks == sorted(ranks)


def _loss(view: StageView, kind: LossKind, detail: str, *, inferred: bool = False) -> Loss:
    return Loss(view.name, view.kind, kind, detail, inferred)
