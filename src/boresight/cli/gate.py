"""`boresight gate`: bounds for continuous integration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boresight.cli.app import GATE_FAILED, app, print_json
from boresight.cli.options import Json, Seed


@app.command()
def gate(
    run: Annotated[Path, typer.Argument(help="Run directory to judge.")],
    minimum: Annotated[
        list[str] | None,
        typer.Option("--min", metavar="NAME=X", help="Lower bound of a measure; repeatable."),
    ] = None,
    maximum: Annotated[
        list[str] | None,
        typer.Option("--max", metavar="NAME=X", help="Upper bound of a measure; repeatable."),
    ] = None,
    against: Annotated[
        Path | None, typer.Option(help="Base run: the bounds are of the paired differences, RUN minus base.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Let undefined measures fail.")] = False,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    r"""Judge a run by bounds, for continuous integration: exit 1 when one is broken.

    \b
    Examples:
      boresight gate runs/new --min warg@1.5=0.2 --max wasted_retrieval=0.5
      boresight gate runs/new --against runs/base --min context_gain=-0.5

    A rule fails when the whole 95 percent interval lies beyond its bound. A bound inside the interval passes
    as undecided. A measure that the run does not hold is bad usage (exit 2).
    """
    from boresight.report.text import plain
    from boresight.run.gate import judge
    from boresight.run.gate_rules import parse_rule

    rules = [parse_rule(text, "min") for text in minimum or ()]
    rules += [parse_rule(text, "max") for text in maximum or ()]
    result = judge(run, rules, against=against, strict=strict, seed=seed)
    for remark in result.remarks:
        typer.echo(f"note: {plain(remark)}", err=True)
    if json:
        print_json(result.to_json())
    else:
        for verdict in result.verdicts:
            typer.echo(plain(verdict.sentence))
    if not result.passed:
        typer.echo(f"gate failed: {len(result.broken)} of {len(result.verdicts)} rules broken", err=True)
        raise typer.Exit(GATE_FAILED)
