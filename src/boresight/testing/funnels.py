"""Funnels with one good passage whose loss is known, because a small pipeline was told how to lose it.

The pipeline: a lexical and a dense retriever, fusion, a filter, a reranker, packing, an answer. Every stage
does its own work on lists of ids; a :class:`Fault` says what happens to the good passage, named ``gold``, and
nothing here reads the rules by which the funnel measures name a loss.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from boresight.measure.funnel import Generation
from boresight.stats.random import rng_for
from boresight.trace import Passage, Ranked, Stage, Trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

    from boresight.measure.funnel import LossKind

GOLD = "gold"
TWIN = "twin"
ANSWER = "Zanzibar"
_OTHERS = 60
_DEPTH = 30  # places that a retriever records
_LIMIT = 120  # characters that a short-sighted encoder reads
_FLOOR = 0.2

Packing = Literal["order", "skip", "reorder"]


@dataclass(frozen=True, slots=True)
class Fault:
    """How the good passage is lost.

    Attributes:
        kind: The kind of the loss; None when nothing is lost.
        stage: The stage that is to blame; None when nothing is lost.
        lexical: Its rank in the lexical retriever; None when that does not find it.
        dense: Its rank in the dense one.
        has_twin: Whether another passage has the same text, which fusion keeps in its place.
        filtered: Whether the filter drops it.
        reranked: Its rank after reranking.
        packing: Whether packing keeps the order, skips the good passage (too long), or reorders before its
            cut.
        attribution: Its attribution in nats, if it reaches the context.
        right: Whether the answer is right.
        late_answer: Whether the answer stands at the end of a text that is longer than encoders read.
    """

    kind: LossKind | None
    stage: str | None
    lexical: int | None = 3
    dense: int | None = 2
    has_twin: bool = False
    filtered: bool = False
    reranked: int = 0
    packing: Packing = "order"
    attribution: float = 2.0
    right: bool = True
    late_answer: bool = False


FAULTS: tuple[Fault, ...] = (
    Fault(None, None),
    Fault("never_retrieved", "bm25 + dense", lexical=None, dense=None),
    Fault("scored_low", "dense", lexical=None, dense=25),
    Fault("cut", "bm25", lexical=11, dense=None),
    Fault("merged", "fuse", has_twin=True),
    Fault("filtered", "language", filtered=True),
    Fault("scored_low", "rerank", reranked=13),
    Fault("cut", "rerank", reranked=7),
    Fault("beyond_limit", "dense", lexical=None, dense=24, late_answer=True),
    Fault("beyond_limit", "rerank", reranked=12, late_answer=True),
    Fault("packing_budget", "pack", reranked=5),
    Fault("packing_budget", "pack", reranked=1, packing="skip"),
    Fault("packing_reorder", "pack", reranked=1, packing="reorder"),
    Fault("unused", "generator", attribution=0.1),
    Fault("opposed", "generator", attribution=-1.5, right=False),
    Fault("answer_wrong", "generator", right=False),
)
"""Every kind of loss, and none."""


@dataclass(frozen=True, slots=True)
class FunnelCase:
    """A trace whose good passage was lost in a known way.

    Attributes:
        trace: The trace, with every stage recorded: also what a stage cut.
        fault: What happened to the good passage.
        generation: What the answer made of the context.
        read: Characters that each stage's encoder read of the good passage.
    """

    trace: Trace
    fault: Fault
    generation: Generation
    read: Mapping[str, Mapping[str, int]]


def funnel_cases(repeats: int = 5, seed: int = 0) -> list[FunnelCase]:
    """Every fault several times, with other passages, scores and cuts around it.

    Args:
        repeats: Cases a fault.
        seed: Seed of everything that is drawn.
    """
    return [
        funnel_case(fault, f"{index:02}-{repeat}", seed)
        for index, fault in enumerate(FAULTS)
        for repeat in range(repeats)
    ]


def funnel_case(fault: Fault, name: str, seed: int = 0) -> FunnelCase:
    """Run the pipeline with one fault.

    Args:
        fault: What happens to the good passage.
        name: Id of the trace; what is drawn depends on it and the seed.
        seed: The seed.
    """
    rng = rng_for(seed, "funnel", name)
    stages, context = _run(fault, rng)
    places = {place.id for stage in stages for place in stage.ranking}
    trace = Trace(
        name,
        "Where did the ship land?",
        tuple(Passage(key, _text(key, fault)) for key in sorted(places | {GOLD})),
        context,
        stages,
        references=(ANSWER,),
        relevance={GOLD: 1},
    )
    drawn = rng.normal(0, 0.5, len(context))
    weights = {key: float(weight) for key, weight in zip(context, drawn, strict=True)}
    if GOLD in weights:
        weights[GOLD] = fault.attribution
    read = {stage: {GOLD: _LIMIT} for stage in ("dense", "rerank")} if fault.late_answer else {}
    return FunnelCase(trace, fault, Generation(weights, _FLOOR, None, fault.right), read)


def without_stages(case: FunnelCase, names: Sequence[str]) -> FunnelCase:
    """The case as a tracer records it that misses some stages."""
    kept = tuple(stage for stage in case.trace.stages if stage.name not in names)
    return replace(case, trace=replace(case.trace, stages=kept))


def only_what_was_kept(case: FunnelCase) -> FunnelCase:
    """The case as a tracer records it that sees only what leaves a stage."""
    stages = tuple(
        replace(stage, ranking=stage.ranking[: len(stage.ranking) if stage.cut is None else stage.cut])
        for stage in case.trace.stages
    )
    return replace(case, trace=replace(case.trace, stages=stages))


def _run(fault: Fault, rng: np.random.Generator) -> tuple[tuple[Stage, ...], tuple[str, ...]]:
    """All stages, and the context."""
    others = [f"p{number:02}" for number in rng.permutation(_OTHERS)]
    # Two halves, so that each retriever alone brings passages that fusion keeps.
    lexical = _retrieve("bm25", others[: _OTHERS // 2], fault.lexical, rng, fault)
    dense = _retrieve("dense", others[_OTHERS // 2 :], fault.dense, rng, fault)
    fuse = _fuse(lexical, dense, fault)
    language = _filter(fuse, fault, rng)
    rerank = _rerank(language, fault, rng)
    pack, context = _pack(rerank, fault)
    return (lexical, dense, fuse, language, rerank, pack), context


def _retrieve(
    name: str, found: Sequence[str], rank: int | None, rng: np.random.Generator, fault: Fault
) -> Stage:
    """A retriever that records 30 places and passes on ten."""
    order = list(found)[:_DEPTH]
    if fault.has_twin:
        order[0] = TWIN
    if rank is not None:
        order = [*order[:rank], GOLD, *order[rank:]][:_DEPTH]
    return Stage(name, "retrieve", _scored(order, rng), 10)


def _fuse(lexical: Stage, dense: Stage, fault: Fault) -> Stage:
    """Reciprocal rank fusion of what both retrievers pass on; of equal texts the first found stays."""
    points: dict[str, float] = {}
    for stage in (lexical, dense):
        for rank, place in enumerate(stage.ranking[: stage.cut]):
            points[place.id] = points.get(place.id, 0.0) + 1 / (60 + rank)
    if fault.has_twin:
        points.pop(GOLD, None)
    order = sorted(points, key=lambda key: (-points[key], key))
    return Stage("fuse", "fuse", tuple(Ranked(key, points[key]) for key in order))


def _filter(fuse: Stage, fault: Fault, rng: np.random.Generator) -> Stage:
    """A filter that drops one other passage, and the good one where the fault says so."""
    others = [place.id for place in fuse.ranking if place.id not in {GOLD, TWIN}]
    dropped = {others[int(rng.integers(len(others)))]} | ({GOLD} if fault.filtered else set())
    return Stage("language", "filter", tuple(place for place in fuse.ranking if place.id not in dropped))


def _rerank(entering: Stage, fault: Fault, rng: np.random.Generator) -> Stage:
    """A reranker that records all it ranked and passes on six."""
    order = [place.id for place in entering.ranking if place.id != GOLD]
    order = [order[place] for place in rng.permutation(len(order))]
    if any(place.id == GOLD for place in entering.ranking):
        order.insert(fault.reranked, GOLD)
    return Stage("rerank", "rerank", _scored(order, rng), 6)


def _pack(rerank: Stage, fault: Fault) -> tuple[Stage, tuple[str, ...]]:
    """Packing of four, with the reranker's scores; skipping or reordering where the fault says so."""
    entering = list(rerank.ranking[: rerank.cut])
    if fault.packing == "skip":
        kept = [place for place in entering if place.id != GOLD][:4]
        return Stage("pack", "pack", tuple(kept)), tuple(place.id for place in kept)
    if fault.packing == "reorder":
        entering = entering[::2] + entering[1::2][::-1]
    return Stage("pack", "pack", tuple(entering), 4), tuple(place.id for place in entering[:4])


def _scored(order: Sequence[str], rng: np.random.Generator) -> tuple[Ranked, ...]:
    """Falling scores of no round value."""
    scores = -(rng.uniform(0.1, 1.0, len(order)).cumsum()) + 20
    return tuple(Ranked(key, float(score)) for key, score in zip(order, scores, strict=True))


def _text(key: str, fault: Fault) -> str:
    if key not in {GOLD, TWIN}:
        return f"Passage {key} is about something else."
    filler = "The log of the voyage goes on for many days. " * 5 if fault.late_answer else ""
    return f"{filler}The ship landed in {ANSWER}."
