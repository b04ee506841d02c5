"""What a run looks like on a terminal: three sentences, the traces, the means over the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from boresight.report.answers_text import knowledge_view, prediction_view
from boresight.report.funnel_text import funnel_view
from boresight.report.saliency_text import looks_view, retriever_lines
from boresight.report.split_text import split_lines
from boresight.report.text import WIDTH, counted, cut, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import pandas as pd
    from rich.console import Console

    from boresight.run.result import RunResult
    from boresight.trace import Trace

HEADLINE = {
    "warg@1.5": "WARG, nats",
    "warg_prob@1.5": "WARG, probability",
    "warg_rbo_norm@0.9": "rank disagreement, p 0.9",
    "spearman": "Spearman, ranks",
    "kendall": "Kendall tau-b, ranks",
    "pearson": "Pearson, scores",
    "top1_agreement": "top-1 agreement",
    "wasted_retrieval@2": "wasted retrieval",
    "noise_distraction@2": "noise distraction",
    "effective_passages": "effective passages",
    "context_gain": "gain of context, nats",
}
UNITS = {"nats": "nats", "probability": "prob.", "log_odds": "log-odds"}
LEGEND = (
    "ranks count from 0; marks: ! speaks against the answer, . no more than any text does, "
    "~ no more than rounding or chance, R labelled relevant"
)
RECORDED = "a recorded answer: the numbers show how this model supports it, not how it was made"
FINDINGS_SHOWN = 5
ID_WIDTH = 13
SMALL = 5e-4  # below this three decimals would show 0.000


def show_run(run: RunResult, screen: Console, traces: int | None = None) -> None:
    """Print the run: the first traces, then the summary.

    Args:
        run: The run.
        screen: Where to print.
        traces: How many traces to print; all if None.
    """
    warning = (run.summary.get("beats_control") or {}).get("sentence")  # older runs have none
    if warning:
        screen.print(Text(plain(warning), style="bold"), Text(""), sep="\n")
    chosen = list(run.traces.values())[:traces]
    for trace in chosen:
        screen.print(trace_view(run, trace))
    hidden = len(run.traces) - len(chosen)
    if hidden > 0:
        screen.print(f"{counted(hidden, 'more trace')}: see passages.parquet, or --show N\n")
    screen.print(summary_view(run))
    if chosen:
        screen.print(LEGEND)
    for line in _floors(run):
        screen.print(line)
    views = (looks_view(run), knowledge_view(run.summary), prediction_view(run.summary, HEADLINE))
    for view in views:
        if view is not None:
            screen.print(Text(""), view, sep="\n")
    lost = run.summary.get("funnel")  # older runs have none
    if lost and lost["good"]:
        screen.print(
            Text(""), funnel_view(lost), Text(f"each passage: boresight funnel {run.folder}"), sep="\n"
        )


def summary_view(run: RunResult) -> Group:
    """The three sentences, the means over the run, and why something has no value."""
    sentences = [Text(f"{number}. {plain(text)}") for number, text in enumerate(run.summary["sentences"], 1)]
    return Group(*sentences, Text(""), summary_table(run), *_reasons(run))


def summary_table(run: RunResult) -> Table:
    """Run-level means with intervals, chance level and counts."""
    measures, counts = run.summary["measures"], run.summary["traces"]
    title = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items() if count)
    table = Table(title=f"Run: {title}", title_justify="left", box=box.SIMPLE_HEAD, width=WIDTH)
    table.add_column("mean over traces", no_wrap=True, ratio=1, overflow="ellipsis")
    for name in ("value", "95 % interval", "chance", "defined"):
        table.add_column(name, justify="right", no_wrap=True)
    names = [name for name in HEADLINE if name in measures] or list(measures)
    for name in names:
        table.add_row(Text(HEADLINE.get(name, name)), *measure_cells(measures[name]))
    return table


def measure_cells(measure: Mapping[str, Any]) -> list[str]:
    """Value, interval, chance and counts of a run-level mean, as text."""
    total = measure["defined"] + measure["undefined"] + measure["failed"]
    return [
        _number(measure["value"], absent="undefined"),
        _interval(measure["low"], measure["high"]),
        _number(measure["chance"]),
        f"{measure['defined']} of {total}",
    ]


def _reasons(run: RunResult) -> Iterator[Text]:
    """The commonest reasons why a shown measure has no value."""
    reasons: dict[str, int] = {}
    for name in HEADLINE:
        for reason, count in run.summary["measures"].get(name, {}).get("reasons", {}).items():
            reasons[reason] = max(count, reasons.get(reason, 0))
    for reason, count in sorted(reasons.items(), key=lambda item: -item[1])[:3]:
        yield Text(f"no value in {counted(count, 'trace')}: {plain(reason)}")


def _floors(run: RunResult) -> Iterator[str]:
    floors = run.run["floors"]
    numeric = floors["numeric"]["nats"]
    if numeric["largest"] is not None:
        yield f"numeric floor: {numeric['median']:.1e} nats (median), {numeric['largest']:.1e} (largest)"
    placebo = floors["placebo"]
    if placebo["nats"] is None:
        yield f"no placebo floor: {placebo['reason']}; the numeric floor alone decides"
    elif placebo["traces"]:
        guests = counted(len(placebo["traces"]), "trace")
        yield f"placebo floor: {placebo['nats']:.3f} nats, what a passage of another trace does ({guests})"


def trace_view(run: RunResult, trace: Trace) -> Group:
    """One trace: its question, its answer, a row for each passage, its findings."""
    heading = [
        Text(f"{cut(trace.id, 30)}  {plain(trace.query, WIDTH - 34)}", style="bold"),
        Text(_answer_line(run, trace)),
    ]
    failure = run.failures.get(trace.id)
    if failure:
        return Group(*heading, Text(f"failed: {plain(failure)}"), Text(""))
    rows = _of_trace(run.passages, trace.id)
    if not len(rows):
        return Group(*heading, Text(_why_nothing(run, trace)), Text(""))
    targets = list(dict.fromkeys(rows.index.get_level_values("target")))
    tables = [_passage_table(run, trace, rows, target) for target in targets]
    return Group(
        *heading,
        *tables,
        *split_lines(run, trace.id),
        *retriever_lines(run, trace),
        *_findings(run, trace),
        Text(""),
    )


def _answer_line(run: RunResult, trace: Trace) -> str:
    answer = run.answers.get(trace.id)
    limit = "" if run.finished.get(trace.id, True) else " [cut at --max-new-tokens]"
    text = "(none)" if answer is None else answer or "(empty)"
    kind = "answer" if trace.answer is None else "recorded answer"
    return f"{kind}: {plain(text, WIDTH - len(kind) - 2 - len(limit))}{limit}"


def _of_trace(table: pd.DataFrame, trace: str) -> pd.DataFrame:
    return table[table.index.get_level_values("trace") == trace]


def _why_nothing(run: RunResult, trace: Trace) -> str:
    reasons = _of_trace(run.measures, trace.id)["reason"].dropna().tolist()
    return f"no attributions: {plain(reasons[0]) if reasons else 'no measure was asked for'}"


def _passage_table(run: RunResult, trace: Trace, rows: pd.DataFrame, target: str) -> Table:
    own = rows[rows.index.get_level_values("target") == target]
    title = None if target == "answer" else plain(target, WIDTH)
    table = Table(box=box.SIMPLE_HEAD, width=WIDTH, title=title, title_justify="left")
    table.add_column("passage", no_wrap=True, ratio=1, overflow="ellipsis")
    table.add_column("rank", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    unit = UNITS[run.summary["scale"]]
    table.add_column(f"attribution, {unit}", justify="right", no_wrap=True)
    table.add_column("interval", justify="right", no_wrap=True)
    table.add_column("marks", no_wrap=True)
    for key, row in own.iterrows():
        passage = trace.passage(str(key[1]))  # type: ignore[index]
        label = f"{cut(passage.id, ID_WIDTH)}  {plain(passage.text or passage.title or '', WIDTH)}"
        interval = "exact" if row["method"] == "exact" else _interval(row["low"], row["high"])
        table.add_row(
            Text(label), _whole(row["rank"]), _number(row["share"]), _number(row["attribution"]), interval,
            _marks(row),
        )  # fmt: skip
    return table


def _marks(row: pd.Series[Any]) -> str:
    """What to think of an attribution; none when it speaks for the answer, beyond both floors."""
    return " ".join(mark for mark in (_verdict(row), "R" if row["relevant"] is True else "") if mark)


def _verdict(row: pd.Series[Any]) -> str:
    value, low, high = row["attribution"], row["low"], row["high"]
    if _absent(value):
        return ""
    crosses = not _absent(low) and not _absent(high) and low <= 0 <= high
    if row["above_numeric"] is False or crosses:
        return "~"
    if row["above_placebo"] is False:
        return "."
    return "!" if value < 0 else ""


def _findings(run: RunResult, trace: Trace) -> Iterator[Text]:
    found = run.findings[run.findings["trace"] == trace.id]
    for sentence in found["sentence"].head(FINDINGS_SHOWN):
        yield Text(f"- {plain(sentence)}")
    if len(found) > FINDINGS_SHOWN:
        yield Text(f"- {len(found) - FINDINGS_SHOWN} more in findings.jsonl")


def _absent(value: Any) -> bool:
    return value is None or value != value  # noqa: PLR0124 - pandas reads null as NaN


def _number(value: Any, absent: str = "-") -> str:
    if _absent(value):
        return absent
    return f"{value:.1e}" if 0 < abs(value) < SMALL else f"{value:.3f}"


def _whole(value: Any) -> str:
    return "-" if _absent(value) else str(int(value))


def _interval(low: Any, high: Any) -> str:
    return "-" if _absent(low) or _absent(high) else f"{low:.2f} .. {high:.2f}"
