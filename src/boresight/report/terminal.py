"""What a run looks like on a terminal, in 80 columns. Text from traces is shown, never interpreted."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from boresight.run.cost import Cost
    from boresight.run.plan import TracePlan
    from boresight.run.result import Audit
    from boresight.trace import Trace

WIDTH = 80
HEADLINE = {
    "warg@1.5": "WARG, nats",
    "warg_prob@1.5": "WARG, probability",
    "warg_rbo@0.9": "RBO disagreement, p 0.9",
    "warg_rbo_norm@0.9": "  the same, normalised",
    "spearman": "Spearman, ranks",
    "kendall": "Kendall tau-b, ranks",
    "pearson": "Pearson, scores",
    "top1_agreement": "top-1 agreement",
    "wasted_retrieval@2": "wasted retrieval",
    "noise_distraction@2": "noise distraction",
    "wasted_share@1": "wasted share (top 1)",
    "noise_share@1": "noise share (top 1)",
    "effective_passages": "effective passages",
    "context_gain": "gain of context, nats",
    "below_numeric_floor": "passages below the floor",
}
LEGEND = "marks: + above the numeric floor, ~ not distinguishable from rounding, R labelled relevant"
RECORDED = "recorded answers: the numbers show how this model supports that text, not how it was made"


def plain(text: str, width: int | None = None) -> str:
    """Text with control and layout characters made visible or dropped, cut to a width.

    A passage must not move the cursor, recolour the screen or reverse the reading direction of a table.
    """
    shown = "".join(_visible(character) for character in " ".join(text.split()))
    return shown if width is None or len(shown) <= width else shown[: max(width - 1, 0)] + "…"


def _visible(character: str) -> str:
    if character == "\u200d" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return character
    return "\N{REPLACEMENT CHARACTER}"


def console(*, stderr: bool = False) -> Console:
    """A console at most 80 columns wide that interprets no markup."""
    screen = Console(stderr=stderr, markup=False, highlight=False, emoji=False)
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, width=min(screen.width, WIDTH))


def cost_lines(cost: Cost) -> list[str]:
    """What a run will cost, in two or three lines."""
    bound = "at most " if cost.at_most else ""
    parts = [f"{cost.traces} traces: {cost.exact} exact, {cost.sampled} sampled"]
    if cost.failed:
        parts.append(f"{cost.failed} that cannot be scored")
    lines = [
        ", ".join(parts),
        f"{bound}{cost.tokens:,} tokens, {cost.coalitions:,} coalitions, {cost.calls:,} calls",
    ]
    rest = []
    if cost.memory_mib is not None:
        rest.append(f"{cost.memory_mib:,} MiB of weights")
    if cost.seconds is not None:
        rest.append(f"about {duration(cost.seconds)} at the speed just measured")
    return [*lines, ", ".join(rest)] if rest else lines


def duration(seconds: float) -> str:
    """Seconds in words."""
    if seconds < 100:  # noqa: PLR2004 - two digits of seconds read well
        return f"{seconds:.0f} s"
    if seconds < 6000:  # noqa: PLR2004 - two digits of minutes too
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def summary_table(audit: Audit) -> Table:
    """Run-level means with intervals, chance level and counts."""
    counts = audit.summary["traces"]
    title = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items() if count)
    table = Table(title=f"Run: {title}", title_justify="left", width=WIDTH)
    table.add_column("measure", no_wrap=True)
    table.add_column("mean", justify="right", no_wrap=True, min_width=len("undefined"))
    table.add_column("95 % interval", justify="right", no_wrap=True)
    table.add_column("chance", justify="right", no_wrap=True, min_width=len("chance"))
    table.add_column("defined", justify="right", no_wrap=True, min_width=len("100 of 100"))
    for name, label in HEADLINE.items():
        if name in audit.summary["measures"]:
            table.add_row(Text(label), *_measure_cells(audit.summary["measures"][name]))
    return table


def _measure_cells(measure: Mapping[str, Any]) -> list[str]:
    total = measure["defined"] + measure["undefined"] + measure["failed"]
    return [
        _number(measure["value"], absent="undefined"),
        _interval(measure["low"], measure["high"]),
        _number(measure["chance"]),
        f"{measure['defined']} of {total}",
    ]


def trace_view(audit: Audit, trace: Trace) -> Group:
    """One trace: its question, its answer, and a row for each passage."""
    answer = audit.answers.get(trace.id)
    heading = [
        Text(f"{plain(trace.id, 30)}  {plain(trace.query, WIDTH - 34)}", style="bold"),
        Text("answer: " + plain("(none)" if answer is None else answer or "(empty)", WIDTH - 8)),
    ]
    failure = audit.failures.get(trace.id)
    if failure:
        return Group(*heading, Text(f"failed: {plain(failure)}"), Text(""))
    rows = audit.passages
    rows = rows[(rows.index.get_level_values("trace") == trace.id)]
    rows = rows[rows.index.get_level_values("target") == "answer"]
    if not len(rows):
        return Group(*heading, Text(_why_nothing(audit, trace)), Text(""))
    return Group(*heading, _passage_table(trace, rows), Text(""))


def _why_nothing(audit: Audit, trace: Trace) -> str:
    rows = audit.measures
    reasons = rows[rows.index.get_level_values("trace") == trace.id]["reason"].dropna().tolist()
    return f"no attributions: {plain(reasons[0]) if reasons else 'no measure was asked for'}"


def _passage_table(trace: Trace, rows: pd.DataFrame) -> Table:
    table = Table(width=WIDTH)
    table.add_column("passage", no_wrap=True, ratio=1)
    for name in ("rank", "share", "attribution"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("95 % interval", justify="right", no_wrap=True)
    table.add_column("marks", no_wrap=True)
    for key, row in rows.iterrows():
        passage = trace.passage(str(key[1]))  # type: ignore[index]
        label = f"{plain(passage.id, 10)}: {plain(passage.title or passage.text, 40)}"
        table.add_row(
            Text(label, overflow="ellipsis"),
            _whole(row["rank"]),
            _number(row["share"]),
            _number(row["attribution"]),
            "exact" if row["method"] == "exact" else _interval(row["low"], row["high"]),
            _marks(row),
        )
    return table


def _marks(row: pd.Series[Any]) -> str:
    floor = {True: "+", False: "~"}.get(row["above_numeric"], "?")
    return floor + (" R" if row["relevant"] is True else "")


def _absent(value: Any) -> bool:
    return value is None or value != value  # noqa: PLR0124 - pandas reads null as NaN


def _number(value: Any, absent: str = "-") -> str:
    return absent if _absent(value) else f"{value:.3f}"


def _whole(value: Any) -> str:
    return "-" if _absent(value) else str(int(value))


def _interval(low: Any, high: Any) -> str:
    return "-" if _absent(low) or _absent(high) else f"{low:.3f} .. {high:.3f}"


def show(audit: Audit, screen: Console, traces: int | None = None) -> None:
    """Print the run: summary, then the first traces.

    Args:
        audit: The run.
        screen: Where to print.
        traces: How many traces to print; all if None.
    """
    chosen = list(audit.traces.values())[:traces]
    for trace in chosen:
        screen.print(trace_view(audit, trace))
    hidden = len(audit.traces) - len(chosen)
    if hidden > 0:
        screen.print(f"{hidden} more traces are in passages.parquet (--show N prints more)\n")
    screen.print(summary_table(audit))
    screen.print(LEGEND)
    if any(trace.answer is not None for trace in audit.traces.values()):
        screen.print(RECORDED)
    floor = audit.run["floors"].get("numeric", {}).get("nats", {})
    if floor.get("largest") is not None:
        screen.print(f"numeric floor: {floor['median']:.1e} nats (median), {floor['largest']:.1e} (largest)")


def plan_table(plans: Sequence[TracePlan], most: int = 20) -> Table:
    """The planned work of the first traces."""
    table = Table(width=WIDTH)
    table.add_column("trace", no_wrap=True, ratio=1)
    for name in ("passages", "method", "coalitions", "tokens", "longest"):
        table.add_column(name, justify="right", no_wrap=True)
    for plan in plans[:most]:
        coalitions = sum(batch.calls for batch in plan.batches if batch.game == "passages")
        method = plan.method if plan.status == "score" else plan.status.replace("_", " ")
        table.add_row(
            Text(plain(plan.trace), overflow="ellipsis"), str(plan.players), method, f"{coalitions:,}",
            f"{plan.tokens + plan.extra_tokens:,}", f"{plan.longest:,}",
        )  # fmt: skip
    if len(plans) > most:
        table.caption = f"and {len(plans) - most:,} more traces"
    return table


def measures_table(entries: Sequence[Mapping[str, Any]]) -> Group:
    """The catalogue of measures, one paragraph each."""
    families: dict[str, list[Mapping[str, Any]]] = {}
    for entry in entries:
        families.setdefault(entry["family"], []).append(entry)
    blocks = []
    for group in families.values():
        first = group[0]
        names = ", ".join(entry["name"] for entry in group)
        low, high = (("" if end is None else f"{end:g}") for end in first["range"])
        blocks.append(Text(names, style="bold"))
        blocks.append(
            Text(
                f"  a {first['scope']}, {first['unit']}, range {low}..{high}\n"
                f"  {first['formula']}\n  needs: {', '.join(first['needs'])}\n  source: {first['source']}"
            )
        )
    return Group(*blocks)
