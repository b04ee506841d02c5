"""`boresight retrieve`: rank the passages of an index for many queries, as a TREC run."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boresight.cli.app import app, print_json
from boresight.cli.job import split_names
from boresight.cli.options import Device, Json, Limit, Seed
from boresight.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.pipeline.run_file import RunMeasure

Index = Annotated[Path, typer.Argument(metavar="INDEX", help="What `boresight index` made.")]
Candidates = Annotated[
    int, typer.Option(min=0, help="Passages of bm25 that any other ranker scores as a search; 0 for all.")
]


@app.command()
def retrieve(
    index: Index,
    queries: Annotated[Path, typer.Argument(help="queries.jsonl of BEIR, TREC topics, or id, tab, query.")],
    run_file: Annotated[Path, typer.Option(help="TREC run to write; replaced if it exists.")],
    ranker: Annotated[
        str, typer.Option(help="bm25, dense, sparse, maxsim, or the spec of a ranker.")
    ] = "bm25",
    k: Annotated[int, typer.Option("--k", "-k", min=1, help="Most passages a query.")] = 100,
    qrels: Annotated[
        Path | None, typer.Option(help="Judgements of BEIR or TREC, to measure the run.")
    ] = None,
    measures: Annotated[
        str | None,
        typer.Option(help="Measures as ir_measures writes them [nDCG@10,AP,RR,R@10,R@100]."),
    ] = None,
    documents: Annotated[
        bool, typer.Option("--documents", help="Rank documents by their best passage.")
    ] = False,
    candidates: Candidates = 100,
    limit: Limit = None,
    device: Device = "cpu",
    seed: Seed = 0,
    json: Json = False,
) -> None:
    r"""Rank the passages of an index for queries, write a TREC run, and measure it.

    \b
    Example:
      boresight retrieve corpus.index queries.jsonl --ranker bm25 --k 100 \
        --run-file bm25.trec --qrels qrels/test.tsv

    bm25 and dense search the whole index. Any other ranker (sparse:SPEC, maxsim:SPEC, cross-encoder:SPEC, an
    encoder's SPEC) scores the candidates of bm25. The measures are those of the written file; a judged query
    without a result counts 0.
    """
    from boresight.pipeline.index import Index as OpenIndex
    from boresight.pipeline.queries import read_judgements, read_queries
    from boresight.pipeline.retrieve import retrieve_run
    from boresight.pipeline.run_file import MEASURES, measure_run
    from boresight.pipeline.searchers import open_searcher
    from boresight.report.progress import ConsoleProgress
    from boresight.report.text import console

    if measures is not None and qrels is None:
        raise SpecError("--measures needs --qrels to measure by")
    asked = dict(list(read_queries(queries).items())[:limit])
    judged = None if qrels is None else read_judgements(qrels)
    with OpenIndex(index) as opened, ConsoleProgress(console(stderr=True)) as progress:
        searcher = open_searcher(opened, ranker, candidates=candidates, device=device)
        lines = retrieve_run(opened, searcher, asked, run_file, k=k, documents=documents, progress=progress)
    names = MEASURES if measures is None else split_names(measures)
    if judged is not None and limit is not None:
        judged = {query: grades for query, grades in judged.items() if query in asked}
    found = [] if judged is None else measure_run(run_file, judged, names, seed)
    if json:
        print_json({"run_file": str(run_file), "ranker": searcher.name, "queries": len(asked), "lines": lines,
                    "measures": {one.name: asdict(one) for one in found}})  # fmt: skip
        return
    typer.echo(f"{run_file}: {lines:,} lines, {len(asked):,} queries, ranked by {searcher.name}")
    for text in _table(found):
        typer.echo(text)


def _table(found: Sequence[RunMeasure]) -> list[str]:
    if not found:
        return []
    head = f"{'measure':<10} {'value':>7}  {'95 % interval':<17} judged queries"
    return [
        head,
        *(f"{one.name:<10} {one.value:7.4f}  {_interval(one):<17} {one.queries:,}" for one in found),
    ]


def _interval(one: RunMeasure) -> str:
    return "-" if one.low is None or one.high is None else f"{one.low:.4f} .. {one.high:.4f}"
