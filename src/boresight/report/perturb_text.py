"""A perturbation setup as a table on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from boresight.report.text import WIDTH, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType


def perturb_view(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    """A row a measure: means under the conditions, and the difference of the first two.

    Args:
        found: What the runs gave.
    """
    traces = counted(found["traces"], "trace")
    yield Text(f"Setup {found['setup']}, {found['words']}, k = {found['k']}, {traces}", style="bold")
    table = Table(box=box.SIMPLE_HEAD, width=WIDTH, pad_edge=False)
    table.add_column("measure", no_wrap=True, ratio=1, min_width=13)
    for name in ("first", "last", "mixed", "first - last", "95 %", "pairs"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, line in found["measures"].items():
        difference = line["difference"]
        ends = "" if difference["low"] is None else f"{difference['low']:.2f} .. {difference['high']:.2f}"
        means = (_number(line["means"][condition]) for condition in "123")
        table.add_row(name, *means, _number(difference["value"]), ends, str(line["pairs"]))
    yield table


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
