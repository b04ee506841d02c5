"""`boresight audit`: the main job."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boresight.cli.app import INTERRUPTED, SOME_FAILED, app, print_json
from boresight.cli.job import make_command_job, split_names
from boresight.cli.options import (
    Budget,
    ClosedBook,
    Device,
    Dtype,
    Engine,
    Exact,
    Explain,
    GeneratorOrNone,
    Good,
    Json,
    LabelsOption,
    LeastGrade,
    Limit,
    Measures,
    Method,
    NewTokens,
    Placebo,
    Players,
    Preset,
    Retriever,
    Revision,
    ScaleOption,
    ScoreEnd,
    Seed,
    Spans,
    Split,
    Stage,
    Threads,
    TokenCap,
    TooLong,
    TooLongOption,
    TracesOrNone,
)
from boresight.errors import SpecError

if TYPE_CHECKING:
    from boresight.run.cost import Cost
    from boresight.run.progress import Progress

ASK_ABOVE_SECONDS = 600


@app.command()
def audit(
    out: Annotated[Path, typer.Option("--out", "-o", help="Run directory; the same command resumes there.")],
    traces: TracesOrNone = None,
    generator: GeneratorOrNone = None,
    retriever: Retriever = None,
    stage: Stage = None,
    limit: Limit = None,
    measures: Measures = None,
    preset: Preset = None,
    labels: LabelsOption = None,
    scale: ScaleOption = None,
    span: Spans = None,
    max_new_tokens: NewTokens = 128,
    score_end: ScoreEnd = False,
    closed_book_answers: ClosedBook = True,
    exact: Exact = False,
    method: Method = "auto",
    max_tokens_per_trace: TokenCap = 60_000,
    budget: Budget = None,
    too_long: TooLongOption = TooLong.refuse,
    placebo: Placebo = 8,
    seed: Seed = 0,
    dtype: Dtype = "fp32",
    device: Device = "cpu",
    revision: Revision = None,
    threads: Threads = None,
    engine: Engine = "auto",
    players: Players = None,
    explain: Explain = None,
    split: Split = None,
    good: Good = None,
    least_grade: LeastGrade = None,
    values: Annotated[
        Path | None,
        typer.Option("--from", help="Run whose stored values to use: other methods and measures, no call."),
    ] = None,
    by: Annotated[
        list[str] | None, typer.Option("--by", help="Slice run-level numbers by meta.FIELD; repeatable.")
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="How many traces to print.")] = 5,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a long run.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Delete an earlier run first.")] = False,
    json: Json = False,
) -> None:
    r"""Audit traces: what each answer rests on, and whether the generator follows the retriever.

    \b
    Examples:
      boresight audit traces.jsonl -g pypi:smollm2-135m-instruct -o runs/first
      boresight audit traces.jsonl -g hf:Qwen/Qwen3-0.6B -o runs/second \\
        -r pypi:all-minilm-l6-v2 --limit 20 --by meta.topic
      boresight audit --from runs/second --method leverage -o runs/third

    A killed or interrupted run goes on where it stopped when the same command is given again.
    """
    from boresight.report.progress import ConsoleProgress
    from boresight.report.text import console
    from boresight.run.audit import phrases
    from boresight.run.measures import chosen_measures
    from boresight.run.reuse import reuse

    settings = {
        "stage": stage, "labels": labels and labels.value, "scale": scale and scale.value,
        "spans": phrases(span or ()), "max_new_tokens": max_new_tokens, "score_end": score_end,
        "closed_book_answers": closed_book_answers,
        "exact": exact, "method": method,
        "max_tokens_per_trace": max_tokens_per_trace, "budget": budget, "too_long": too_long.value,
        "placebo": placebo, "seed": seed, "dtype": dtype, "device": device, "revision": revision,
        "threads": threads, "engine": engine, "players": split_names(players),
        "explain": split_names(explain),
        "split": phrases(split or ()),
        "good": phrases(good or ()), "least_grade": least_grade,
    }  # fmt: skip
    command = shlex.join(["boresight", *sys.argv[1:]])
    with ConsoleProgress(console(stderr=True)) as progress:
        shared: dict[str, Any] = {
            "overwrite": overwrite, "by": by or (), "command": command, "progress": progress,
        }  # fmt: skip
        if values is not None:
            found = None if measures is None else chosen_measures(measures)
            asked = {"traces": traces, "generator": generator, "retriever": retriever, "preset": preset}
            reuse(values, out, settings | asked | {"measures": found, "limit": limit}, **shared)
        else:
            given = _given(traces, generator)
            job = make_command_job(*given, retriever, measures, preset, limit, settings, progress)
            _run(job, out, confirm=_confirm(progress, yes=yes), **shared)
    _show(out, show, json=json)


def _given(traces: str | None, generator: str | None) -> tuple[str, str]:
    if traces is None or generator is None:
        what = "the traces" if traces is None else "--generator"
        raise SpecError(f"give {what}, or --from RUN to use the stored values of a run")
    return traces, generator


def _run(job: Any, out: Path, **options: Any) -> None:
    from boresight.run.audit import run_job

    try:
        run_job(job, out, **options)
    except KeyboardInterrupt:
        options["progress"].note("boresight: interrupted; the same command goes on where this one stopped")
        raise typer.Exit(INTERRUPTED) from None


def _show(out: Path, show: int, *, json: bool) -> None:
    """Print the result; exit 3 where traces failed."""
    from boresight.api import Audit
    from boresight.report.terminal import show_run
    from boresight.report.text import console

    result = Audit(out)
    if json:
        print_json(_result_json(result))
    else:
        show_run(result, console(), show)
        typer.echo(f"run directory: {out}")
    _say_failures(result)
    if result.failures:
        raise typer.Exit(SOME_FAILED)


def _confirm(progress: Progress, *, yes: bool) -> Any:
    def ask(cost: Cost) -> bool:
        from boresight.report.text import cost_lines

        for line in cost_lines(cost):
            progress.note(line)
        long = (cost.known_seconds if cost.seconds is None else cost.seconds) > ASK_ABOVE_SECONDS
        if not long or yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
            return True
        return typer.confirm("This takes more than ten minutes. Go on?", err=True)

    return ask


def _result_json(result: Any) -> dict[str, Any]:
    keys = ("status", "counts", "tokens", "seconds", "floors", "failures")
    return {
        "out": str(result.folder),
        **{key: result.run[key] for key in keys},
        "traces": result.summary["traces"],
        "measures": result.summary["measures"],
    }


def _say_failures(result: Any) -> None:
    from boresight.report.text import plain

    for trace, reason in result.failures.items():
        typer.echo(f"failed: {plain(trace)}: {plain(reason)}", err=True)
