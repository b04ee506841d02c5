"""`boresight ask`: one question, from retrieval to the audited answer."""

from __future__ import annotations

import shlex
import sys
import tempfile
from contextlib import contextmanager
from enum import StrEnum
from json import loads
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boresight.cli.app import INTERRUPTED, SOME_FAILED, app, print_json
from boresight.cli.job import split_names
from boresight.cli.options import (
    Budget,
    Device,
    Dtype,
    Engine,
    Exact,
    Explain,
    Generator,
    Json,
    NewTokens,
    Seed,
    Spans,
    Threads,
    TokenCap,
)
from boresight.cli.retrieve import Candidates, Index

if TYPE_CHECKING:
    from collections.abc import Iterator

    from boresight.pipeline.ask import Asked


class Order(StrEnum):
    """How the passages stand in the prompt."""

    best_first = "best-first"
    best_last = "best-last"
    ends = "ends"


@app.command()
def ask(
    index: Index,
    question: Annotated[str, typer.Argument(help="The question.")],
    generator: Generator,
    ranker: Annotated[
        list[str] | None,
        typer.Option(help="bm25, dense, sparse, maxsim, or a spec; several are fused by rank [bm25]."),
    ] = None,
    rerank: Annotated[str | None, typer.Option(help="Ranker that scores again what was found.")] = None,
    depth: Annotated[int, typer.Option(min=1, help="Passages that go on to fusion or reranking.")] = 50,
    top: Annotated[int, typer.Option(min=1, help="Passages that reach packing.")] = 5,
    order: Annotated[Order, typer.Option(help="Their order in the prompt.")] = Order.best_first,
    max_characters: Annotated[
        int | None,
        typer.Option(min=0, help="Characters of all passages together; what does not fit is skipped."),
    ] = None,
    candidates: Candidates = 100,
    reference: Annotated[
        list[str] | None, typer.Option(help="A correct answer, if it is known; repeatable.")
    ] = None,
    good: Annotated[
        list[str] | None,
        typer.Option(help="Id of a passage that ought to be used, for --ablate; repeatable."),
    ] = None,
    ablate: Annotated[
        bool,
        typer.Option("--ablate", help="Also change each stage and see what that does to context and answer."),
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Run directory to keep [a temporary one].")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Delete an earlier run first.")] = False,
    max_new_tokens: NewTokens = 128,
    span: Spans = None,
    explain: Explain = None,
    exact: Exact = False,
    max_tokens_per_trace: TokenCap = 60_000,
    budget: Budget = None,
    seed: Seed = 0,
    dtype: Dtype = "fp32",
    device: Device = "cpu",
    threads: Threads = None,
    engine: Engine = "auto",
    json: Json = False,
) -> None:
    r"""Ask an index: retrieve, fuse or rerank, pack, generate, audit, and show both sides.

    \b
    Examples:
      boresight ask notes.index "When was the bridge built?" -g pypi:smollm2-135m-instruct
      boresight ask notes.index "When was the bridge built?" -g pypi:smollm2-135m-instruct \\
        --ranker bm25 --ranker dense --depth 20 --top 4 --reference 1931 --ablate --out runs/bridge

    First the retriever's side: where each passage of the prompt stood at every stage. Then the generator's:
    what the answer rests on. --explain says which words gave the passages their places, where one --ranker or
    a --rerank did (a fusion goes by ranks, not by words). The run directory holds the trace, so report and
    compare work on it.
    """
    from boresight.pipeline.ask import ask as ask_index
    from boresight.pipeline.index import Index as OpenIndex
    from boresight.pipeline.stages import IndexPipeline, Recipe
    from boresight.report.progress import ConsoleProgress
    from boresight.report.text import console
    from boresight.run.audit import phrases

    recipe = Recipe(
        tuple(ranker or ("bm25",)), rerank, depth, top, order.value, max_characters, candidates, device
    )
    settings = {
        "max_new_tokens": max_new_tokens, "spans": phrases(span or ()), "exact": exact,
        "max_tokens_per_trace": max_tokens_per_trace, "budget": budget, "seed": seed, "dtype": dtype,
        "device": device, "threads": threads, "engine": engine, "explain": split_names(explain),
    }  # fmt: skip
    with _folder(out) as folder:
        with OpenIndex(index) as opened, ConsoleProgress(console(stderr=True)) as progress:
            try:
                asked = ask_index(
                    IndexPipeline(opened, recipe),
                    question,
                    generator=generator,
                    out=folder,
                    references=reference or (),
                    good=good or (),
                    ablate=ablate,
                    settings=settings,
                    overwrite=overwrite,
                    command=shlex.join(["boresight", *sys.argv[1:]]),
                    progress=progress,
                )
            except KeyboardInterrupt:
                progress.note("boresight: interrupted; the same command goes on where this one stopped")
                raise typer.Exit(INTERRUPTED) from None
        _show(asked, out, json=json)


@contextmanager
def _folder(out: Path | None) -> Iterator[Path]:
    """The run directory, or a temporary one."""
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="boresight-ask-") as folder:
        yield Path(folder)


def _show(asked: Asked, out: Path | None, *, json: bool) -> None:
    from boresight.report.text import plain

    if json:
        print_json(_as_json(asked, out))
    else:
        _print(asked, out)
    for reason in asked.result.failures.values():
        typer.echo(f"failed: {plain(reason)}", err=True)
    if asked.result.failures:
        raise typer.Exit(SOME_FAILED)


def _print(asked: Asked, out: Path | None) -> None:
    from boresight.pipeline.view import changes_only, way_table
    from boresight.report.funnel_text import ablation_table
    from boresight.report.terminal import show_run
    from boresight.report.text import console

    screen = console()
    screen.print(way_table(asked.trace))
    show_run(asked.result, screen)
    if asked.ablations:
        screen.print("If one stage were changed (what stays the same is left out):")
        screen.print(ablation_table(changes_only(asked.ablations)))
    if out is not None:
        typer.echo(f"run directory: {out}")


def _as_json(asked: Asked, out: Path | None) -> dict[str, Any]:
    from boresight.trace import trace_to_dict

    table = asked.result.passages.reset_index()
    rows = table[table["target"] == "answer"].dropna(subset=["attribution"])
    return {
        "out": None if out is None else str(out),
        "trace": trace_to_dict(asked.trace),
        "answer": asked.result.answers.get(asked.trace.id),
        "attributions": dict(zip(rows["passage"], rows["attribution"], strict=True)),
        "measures": asked.result.summary["measures"],
        "ablations": [one.to_json() for one in asked.ablations],
        "failures": asked.result.failures,
        **_explained(asked),
    }


def _explained(asked: Asked) -> dict[str, Any]:
    """What ``--explain`` found, keyed as the files of the run are named; nothing where nobody asked."""
    found: dict[str, Any] = {}
    if asked.trace.id in asked.result.removals:
        found["removals"] = asked.result.removals[asked.trace.id]
    if "stage" in (asked.result.summary.get("retriever") or {}):
        rows = asked.result.saliency.reset_index()
        found["saliency"] = loads(rows.to_json(orient="records", double_precision=15))
    return found
