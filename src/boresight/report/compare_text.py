"""What two runs side by side look like on a terminal: settings, measures, what moved most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from boresight.report.terminal import HEADLINE
from boresight.report.text import WIDTH, counted, cut, plain
from boresight.store.files import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boresight.run.compare import Comparison
    from boresight.run.compare_measures import MeasureChange
    from boresight.run.compare_passages import PassageMove

SETTINGS_SHOWN = 12
MEASURES_MOVED, MOVED_SHOWN = 6, 3
PASSAGES_SHOWN = 5
SMALL = 5e-4  # below this three decimals would show 0.000
ID_WIDTH = 24
LEGEND = (
    "means over the traces that have a value in both runs; change: second minus first; "
    "adj. p: of no change, by sign flips, adjusted for all measures (Benjamini-Hochberg); "
    "* changed: adj. p at most 0.05 and beyond rounding"
)


def comparison_view(compared: Comparison) -> Group:
    """Print-ready: settings that differ first, then the pairing, the measures, and what moved most."""
    return Group(
        *_sides(compared),
        *_settings(compared),
        *_pairing(compared),
        Text(""),
        measures_table(compared),
        Text(LEGEND),
        *_hidden(compared),
        *_absent(compared),
        Text(""),
        *_moved_traces(compared),
        *_moved_passages(compared),
        *_findings(compared),
    )


def _sides(compared: Comparison) -> Iterator[Text]:
    for name, side in (("first", compared.first), ("second", compared.second)):
        failed = f", {side.failed} failed" if side.failed else ""
        yield Text(f"{name}: {plain(side.folder)} ({counted(side.traces, 'trace')}{failed})", style="bold")


def _settings(compared: Comparison) -> Iterator[Text]:
    if not compared.settings:
        yield Text("settings, models and versions are the same")
        return
    yield Text("what differs, what weighs most first:")
    for one in compared.settings[:SETTINGS_SHOWN]:
        yield Text(f"  {one.field}: {_value(one.first)} -> {_value(one.second)}")
    if len(compared.settings) > SETTINGS_SHOWN:
        yield Text(f"  and {len(compared.settings) - SETTINGS_SHOWN} more: --json lists them")


def _value(value: Any) -> str:
    return cut(value if isinstance(value, str) else to_json(value), ID_WIDTH)


def _pairing(compared: Comparison) -> Iterator[Text]:
    pairing = compared.pairing
    yield Text(
        f"{counted(len(pairing.common), 'trace')} paired by id; "
        f"{len(pairing.only_first)} only in the first run, {len(pairing.only_second)} only in the second"
    )
    for remark in compared.remarks:
        yield Text(f"note: {plain(remark)}")


def measures_table(compared: Comparison) -> Table:
    """The measures that :func:`shown_measures` chooses, a row each."""
    table = Table(box=box.SIMPLE_HEAD, width=WIDTH, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("measure", no_wrap=True, ratio=1, overflow="ellipsis")
    for name in ("first", "second", "change", "95 % interval", "adj. p", "pairs"):
        table.add_column(name, justify="right", no_wrap=True)
    for change in shown_measures(compared):
        table.add_row(Text(change.measure), *_cells(change))
    return table


def shown_measures(compared: Comparison) -> list[MeasureChange]:
    """The headline measures in their order, then others that changed, but not the same at another setting.

    All, where no headline measure is held.
    """
    held = compared.measures
    headline = [held[name] for name in HEADLINE if name in held]
    if not headline:
        return list(held.values())
    families = {_family(one.measure): one for one in headline}
    for name, one in held.items():
        if one.changed:
            families.setdefault(_family(name), one)
    return list(families.values())


def _family(measure: str) -> str:
    return measure.partition("@")[0]


def _cells(change: MeasureChange) -> list[str]:
    if change.difference is None:
        return ["-", "-", "undefined", "-", "-", str(change.pairs)]
    interval = "-" if change.low is None or change.high is None else f"{change.low:.2f} .. {change.high:.2f}"
    certainty = "-" if change.adjusted is None else f"{change.adjusted:.4f}{'*' if change.changed else ' '}"
    return [
        _number(change.first), _number(change.second), _signed(change.difference), interval, certainty,
        str(change.pairs),
    ]  # fmt: skip


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.1e}" if 0 < abs(value) < SMALL else f"{value:.3f}"


def _signed(value: float) -> str:
    return f"{'+' if value > 0 else ''}{_number(value)}"


def _hidden(compared: Comparison) -> Iterator[Text]:
    shown = {one.measure for one in shown_measures(compared)}
    changed = [name for name, one in compared.measures.items() if one.changed and name not in shown]
    if changed:
        yield Text(f"changed too (--json, --html): {cut(', '.join(changed), WIDTH - 32)}")


def _absent(compared: Comparison) -> Iterator[Text]:
    for name, lacking in (("first", compared.only_first), ("second", compared.only_second)):
        if lacking:
            yield Text(f"only in the {name} run: {cut(', '.join(lacking), WIDTH - 24)}")


def _moved_traces(compared: Comparison) -> Iterator[Text]:
    """The traces that moved most in the shown measures, in those that changed if any did."""
    shown = shown_measures(compared)
    moved = [one for one in shown if one.moved and (one.changed or not any(other.changed for other in shown))]
    if not moved:
        yield Text("no trace moved in any of these measures")
        return
    yield Text("what moved most:", style="bold")
    for change in moved[:MEASURES_MOVED]:
        moves = [
            f"{cut(one.trace, ID_WIDTH)} {_signed(one.difference)}" for one in change.moved[:MOVED_SHOWN]
        ]
        yield Text(f"  {change.measure}: {', '.join(moves)}")


def _moved_passages(compared: Comparison) -> Iterator[Text | Table]:
    passages = compared.passages
    if passages.scale is None or not passages.compared:
        return
    total = counted(passages.compared, "passage")
    if passages.floor is None:
        yield Text(f"{total} compared; no floor was measured on this scale, so none can be called moved")
    else:
        yield Text(
            f"{passages.clear} of {total} moved by more than floors and intervals (attribution of the same "
            f"answer; floor {_number(passages.floor)})"
        )
    if passages.moved:
        yield _passage_table(passages.moved[:PASSAGES_SHOWN])


def _passage_table(moved: Sequence[PassageMove]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, width=WIDTH, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("trace", no_wrap=True, ratio=1)
    table.add_column("passage", no_wrap=True, ratio=1)
    for name in ("first", "second", "change"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for one in moved:
        table.add_row(
            Text(cut(one.trace, ID_WIDTH)), Text(cut(one.passage, ID_WIDTH)), _number(one.first),
            _number(one.second), _signed(one.difference), "" if one.clear else "~ within floors or intervals",
        )  # fmt: skip
    return table


def _findings(compared: Comparison) -> Iterator[Text]:
    changed = [one for one in compared.findings if one.gone or one.new]
    if changed:
        yield Text("findings that came and went:", style="bold")
    for one in changed:
        kind = one.kind.replace("_", " ")
        yield Text(f"  {kind}: {len(one.new)} new, {len(one.gone)} gone, {one.both} in both")
