"""The Typer application, exit codes, and errors as one sentence."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from boresight.errors import BoresightError

GATE_FAILED, BAD_INPUT, SOME_FAILED, INTERRUPTED = 1, 2, 3, 130

app = typer.Typer(
    name="boresight",
    help="Why this answer, from which passage: causal audits of retrieval-augmented generation.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        from boresight import __version__

        typer.echo(f"boresight {__version__}")
        raise typer.Exit


def keep_lines(typer_app: typer.Typer) -> None:
    r"""Let lines behind a ``\b`` in a command's docstring stay lines; click knows it as a character."""
    for group in typer_app.registered_groups:
        if group.typer_instance is not None:
            keep_lines(group.typer_instance)
    for command in typer_app.registered_commands:
        if command.callback is not None and command.callback.__doc__:
            command.callback.__doc__ = command.callback.__doc__.replace(r"\b", "\b")


def print_json(value: Any) -> None:
    """Print a value as the one JSON line that ends `--json` output."""
    from boresight.store.files import to_json

    typer.echo(to_json(value))


def _sentence(error: Exception) -> str:
    from boresight.store.files import TEMPORARY_PREFIX

    if isinstance(error, OSError) and error.strerror:
        path = Path(error.filename2 or error.filename or "")  # a rename's goal says more than its source
        path = path.parent if path.name.startswith(TEMPORARY_PREFIX) else path
        place = f"{path}: " if path.name else ""
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
