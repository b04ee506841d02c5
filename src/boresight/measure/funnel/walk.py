"""Follows each good passage of a trace through the funnel: rank and survival at every stage, and one loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from boresight.measure.funnel.layout import Gate, Layout, lay_out
from boresight.measure.funnel.loss import NEAR, beyond_limit, judge, never_retrieved
from boresight.measure.funnel.types import FunnelRow, Generation, Loss, Step

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from boresight.measure.funnel.good import Good
    from boresight.measure.funnel.types import LossKind
    from boresight.trace import Passage, Trace

    Reading = Mapping[str, Mapping[str, int]]

NOTHING = Generation()


def funnel(
    trace: Trace,
    good: Iterable[Good],
    generation: Generation = NOTHING,
    *,
    read: Reading | None = None,
    exclude: Collection[str] = (),
    near: float = NEAR,
) -> tuple[FunnelRow, ...]:
    """One row per good passage, from the first retrieval to the citation.

    The loss is the first stage that had the passage, or ranked it, and did not keep it; a stage from which it
    came back later (another retriever had it, or the next stage holds it after all) lost nothing. A passage
    that reached the context is then lost by the generator where that is measured: no attribution beyond the
    floor, or one that speaks against the answer, or an answer that is wrong all the same.

    Args:
        trace: The trace.
        good: Its good passages, from :func:`~boresight.measure.funnel.good.good_passages`.
        generation: What is known about the answer.
        read: Per stage and passage, how many characters of the passage's text the stage's encoder read, where
            that is fewer than all. What is left out is looked up in the passage's metadata, under
            ``characters_read`` as a mapping from stage to number.
        exclude: Names of stages that were no part of the pipeline.
        near: A passage below the cut "scored well" when its rank is less than this many times the cut.

    Returns:
        Rows in the order of ``good``.
    """
    layout = lay_out(trace, exclude)
    texts = {passage.id: passage for passage in trace.passages}
    walk = _Walk(layout, texts, read or {}, near)
    return tuple(_finish(walk.follow(one), generation) for one in good)


@dataclass(frozen=True, slots=True)
class _Walk:
    """What does not change from passage to passage."""

    layout: Layout
    texts: Mapping[str, Passage]
    read: Reading
    near: float

    def follow(self, good: Good) -> FunnelRow:
        """The row up to the context."""
        steps = tuple(gate.view.step(good.passage) for gate in self.layout.gates)
        loss = self._through(good.passage)
        context = self.layout.context
        position = None if context is None else context.get(good.passage)
        if context is not None:
            place = Step("context", "context", position, position, survived=position is not None)
            steps = (*steps, place)
            loss = None if position is not None else loss or self._at_the_context()
        if loss is not None and loss.stage is not None:
            loss = beyond_limit(loss, good, self._read(loss.stage, good.passage))
        return FunnelRow(
            self.layout.trace.id,
            good,
            steps,
            loss,
            None if context is None else position is not None,
            position,
        )

    def _through(self, passage: str) -> Loss | None:
        """Its loss among the recorded stages; None where it came through them."""
        loss: Loss | None = None
        inside = False
        nearest = float("inf")
        for gate in self.layout.gates:
            view = gate.view
            if not view.recorded:
                continue
            if passage in view.kept:
                loss, inside = None, True
            elif view.retrieves:
                overshoot = _overshoot(gate, passage)
                if not inside and overshoot < nearest:
                    loss, nearest = judge(gate, passage, self.texts, self.near), overshoot
            elif inside or passage in view.spots:
                loss, inside, nearest = judge(gate, passage, self.texts, self.near), False, -1.0
        if inside or (loss is not None and loss.stage_kind != "retrieve"):
            return loss
        return self._unretrieved(loss)

    def _unretrieved(self, nearest: Loss | None) -> Loss:
        """The loss of a passage that no recorded stage kept.

        Args:
            nearest: Its loss at the retriever that ranked it nearest to the cut; None where none ranked it.
        """
        layout = self.layout
        retrievers = [view for view in layout.retrievers if view.recorded]
        if not retrievers:
            return _unknown("it stands in no recorded stage, and no retriever is recorded before them")
        if layout.stranger is not None:
            where = "the context" if layout.stranger == "context" else f"stage {layout.stranger!r}"
            return _unknown(f"{where} holds passages of a source that is not recorded, which may have had it")
        return nearest or never_retrieved(retrievers)

    def _at_the_context(self) -> Loss:
        """The loss of a passage that the stages kept and the context lacks."""
        last = next(gate.view for gate in reversed(self.layout.gates) if gate.view.recorded)
        first = [place.id for place in last.stage.ranking if place.id in last.kept]
        held = set(self.layout.context or ())
        prefix = f", which holds its first {len(held):,}" if held == set(first[: len(held)]) else ""
        detail = f"lost between {last.name!r} and the context{prefix}; no packing is recorded"
        return Loss("context", "context", "not_recorded", detail)

    def _read(self, stage: str, passage: str) -> int | None:
        """How much of the text the stage's encoder read, where that is recorded."""
        given = self.read.get(stage, {}).get(passage)
        if given is not None or passage not in self.texts:
            return given
        noted = self.texts[passage].metadata.get("characters_read")
        number = noted.get(stage) if isinstance(noted, Mapping) else None
        return number if isinstance(number, int) else None


def _overshoot(gate: Gate, passage: str) -> float:
    """How far below a retriever's cut a passage stands, to choose the nearest among parallel ones."""
    spot = gate.view.spots.get(passage)
    return float("inf") if spot is None else (spot.low + 1) / max(len(gate.view.kept), 1)


def _unknown(detail: str) -> Loss:
    return Loss(None, None, "not_recorded", detail)


def _finish(row: FunnelRow, generation: Generation) -> FunnelRow:
    """The row with what the answer made of the passage."""
    if not row.in_context:
        return replace(row, answer_right=generation.answer_right)
    amount = (generation.attribution or {}).get(row.passage)
    above = None if amount is None else amount > generation.floor
    cited = (generation.cited or {}).get(row.passage)
    generator = Step("generator", "generator", survived=above)
    citation = Step("citation", "citation", survived=cited)
    return replace(
        row,
        steps=(*row.steps, generator, citation),
        loss=_by_the_generator(amount, generation),
        attribution=amount,
        above_floor=above,
        cited=cited,
        answer_right=generation.answer_right,
    )


def _by_the_generator(amount: float | None, generation: Generation) -> Loss | None:
    """What the answer made of a passage in the context, as a loss; None where used, or nothing is known."""
    wrong = generation.answer_right is False
    if amount is None:
        return (
            _generator("not_recorded", "the answer is wrong, and no attribution was computed")
            if wrong
            else None
        )
    size = f"attribution {amount:.3g} nats, floor {generation.floor:.3g}"
    if abs(amount) <= generation.floor:
        return _generator("unused", size)
    if amount < 0:
        return _generator("opposed", size)
    return _generator("answer_wrong", size) if wrong else None


def _generator(kind: LossKind, detail: str) -> Loss:
    return Loss("generator", "generator", kind, detail)
