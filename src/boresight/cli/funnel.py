"""`boresight funnel`: where a run lost the passages that ought to carry the answer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boresight.cli.app import app, print_json
from boresight.cli.options import Json
from boresight.errors import SpecError

if TYPE_CHECKING:
    from boresight.report.html.files import RunFiles

    Row = dict[str, Any]


@app.command()
def funnel(
    run: Annotated[Path, typer.Argument(help="Run directory.")],
    trace: Annotated[str | None, typer.Option(help="Only the good passages of this trace.")] = None,
    show: Annotated[int, typer.Option(min=0, help="How many good passages to print.")] = 20,
    json: Json = False,
) -> None:
    r"""Follow each good passage from the first retrieval to the answer: which stage lost it, and how.

    \b
    Examples:
      boresight funnel runs/first
      boresight funnel runs/first --trace q17

    A passage is good when it is labelled relevant, carries a reference answer, or was named with
    `boresight audit --good`.
    """
    from boresight.report.funnel_text import funnel_data
    from boresight.report.html.files import RunFiles
    from boresight.run.result import RunResult

    RunResult(run)  # says it when there is no run, or no finished one
    files = RunFiles(run)
    if "funnel" not in files.summary:
        raise SpecError(f"the run in {run} has no funnel: an older Boresight made it; give its command again")
    if trace is not None and trace not in {one["id"] for one in files.traces}:
        raise SpecError(f"the run in {run} has no trace {trace!r}; `boresight report` lists them")
    rows, steps = _rows(files, trace)
    if json:
        print_json(funnel_data(files.summary["funnel"], rows, steps, files.summary["stages"]))
    else:
        _print(files.summary, rows, steps, trace, show)


def _rows(files: RunFiles, trace: str | None) -> tuple[list[Row], list[Row]]:
    """Rows of good passages and of their steps, of one trace or of all."""
    tables = files.funnel, files.funnel_steps
    wanted = [line["id"] for line in files.traces if trace is None or line["id"] == trace]
    rows, steps = ([row for key in wanted for row in table.get(key, ())] for table in tables)
    return rows, steps


def _print(summary: Row, rows: list[Row], steps: list[Row], trace: str | None, show: int) -> None:
    from boresight.report.funnel_text import (
        LEGEND,
        funnel_view,
        loss_details,
        passage_ways,
        stage_alignment,
        usual_alignment,
    )
    from boresight.report.text import console, counted

    screen = console()
    if trace is None:
        screen.print(funnel_view(summary["funnel"], rows[:show], steps))
        if len(rows) > show:
            screen.print(f"{counted(len(rows) - show, 'more good passage')}: --show N, or --trace ID")
        if summary["stages"]:
            screen.print("\nWhat the answers rest on against the order of each stage", style="bold")
            screen.print(stage_alignment(usual_alignment(summary["stages"])))
    elif rows:
        screen.print(passage_ways(rows, steps), *loss_details(rows), LEGEND, sep="\n")
    else:
        screen.print("no good passage is known in this trace")
