"""The funnel on a terminal: where the run lost its good passages, the way of each, the order stage by stage.

Everything is read from the rows and summaries that the run wrote.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from boresight.measure.funnel.types import LOSS_WORDS
from boresight.report.text import WIDTH, counted, cut, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Row = Mapping[str, Any]

ID_WIDTH = 16
STAGE_WIDTH = 14
USUAL = ("warg@1.5", "spearman", "top1_agreement")
LEGEND = "ranks count from 0, 2-4 is a tie; x: did not come through, ?: not recorded"
ENTERED = "of entered: of the good passages that came so far"
NOTHING = "no good passage is known: none is labelled, named, or carries a reference answer"

_WAY = {
    "retrieved": "retrieved",
    "in_context": "in the context",
    "used": "used, of those in the context",
    "cited": "cited, of those in the context",
}


def funnel_view(summary: Row, rows: Sequence[Row] = (), steps: Iterable[Row] = ()) -> Group:
    """The funnel of a run, then the way of each good passage.

    Args:
        summary: ``funnel`` of the run's summary.
        rows: Rows of ``funnel.parquet`` to show.
        steps: Rows of ``funnel_steps.parquet`` about these.
    """
    if not summary["good"]:
        return Group(Text(NOTHING))
    ways = (passage_ways(rows, steps), Text(LEGEND)) if rows else ()
    return Group(*_heading(summary), stage_losses(summary), Text(ENTERED), *ways)


def stage_losses(summary: Row) -> Table:
    """What each stage lost, with intervals and kinds."""
    table = Table(box=box.SIMPLE_HEAD, width=WIDTH)
    table.add_column("stage", no_wrap=True, overflow="ellipsis", max_width=STAGE_WIDTH)
    for name in ("lost", "of all, 95 %", "of entered"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("how", ratio=1)
    for stage in summary["stages"]:
        how = ", ".join(f"{LOSS_WORDS[kind]} {count:,}" for kind, count in stage["kinds"].items())
        ties = f"; {stage['unsure']:,} by a tie" if stage["unsure"] else ""
        table.add_row(
            Text(plain(stage["stage"] or "(unknown)", STAGE_WIDTH)),
            f"{stage['lost']['count']:,}",
            _share(stage["lost"]),
            _percent(stage["of_entered"]["value"]),
            Text(how + ties),
        )
    return table


def passage_ways(rows: Sequence[Row], steps: Iterable[Row]) -> Table:
    """One row a good passage: its rank at each stage, and where it was lost."""
    by_passage: dict[tuple[str, str], list[Row]] = {}
    for step in steps:
        by_passage.setdefault((step["trace"], step["passage"]), []).append(step)
    table = Table(box=box.SIMPLE_HEAD, width=WIDTH)
    table.add_column("good passage", no_wrap=True, overflow="ellipsis", max_width=ID_WIDTH)
    table.add_column("its way", ratio=3)
    table.add_column("outcome", ratio=2)
    for row in rows:
        own = by_passage.get((row["trace"], row["passage"]), ())
        way = " > ".join(map(_step, _until_lost(own)))
        table.add_row(Text(cut(row["passage"], ID_WIDTH)), Text(way), Text(_outcome(row)))
    return table


def loss_details(rows: Sequence[Row]) -> Iterator[Text]:
    """What each loss was read off, a sentence a lost passage."""
    for row in rows:
        if _known(row["detail"]) is not None:
            inferred = " (inferred)" if row["inferred"] is True else ""
            yield Text(f"- {cut(row['passage'], ID_WIDTH)}: {plain(row['detail'])}{inferred}")


def stage_alignment(means: Sequence[Row]) -> Table:
    """Measures of alignment with each stage as the retriever, and the change from the stage before."""
    table = Table(box=box.SIMPLE_HEAD, width=WIDTH)
    table.add_column("measure, stage", no_wrap=True, ratio=1, overflow="ellipsis")
    for name in ("mean", "95 %", "change", "95 %", "traces"):
        table.add_column(name, justify="right", no_wrap=True)
    before = None
    for mean in means:
        if mean["measure"] != before:
            before = mean["measure"]
            table.add_row(Text(before, style="bold"))
        total = mean["defined"] + mean["undefined"] + mean["failed"]
        table.add_row(
            Text("  " + plain(mean["stage"], STAGE_WIDTH)),
            _number(mean["value"], 2),
            _between(mean["low"], mean["high"]),
            _number(mean["change"], 2),
            _between(mean["change_low"], mean["change_high"]),
            f"{mean['defined']:,} of {total:,}",
        )
    return table


def usual_alignment(means: Sequence[Row]) -> list[Row]:
    """The entries of the few measures that a table shows unless asked for more; all where a run has none."""
    return [mean for mean in means if mean["measure"] in USUAL] or list(means)


def ablation_table(ablations: Sequence[Row]) -> Table:
    """What each change of a stage does, from ``Ablation.to_json()``: a line for the change, one a measure."""
    table = Table(box=box.SIMPLE_HEAD, width=WIDTH)
    table.add_column("change, and what it does", no_wrap=True, ratio=1, overflow="ellipsis")
    for name in ("before", "after", "change", "95 %", "of"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in ablations:
        table.add_row(Text(plain(one["change"]), style="bold"))
        found = one["recovered"]
        if found["of"]:
            interval = _between(found["low"], found["high"])
            table.add_row(
                Text("  missing, recovered"), "", _number(found["value"]), "", interval, str(found["of"])
            )
        for effect in one["effects"]:
            table.add_row(
                Text("  " + effect["measure"].replace("_", " ")),
                _number(effect["before"]),
                _number(effect["after"]),
                _number(effect["change"]),
                _between(effect["low"], effect["high"]),
                str(effect["traces"]),
            )
    return table


def funnel_data(
    summary: Row, rows: Iterable[Row], steps: Iterable[Row], alignment: Iterable[Row] = ()
) -> dict[str, Any]:
    """The funnel as JSON values: losses, and the passages of each trace with their steps.

    Args:
        summary: ``funnel`` of the run's summary.
        rows: Rows of ``funnel.parquet``.
        steps: Rows of ``funnel_steps.parquet``.
        alignment: Entries of ``stages`` of the run's summary.
    """
    passages: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        shown = {key: _known(value) for key, value in row.items() if key != "trace"}
        passages[row["trace"], row["passage"]] = {**shown, "steps": []}
    for step in steps:
        own = {key: _known(value) for key, value in step.items() if key not in {"trace", "passage", "step"}}
        passages[step["trace"], step["passage"]]["steps"].append(own)
    traces: dict[str, list[dict[str, Any]]] = {}
    for (trace, _), passage in passages.items():
        traces.setdefault(trace, []).append(passage)
    return {"summary": dict(summary), "words": dict(LOSS_WORDS), "traces": traces, "stages": list(alignment)}


def _heading(summary: Row) -> Iterator[Text]:
    good, traces = counted(summary["good"], "good passage"), counted(summary["traces"], "trace")
    without = summary["traces_without_good"]
    rest = f"; {counted(without, 'more trace')} without any" if without else ""
    yield Text(f"Funnel: {good} of {traces}{rest}", style="bold")
    for name, words in _WAY.items():
        rate = summary[name]
        if rate["of"]:
            yield Text(f"  {words}: {rate['count']:,} of {rate['of']:,}, {_share(rate)}")


def _until_lost(steps: Sequence[Row]) -> Sequence[Row]:
    """The steps of a passage without those that only say that it was gone already."""
    telling = [
        place
        for place, step in enumerate(steps)
        if step["survived"] is not False
        or step["stage_kind"] == "retrieve"
        or _known(step["lost_kind"]) is not None
        or _known(step["rank_low"]) is not None
    ]
    return steps[: telling[-1] + 1] if telling else steps


def _step(step: Row) -> str:
    """One stage of the way: its name, the rank, and whether it came through."""
    low, high, survived = _known(step["rank_low"]), _known(step["rank_high"]), _known(step["survived"])
    rank = "" if low is None else f" {int(low)}" if low == high else f" {int(low)}-{int(high)}"
    mark = " ?" if survived is None else "" if survived else " x"
    return f"{plain(step['stage'], STAGE_WIDTH)}{rank}{mark}".replace(" ", "\N{NO-BREAK SPACE}")


def _outcome(row: Row) -> str:
    kind = _known(row["lost_kind"])
    if kind is None:
        reached = _known(row["reached"])
        return (
            "used"
            if row["above_floor"] is True
            else f"reached {plain(reached, STAGE_WIDTH)}"
            if reached
            else ""
        )
    stage = _known(row["stage"])
    where = f"{plain(stage, STAGE_WIDTH)}: " if stage else ""
    return f"{where}{LOSS_WORDS[kind]}"


def _known(value: Any) -> Any:
    """The value, None where a table holds none (pandas reads null as NaN)."""
    return None if value is None or value != value else value  # noqa: PLR0124


def _share(rate: Row) -> str:
    """Percent with its interval."""
    if rate["value"] is None:
        return "-"
    return f"{_percent(rate['value'])} ({100 * rate['low']:.0f}..{100 * rate['high']:.0f})"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.0f} %"


def _number(value: float | None, digits: int = 3) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _between(low: float | None, high: float | None) -> str:
    return "-" if low is None or high is None else f"{low:.2f} .. {high:.2f}"
