"""A pipeline that can be run again: named stages in a row, each a callable, with changes to one of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from boresight.errors import SpecError
from boresight.trace import Ranked, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from boresight.trace import Passage, StageKind, Trace

    Ranking = tuple[Ranked, ...]
    Rank = Callable[[str, Ranking], Sequence[Ranked]]

ChangeKind = Literal["inject", "decoy", "skip", "recut"]


@dataclass(frozen=True, slots=True)
class PipelineStage:
    """One stage.

    Attributes:
        name: Unique in the pipeline.
        kind: ``retrieve``, ``fuse``, ``filter``, ``rerank`` or ``pack``.
        rank: From the query and the ranking that enters (empty for the first stage) to the ranking that
            leaves, best first, before the cut. Several retrievers and their fusion are one such stage.
        cut: How many of it go on; None for all.
    """

    name: str
    kind: StageKind
    rank: Rank
    cut: int | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One thing done to one stage.

    Attributes:
        kind: ``inject`` the good passages (an oracle), or as many others (``decoy``), ``skip`` the stage
            (identity), ``recut`` it.
        stage: Name of the stage.
        cut: The other cut of ``recut``; None for no cut.
    """

    kind: ChangeKind
    stage: str
    cut: int | None = None

    @property
    def name(self) -> str:
        """``inject@bm25``, ``skip@minilm``, ``recut@minilm=10``."""
        end = f"={'none' if self.cut is None else self.cut}" if self.kind == "recut" else ""
        return f"{self.kind}@{self.stage}{end}"


def inject(stage: str) -> Change:
    """Let a stage put the good passages first, as an oracle would; the cut stays, so others fall out."""
    return Change("inject", stage)


def decoy(stage: str) -> Change:
    """The control beside :func:`inject`: as many passages that are not good, from what it cut."""
    return Change("decoy", stage)


def skip(stage: str) -> Change:
    """Let a stage pass on what it gets; its cut stays, so that only its order is taken away."""
    return Change("skip", stage)


def recut(stage: str, cut: int | None) -> Change:
    """Let a stage keep more or fewer passages.

    Raises:
        SpecError: The cut is negative.
    """
    if cut is not None and cut < 0:
        raise SpecError(f"a cut must be 0 or more, got {cut}; write none for no cut")
    return Change("recut", stage, cut)


class Pipeline:
    """Stages in a row.

    Args:
        stages: The stages, the first one retrieves.
        passages: The text of each passage that may reach the context, by id; a function is asked for those
            only.

    Raises:
        SpecError: There is no stage, or two share a name.
    """

    def __init__(
        self,
        stages: Sequence[PipelineStage],
        passages: Mapping[str, Passage] | Callable[[str], Passage],
    ) -> None:
        self.stages = tuple(stages)
        self._passage = passages if callable(passages) else passages.__getitem__
        names = [stage.name for stage in self.stages]
        if not names:
            raise SpecError("a pipeline needs at least one stage; give it one that retrieves")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise SpecError(f"two stages are named {twice!r}; give each its own name")

    def check(self, change: Change) -> None:
        """Refuse a change that this pipeline cannot make.

        Raises:
            SpecError: There is no such stage, or the first one would be skipped.
        """
        names = [stage.name for stage in self.stages]
        if change.stage not in names:
            raise SpecError(
                f"{change.name}: there is no stage {change.stage!r}; there are {', '.join(names)}"
            )
        if change.kind == "skip" and change.stage == names[0]:
            raise SpecError(f"{change.name}: nothing enters the first stage, so it cannot be skipped")

    def run(
        self,
        trace: Trace,
        change: Change | None = None,
        first: Sequence[str] = (),
        before: Trace | None = None,
    ) -> Trace:
        """Run the pipeline for the query of a trace.

        Args:
            trace: The trace; its stages, context and answer are replaced.
            change: What to change, or None.
            first: Ids that ``inject`` or ``decoy`` puts first, best first.
            before: The same trace run without a change; stages before the changed one are taken from it.

        Returns:
            The trace with the full ranking and cut of every stage, what is left as context, and no answer.

        Raises:
            SpecError: The change cannot be made.
            InputError: A stage gives no sound ranking.
        """
        if change is not None:
            self.check(change)
        done: list[Stage] = []
        entering: Ranking = ()
        for place, stage in enumerate(self.stages):
            mine = change if change is not None and change.stage == stage.name else None
            if before is not None and change is not None and not _begun(change, done, stage):
                done.append(before.stages[place])
            else:
                done.append(_run(stage, mine, trace.query, entering, first))
            entering = done[-1].ranking if done[-1].cut is None else done[-1].ranking[: done[-1].cut]
        return self._with(trace, tuple(done), entering)

    def _with(self, trace: Trace, stages: tuple[Stage, ...], last: Ranking) -> Trace:
        context = tuple(place.id for place in last)
        known = {passage.id for passage in trace.passages}
        fetched = tuple(self._passage(key) for key in context if key not in known)
        return replace(
            trace, passages=(*trace.passages, *fetched), stages=stages, context=context, answer=None
        )


def _begun(change: Change, done: Sequence[Stage], stage: PipelineStage) -> bool:
    """Whether this stage is the changed one or comes behind it."""
    return stage.name == change.stage or any(one.name == change.stage for one in done)


def _run(
    stage: PipelineStage, change: Change | None, query: str, entering: Ranking, first: Sequence[str]
) -> Stage:
    kind = change.kind if change else None
    ranking = entering if kind == "skip" else tuple(stage.rank(query, entering))
    if kind in {"inject", "decoy"}:
        ranking = _oracle(ranking, first)
    cut = change.cut if change is not None and kind == "recut" else stage.cut
    return Stage(stage.name, stage.kind, ranking, cut)


def _oracle(ranking: Ranking, ids: Sequence[str]) -> Ranking:
    """Some passages first, with the best score of the ranking, so that a sort by score leaves them there."""
    best = max((place.score for place in ranking if place.score is not None), default=None)
    first = tuple(Ranked(key, best) for key in ids)
    return (*first, *(place for place in ranking if place.id not in set(ids)))
