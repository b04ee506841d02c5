"""`boresight perturb`: contexts arranged right, wrong and at random; does a measure of alignment tell?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from boresight.cli.app import app, print_json
from boresight.cli.options import Generator, Json, Limit, NewTokens, Preset, Seed, Threads, Traces

if TYPE_CHECKING:
    from collections.abc import Mapping

    from boresight.trace import Passage


class SetupName(StrEnum):
    """What joins the top k."""

    A = "A"
    B = "B"
    C = "C"


@app.command()
def perturb(
    traces: Traces,
    generator: Generator,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder: one run a condition.")],
    setup: Annotated[
        SetupName, typer.Option(help="Joins the top k: A the lowest k, B random passages, C the next k.")
    ] = SetupName.B,
    k: Annotated[int, typer.Option("--k", min=1, help="Passages of the top, and of the others.")] = 5,
    corpus: Annotated[
        Path | None, typer.Option(help="JSONL of passages for B [those of the other traces].")
    ] = None,
    limit: Limit = None,
    preset: Preset = None,
    max_new_tokens: NewTokens = 128,
    seed: Seed = 0,
    threads: Threads = None,
    json: Json = False,
) -> None:
    r"""Check measures of alignment on contexts whose alignment is known.

    \b
    Example:
      boresight perturb traces.jsonl -g pypi:smollm2-135m-instruct --setup B --k 5 -o runs/perturbed

    Condition 1 puts the retriever's top first in the prompt, 2 last, 3 shuffles; the ranking that the
    measures read is the place in the prompt, in every condition. A measure that tells alignment is higher
    under 1 than under 2. The same command goes on after a kill.
    """
    from boresight.report.perturb_text import perturb_view
    from boresight.report.progress import ConsoleProgress
    from boresight.report.text import console
    from boresight.run.perturb import perturb as run_perturb
    from boresight.run.spec import with_preset

    settings = with_preset(preset, {"max_new_tokens": max_new_tokens, "seed": seed, "threads": threads})
    with ConsoleProgress(console(stderr=True)) as progress:
        found = run_perturb(
            traces, out, generator=generator, setup=setup.value, k=k, corpus=_passages(corpus), limit=limit,
            settings=settings, progress=progress,
        )  # fmt: skip
    if json:
        print_json(found)
    else:
        console().print(*perturb_view(found), sep="\n")


def _passages(path: Path | None) -> list[Passage]:
    """Passages of a corpus in BEIR's layout, or with ``id`` and ``text``."""
    from boresight.errors import InputError
    from boresight.store.files import read_jsonl
    from boresight.trace import Passage

    if path is None:
        return []
    if not path.is_file():
        raise InputError(f"{path}: there is no such file; give a JSONL file with an id and a text a line")
    found = []
    for number, line in enumerate(read_jsonl(path), 1):
        key, text = _fields(line)
        if key is None or text is None:
            raise InputError(f"{path}, line {number}: a passage needs _id (or id) and text")
        found.append(Passage(key, text, line.get("title") or None))
    return found


def _fields(line: Mapping[str, Any]) -> tuple[str | None, str | None]:
    key, text = line.get("_id", line.get("id")), line.get("text")
    return (None if key is None else str(key)), (text if isinstance(text, str) else None)
