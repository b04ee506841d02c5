"""`boresight convert`: traces of another tool as Boresight JSON Lines."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boresight.cli.app import app, print_json
from boresight.cli.options import Json, Limit
from boresight.errors import SpecError

if TYPE_CHECKING:
    from boresight.trace import Reading


@app.command()
def convert(
    source: Annotated[str, typer.Argument(metavar="IN", help="File or folder; - reads standard input.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The JSONL file to write; replaced if it exists.")],
    form: Annotated[
        str | None, typer.Option("--format", help="Name of the format [told by content].", metavar="NAME")
    ] = None,
    limit: Limit = None,
    json: Json = False,
) -> None:
    r"""Convert traces of another tool to Boresight's JSONL (audit reads them directly, too).

    Formats: boresight, beir, openinference, trulens, langsmith, langchain, llama-index, ragchecker,
    open-rag-eval, ragas, alce, trec, csv.

    \b
    Examples:
      boresight convert phoenix-spans.jsonl --out traces.jsonl
      boresight convert testset.csv --format ragas --out traces.jsonl
    """
    from boresight.report.text import plain
    from boresight.store.files import write_jsonl
    from boresight.trace import read_traces, trace_to_dict

    if source != "-" and out.exists() and out.samefile(source):
        raise SpecError(f"{out} is the input itself; name another file with --out")
    reading = read_traces(source, limit, form)
    write_jsonl(out, map(trace_to_dict, reading))
    for warning in reading.warnings:
        typer.echo(plain(f"warning: {warning}"), err=True)
    if json:
        print_json({"out": str(out), **_summary(reading)})
    else:
        typer.echo(f"{out}: {len(reading):,} traces, read as {reading.form}")


def _summary(reading: Reading) -> dict[str, Any]:
    gaps = Counter(gap for trace in reading for gap in trace.meta.get("not_recorded", ()))
    return {
        "format": reading.form,
        "traces": len(reading),
        "not_recorded": dict(sorted(gaps.items())),
        "warnings": list(reading.warnings),
    }
