"""`boresight citations`: are the citations of a run real, or put beside what the model says anyway?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from boresight.cli.app import SOME_FAILED, app, print_json
from boresight.cli.options import Json, Seed


@app.command()
def citations(
    run: Annotated[Path, typer.Argument(help="Run directory.")],
    sentences: Annotated[int, typer.Option(min=1, help="At most so many cited sentences an answer.")] = 3,
    max_new_tokens: Annotated[int, typer.Option(min=1, help="Limit of each new answer.")] = 128,
    seed: Seed = 0,
    json: Json = False,
) -> None:
    r"""Plant each cited sentence into a passage that does not support it, and let the model answer again.

    \b
    Examples:
      boresight audit traces.jsonl -g pypi:smollm2-135m-instruct --prompt rag-e -o runs/cited
      boresight citations runs/cited

    A citation that moves to the forged passage followed the words, not the use. The passages are one of
    another trace, one that the answer does not cite, and one that it cites for something else. Where the
    model does not repeat the sentence the case is indeterminate and in no rate. Whether a sentence falls when
    its cited passage goes is in the audit itself (`citation_causal_precision`). The same command goes on
    after a kill.
    """
    from boresight.report.citation_text import citation_view
    from boresight.report.progress import ConsoleProgress
    from boresight.report.text import console
    from boresight.run.citation_test import CitationTest, generator_of
    from boresight.run.result import RunResult

    audited = RunResult(run)
    with ConsoleProgress(console(stderr=True)) as progress:
        found = CitationTest(
            audited, generator_of(audited), sentences, seed, max_new_tokens, progress
        ).result()
    if json:
        print_json(found)
    else:
        console().print(*citation_view(found), sep="\n")
    if found["failed"]:
        raise typer.Exit(SOME_FAILED)
