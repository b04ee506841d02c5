"""Options that several commands share, each with its one help text."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class Labels(StrEnum):
    """What happens to the labels of the rest when a passage is removed."""

    keep = "keep"
    renumber = "renumber"


class TooLong(StrEnum):
    """What happens to a prompt that does not fit."""

    refuse = "refuse"
    skip = "skip"


class Scale(StrEnum):
    """Value scale of the passage and token tables."""

    nats = "nats"
    probability = "probability"
    log_odds = "log_odds"


_TRACES = typer.Argument(help="JSONL, or any file or folder that convert reads; - is standard input.")
Traces = Annotated[str, _TRACES]
TracesOrNone = Annotated[str | None, _TRACES]
_GENERATOR = typer.Option(
    "--generator", "-g", help="hf:ORG/NAME, a path, pypi:NAME, openai:URL#MODEL, or fake:FILE.json."
)
Generator = Annotated[str, _GENERATOR]
GeneratorOrNone = Annotated[str | None, _GENERATOR]
Retriever = Annotated[
    str | None,
    typer.Option(
        "--retriever",
        "-r",
        help="Ranker that scores all passages as a new stage: an encoder, or KIND:MODEL (bm25:INDEX, "
        "sparse:MODEL, maxsim:MODEL, cross-encoder:MODEL, ...).",
    ),
]
Stage = Annotated[
    str | None, typer.Option(help="Stage that counts as the retriever [last ranking before packing].")
]
Limit = Annotated[int | None, typer.Option(min=1, help="Use only the first so many traces.")]
Measures = Annotated[
    str | None, typer.Option(help="Measures, separated by commas (see `boresight measures`).")
]
Preset = Annotated[str | None, typer.Option(help="rag-e: that paper's prompt, labels and scale.")]
LabelsOption = Annotated[
    Labels | None, typer.Option(help="Keep or renumber labels when passages are removed [keep].")
]
ScaleOption = Annotated[Scale | None, typer.Option(help="Scale of passage and token tables [nats].")]
Spans = Annotated[
    list[str] | None, typer.Option("--span", help="Phrase of the answer to attribute on its own; repeatable.")
]
Split = Annotated[
    list[str] | None,
    typer.Option(
        "--split",
        help="Passage whose sentences to attribute too: its id, or top or top:N for the best of the context "
        "by the retriever's ranking, which is known before scoring; repeatable.",
    ),
]
Good = Annotated[
    list[str] | None,
    typer.Option("--good", help="Passage that ought to carry the answer: ID, or TRACE=ID; repeatable."),
]
LeastGrade = Annotated[
    float | None, typer.Option(help="Lowest label of a good passage, for the funnel [any above 0].")
]
NewTokens = Annotated[int, typer.Option(min=1, help="Most tokens of a generated answer.")]
ScoreEnd = Annotated[bool, typer.Option("--score-end", help="Count end-of-turn as part of the target.")]
ClosedBook = Annotated[
    bool,
    typer.Option(
        "--closed-book-answers/--no-closed-book-answers",
        help="Also let the model answer without passages, to show beside the answer.",
    ),
]
Exact = Annotated[bool, typer.Option("--exact", help="Score all coalitions, whatever they cost.")]
TokenCap = Annotated[int, typer.Option(min=1, help="Exact up to so many planned tokens, sampled beyond.")]
Budget = Annotated[int | None, typer.Option(min=1, help="Coalitions of a sampled trace [8 a passage].")]
TooLongOption = Annotated[TooLong, typer.Option(help="What to do with a prompt that does not fit.")]
Placebo = Annotated[
    int, typer.Option(min=0, help="Traces that get a passage of another trace, for the content floor.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of every random draw.")]
Dtype = Annotated[
    str, typer.Option(help="fp32, bf16, fp16, or auto: bf16 where the device computes in it natively.")
]
Engine = Annotated[
    str,
    typer.Option(help="auto reads what prompts share once, where the model is fit for it; plain never does."),
]
Method = Annotated[
    str,
    typer.Option(
        help="How attributions are computed: auto (exact, or the best sampler), or exact, kriging, leverage, "
        "permutation, kernel, mcshap, pmcshap, loo, banzhaf, lime, contextcite."
    ),
]
Players = Annotated[
    str | None,
    typer.Option(help="query: also attribute the answer to the words of the query."),
]
Explain = Annotated[
    str | None,
    typer.Option(
        help="retriever: explain its scores on the words of query and passages; removals: what moves a "
        "passage across its cut; both with a comma."
    ),
]
Device = Annotated[str, typer.Option(help="Where the models run.")]
Revision = Annotated[str | None, typer.Option(help="Revision of hub weights.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Torch threads [torch's choice].")]
Json = Annotated[bool, typer.Option("--json", help="End with one JSON line on standard output.")]
