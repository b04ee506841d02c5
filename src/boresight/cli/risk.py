"""`boresight risk`: an upper bound of what can go wrong, from a finished run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boresight.cli.app import app, print_json
from boresight.cli.options import Json


@app.command()
def risk(
    run: Annotated[Path, typer.Argument(help="Run directory of a finished audit.")],
    measure: Annotated[
        str | None, typer.Option("--measure", metavar="NAME", help="Risk is 1 - this measure.")
    ] = None,
    lower_is_better: Annotated[
        bool, typer.Option("--lower-is-better", help="The measure itself is the risk.")
    ] = False,
    finding: Annotated[
        str | None, typer.Option("--finding", metavar="KIND", help="Risk is the share of traces with it.")
    ] = None,
    delta: Annotated[float, typer.Option(help="Probability with which the bound may fail.")] = 0.1,
    shift: Annotated[
        float, typer.Option(help="Hellinger distance of later traces that the bound allows for.")
    ] = 0.0,
    json: Json = False,
) -> None:
    r"""Bound the mean risk of a system from audited traces: conformal, without assumptions on the losses.

    \b
    Examples:
      boresight risk runs/first --measure top1_agreement
      boresight risk runs/first --measure wasted_retrieval@2 --lower-is-better
      boresight risk runs/first --finding harmful_passage --delta 0.05

    The bound speaks of the mean over traces like these that have a value. Too few traces are refused.
    """
    from boresight.errors import SpecError
    from boresight.report.text import plain
    from boresight.run.risk import finding_risk, measure_risk

    if (measure is None) == (finding is None):
        raise SpecError("name the risk: one of --measure NAME and --finding KIND")
    if measure is not None:
        found = measure_risk(run, measure, delta=delta, lower_is_better=lower_is_better, shift=shift)
    else:
        found = finding_risk(run, finding or "", delta=delta, shift=shift)
    if json:
        print_json(found.to_json())
    else:
        typer.echo(plain(found.sentence))
