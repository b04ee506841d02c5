"""Perturbed contexts with known alignment: the setups by which a measure of alignment is checked.

A context is the retriever's top k and k other passages: its lowest k (setup A), k random passages of a corpus
(B), or the next k (C). Condition 1 puts the top first in the prompt, 2 last, 3 shuffles. The retriever's
score of a passage is its place in the prompt, n-1 to 0, **in every condition**: so condition 2 is a ranking
that is wrong on purpose, and a measure of alignment should be higher under 1 than under 2.

Source: RAG-E, arXiv 2601.21803, and its code (package rag-exp 0.2); its published runs are setup B, k = 5.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from boresight.errors import InputError
from boresight.trace import Passage, Ranked, Stage, Trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np

Setup = Literal["A", "B", "C"]
SETUPS: Mapping[Setup, str] = {
    "A": "top k with the lowest k",
    "B": "top k with k random passages of a corpus",
    "C": "top k with the next k",
}
CONDITIONS: Mapping[int, str] = {1: "top first", 2: "top last", 3: "shuffled"}
STAGE = "prompt position"


def conditions(
    trace: Trace, setup: Setup, k: int, corpus: Sequence[Passage], rng: np.random.Generator
) -> dict[int, Trace]:
    """The trace under each condition, without its answer, ranked by prompt position.

    Args:
        trace: A trace with a ranking.
        setup: Which passages join the top k.
        k: How many of each.
        corpus: Where setup B draws from; passages that the trace holds are passed over.
        rng: Draws them, and the shuffle.

    Raises:
        InputError: The trace has no ranking, or too few passages are there.
    """
    ranking = trace.last_ranking()
    order = [] if ranking is None else [place.id for place in ranking.ranking]
    least = k if setup == "B" else 2 * k
    if len(order) < least:
        raise InputError(
            f"trace {trace.id!r} ranks {len(order)} passages and setup {setup} with k = {k} needs {least}"
        )
    own = {passage.id: passage for passage in trace.passages}
    top = [own[key] for key in order[:k]]
    if setup == "B":
        others = _strangers(trace, k, corpus, rng)
    else:
        others = [own[key] for key in (order[-k:] if setup == "A" else order[k : 2 * k])]
    both = top + others
    shuffled = [both[place] for place in rng.permutation(len(both))]
    arranged = {1: both, 2: others + top, 3: shuffled}
    return {number: _arranged(trace, passages) for number, passages in arranged.items()}


def _strangers(trace: Trace, k: int, corpus: Sequence[Passage], rng: np.random.Generator) -> list[Passage]:
    texts = {passage.text for passage in trace.passages}
    taken, found = {passage.id for passage in trace.passages}, []
    for place in rng.permutation(len(corpus)):
        passage = corpus[int(place)]
        if passage.text.strip() and passage.text not in texts:
            found.append(replace(passage, id=_free(passage.id, taken)))
            texts.add(passage.text)
            taken.add(found[-1].id)
        if len(found) == k:
            return found
    raise InputError(
        f"trace {trace.id!r} needs {k} passages of the corpus that it does not hold; give a larger one"
    )


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    return name


def _arranged(trace: Trace, passages: Sequence[Passage]) -> Trace:
    scores = range(len(passages) - 1, -1, -1)
    ranking = tuple(Ranked(one.id, float(score)) for one, score in zip(passages, scores, strict=True))
    context = tuple(passage.id for passage in passages)
    stage = Stage(STAGE, "rerank", ranking)
    return replace(
        trace, passages=tuple(passages), context=context, stages=(stage,), relevance={}, answer=None
    )
