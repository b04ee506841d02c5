"""`boresight report`: a run as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boresight.cli.app import app, print_json
from boresight.cli.options import (
    Json,
)


@app.command()
def report(
    run: Annotated[Path, typer.Argument(help="Run directory of a finished audit.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file [RUN/report.html].")] = None,
    redact: Annotated[bool, typer.Option("--redact", help="Keep ids and numbers only, no text.")] = False,
    json: Json = False,
) -> None:
    r"""Write the report of a run: one HTML file that works offline.

    \b
    Example:
      boresight report runs/first
    """
    from boresight.report.html import write_report

    path = write_report(run, out, redact=redact)
    if json:
        print_json({"report": str(path), "bytes": path.stat().st_size})
    else:
        typer.echo(f"report: {path}")
