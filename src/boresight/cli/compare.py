"""`boresight compare`: two runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boresight.cli.app import app, print_json
from boresight.cli.options import Json, Seed


@app.command()
def compare(
    first: Annotated[Path, typer.Argument(help="Run directory to compare with.")],
    second: Annotated[Path, typer.Argument(help="Run directory that is compared.")],
    html: Annotated[
        Path | None, typer.Option("--html", help="Write the comparison as one HTML file, too.")
    ] = None,
    redact: Annotated[bool, typer.Option("--redact", help="No text of a trace in that file.")] = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    r"""Compare two runs trace by trace: paired differences with intervals, second minus first.

    \b
    Examples:
      boresight compare runs/before runs/after
      boresight compare runs/before runs/after --html compare.html
    """
    from boresight.report.compare_text import comparison_view
    from boresight.report.html.compare_page import write_comparison
    from boresight.report.progress import ConsoleProgress
    from boresight.report.text import console
    from boresight.run.compare import compare_runs
    from boresight.run.result import RunResult

    runs = RunResult(first), RunResult(second)
    with ConsoleProgress(console(stderr=True)) as progress:
        compared = compare_runs(*runs, seed=seed, progress=progress)
    if html is not None:
        write_comparison(compared, *runs, html, redact=redact)
        typer.echo(f"comparison: {html}", err=json)
    if json:
        print_json(compared.to_json())
    else:
        console().print(comparison_view(compared))
