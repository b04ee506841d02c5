"""`boresight plan`: the cost of an audit, before anything is spent."""

from __future__ import annotations

from typing import Any

from boresight.cli.app import app, print_json
from boresight.cli.job import make_command_job, split_names
from boresight.cli.options import (
    Budget,
    ClosedBook,
    Device,
    Dtype,
    Engine,
    Exact,
    Explain,
    Generator,
    Json,
    LabelsOption,
    Limit,
    Measures,
    Method,
    NewTokens,
    Placebo,
    Players,
    Preset,
    Retriever,
    Revision,
    ScaleOption,
    ScoreEnd,
    Seed,
    Spans,
    Split,
    Stage,
    Threads,
    TokenCap,
    TooLong,
    TooLongOption,
    Traces,
)


@app.command()
def plan(
    traces: Traces,
    generator: Generator,
    retriever: Retriever = None,
    stage: Stage = None,
    limit: Limit = None,
    measures: Measures = None,
    preset: Preset = None,
    labels: LabelsOption = None,
    scale: ScaleOption = None,
    span: Spans = None,
    max_new_tokens: NewTokens = 128,
    score_end: ScoreEnd = False,
    closed_book_answers: ClosedBook = True,
    exact: Exact = False,
    method: Method = "auto",
    max_tokens_per_trace: TokenCap = 60_000,
    budget: Budget = None,
    too_long: TooLongOption = TooLong.refuse,
    placebo: Placebo = 8,
    seed: Seed = 0,
    dtype: Dtype = "fp32",
    device: Device = "cpu",
    revision: Revision = None,
    threads: Threads = None,
    engine: Engine = "auto",
    players: Players = None,
    split: Split = None,
    explain: Explain = None,
    json: Json = False,
) -> None:
    r"""Say what an audit would cost, and spend nothing.

    \b
    Example:
      boresight plan traces.jsonl -g pypi:smollm2-135m-instruct --limit 100
    """
    from boresight.report.catalogue import plan_table
    from boresight.report.progress import ConsoleProgress
    from boresight.report.split_text import reduced_lines
    from boresight.report.text import console, cost_lines
    from boresight.run.audit import phrases, plan_job

    settings = {
        "stage": stage, "scale": scale and scale.value, "spans": phrases(span or ()),
        "labels": labels and labels.value, "max_new_tokens": max_new_tokens, "score_end": score_end,
        "closed_book_answers": closed_book_answers,
        "exact": exact, "method": method, "max_tokens_per_trace": max_tokens_per_trace, "budget": budget,
        "too_long": too_long.value, "placebo": placebo, "seed": seed, "dtype": dtype, "device": device,
        "revision": revision, "threads": threads, "engine": engine,
        "players": split_names(players), "split": phrases(split or ()),
        "explain": split_names(explain),
    }  # fmt: skip
    with ConsoleProgress(console(stderr=True)) as progress:
        job = make_command_job(traces, generator, retriever, measures, preset, limit, settings, progress)
        cost, plans = plan_job(job, progress)
    if json:
        print_json({**cost.to_json(), "plans": [_short_plan(one.to_json()) for one in plans]})
        return
    screen = console()
    screen.print(plan_table(plans))
    for line in (*cost_lines(cost), *reduced_lines(plans)):
        screen.print(line)


def _short_plan(plan: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in plan.items() if key != "batches"} | {
        "batches": len(plan["batches"]),
        "coalitions": sum(len(batch["games"].get("passages", ())) for batch in plan["batches"]),
    }
