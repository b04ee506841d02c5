"""Explain the retriever's scores: one stored line a trace, and the rows that are made of it.

Explained are the passages of the context, each on the side of the query and on its own. What is stored in
``explanations.jsonl`` is never made again: a resumed run goes on behind the last whole line.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from boresight.errors import BoresightError, SpecError
from boresight.run.execute import passage_text
from boresight.run.retriever_removals import REMOVALS, find_removals
from boresight.run.saliency_curves import curves_of
from boresight.store.files import append_jsonl, read_jsonl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from boresight.explain.both_sides import BothSides, OneSide, SidesExplainer
    from boresight.models.rankers.seam import Ranker
    from boresight.run.directory import RunDirectory
    from boresight.run.progress import Progress
    from boresight.run.spec import RunSpec
    from boresight.trace import Trace

    Line = dict[str, Any]

RETRIEVER = "retriever"
SIDES = ("query", "passage")


def check_explain(spec: RunSpec, ranker: Ranker | None) -> SidesExplainer | None:
    """The explainer that the settings ask for, None if they ask for none.

    Raises:
        SpecError: There is no retriever to explain, or none of a kind that can be explained.
    """
    if spec.explain and ranker is None:
        raise SpecError(
            f"--explain {','.join(spec.explain)} needs --retriever SPEC: scores that were recorded elsewhere "
            "cannot be explained without the ranker that gave them"
        )
    if RETRIEVER not in spec.explain or ranker is None:
        return None
    from boresight.explain.both_sides import sides_explainer

    return sides_explainer(ranker)


def explain_retriever(
    directory: RunDirectory,
    spec: RunSpec,
    ranker: Ranker | None,
    traces: Sequence[Trace],
    progress: Progress,
    *,
    curves: bool = False,
) -> None:
    """Store the explanations of all traces that have none yet.

    Args:
        directory: The run.
        spec: Its settings.
        ranker: The retriever.
        traces: The traces, in order.
        progress: Told what happens.
        curves: Whether a measure reads the scores of passages with tokens removed.
    """
    explainer = check_explain(spec, ranker)
    if ranker is not None and REMOVALS in spec.explain:
        find_removals(directory, ranker, traces, progress)
    if explainer is None or ranker is None:
        return
    seed = spec.seed if curves else None
    done = sum(1 for _ in read_jsonl(directory.explanations))
    progress.phase("explaining the retriever", len(traces))
    progress.advance(done)
    with directory.timed("explanations"):
        for trace in traces[done:]:
            append_jsonl(directory.explanations, [explained(trace, ranker.name, explainer, seed)])
            progress.advance()


def explained(trace: Trace, stage: str, explainer: SidesExplainer, seed: int | None = None) -> Line:
    """The stored line of one trace; a failure is a line too, since nothing else depends on it.

    Args:
        trace: The trace.
        stage: Name of the ranker's stage.
        explainer: Explains its scores.
        seed: Seed of random removals where the scores of passages with tokens removed are wanted, else None.
    """
    texts = {key: passage_text(trace.passage(key)) for key in trace.context}
    line: Line = {
        "trace": trace.id, "stage": stage, "method": explainer.method, "kind": explainer.kind, "failed": None,
    }  # fmt: skip
    try:
        found = explainer.explain(trace.query, texts)
        curves = {} if seed is None else _curves(trace, texts, explainer, found, seed)
    except (BoresightError, ValueError) as error:
        return line | {"failed": str(error), "passages": []}
    return line | {"passages": [_passage(key, sides, curves.get(key)) for key, sides in found.items()]}


def _curves(
    trace: Trace,
    texts: Mapping[str, str],
    explainer: SidesExplainer,
    found: Mapping[str, BothSides],
    seed: int,
) -> dict[str, Line]:
    """Scores of the passages with tokens removed by their saliency, by passage id."""
    return {
        key: curves_of(text, found[key].passage.tokens, seed, f"{trace.id}\n{key}")
        for key, text in explainer.passage_texts(trace.query, texts).items()
    }


def _passage(key: str, sides: BothSides, curves: Line | None) -> Line:
    line = {
        "passage": key,
        "score": sides.score,
        "query": _side(sides.query),
        "passage_side": _side(sides.passage),
    }
    return line if curves is None else line | {"curves": curves}


def _side(side: OneSide) -> Line:
    stored = asdict(side)
    stored["tokens"] = [list(token.values()) for token in stored["tokens"]]
    return stored


def side_of(passage: Line, side: str) -> Line:
    """One side of a stored passage."""
    found: Line = passage["query" if side == "query" else "passage_side"]
    return found


def saliency_rows(line: Line) -> Iterator[Line]:
    """Rows of ``saliency.parquet`` of one stored line, passage by passage, its query side first."""
    for passage in line["passages"]:
        for side in SIDES:
            for place, text, start, end, value in side_of(passage, side)["tokens"]:
                yield {
                    "trace": line["trace"],
                    "passage": passage["passage"],
                    "stage": line["stage"],
                    "method": line["method"],
                    "side": side,
                    "token": place,
                    "text": text,
                    "start": start,
                    "end": end,
                    "value": value,
                }
