"""About the answers of a run: where they come from, and which measures tell right ones from wrong ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from boresight.measure.knowledge import SOURCES
from boresight.report.text import WIDTH, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    Line = Mapping[str, Any]

ID_WIDTH = 12


def knowledge_view(summary: Line) -> Table | None:
    """A row a source of answers; None where nothing is known of any (or the run is older).

    Args:
        summary: The run's summary.
    """
    found = summary.get("knowledge")
    if not found or not found["known"]:
        return None
    columns = ("", "answers", "share", "95 %", "right", "wrong", "example")
    table = _table("Where the answers come from", columns)
    for source, words in SOURCES.items():
        line = found["sources"][source]
        if line["traces"]:
            counts = (str(line[name]) for name in ("right", "wrong"))
            ends = f"{line['low']:.0%} .. {line['high']:.0%}"
            table.add_row(words, str(line["traces"]), f"{line['share']:.0%}", ends, *counts, _example(line))
    return table


def prediction_view(summary: Line, names: Mapping[str, str]) -> Table | None:
    """A row a measure; None where too few answers are right or wrong.

    Args:
        summary: The run's summary.
        names: The measures to show, with their words.
    """
    found = (summary.get("prediction") or {}).get("measures", {})
    shown = [name for name in names if "auroc" in found.get(name, {})]
    if not shown:
        return None
    title = (
        "Does it tell right answers from wrong ones? (area under the curve, 0.5: no)\n"
        "alike: among answers with alike contexts; rank: correlation with token F1"
    )
    table = _table(title, ("", "area", "95 %", "alike", "rank, F1"))
    for name in shown:
        line = found[name]
        area, alike, rank = line["auroc"], line["auroc_retrieval_fixed"], line["rank_correlation"]
        cells = (_value(area), _ends(area), _value(alike), f"{_value(rank)} {_ends(rank)}")
        table.add_row(Text(names[name]), *cells)
    return table


def _example(line: Line) -> str:
    """The id of one such trace."""
    return plain(next(iter(line["examples"].values()))[0], ID_WIDTH)


def _table(title: str, columns: tuple[str, ...]) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, width=WIDTH)
    table.add_column(columns[0], no_wrap=True, ratio=1, min_width=19, overflow="ellipsis")
    for name in columns[1:]:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _value(line: Line) -> str:
    return "undefined" if line["value"] is None else f"{line['value']:.2f}"


def _ends(line: Line) -> str:
    return "" if line["low"] is None else f"{line['low']:.2f} .. {line['high']:.2f}"
