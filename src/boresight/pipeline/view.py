"""The retriever's side on a terminal: where the passages of the prompt stood at every stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from boresight.report.text import WIDTH, cut, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boresight.measure.funnel import Ablation
    from boresight.trace import Stage, Trace

ID_WIDTH = 13
NOTE = "place from 0 and score at each stage, - where it does not stand; kept: how many went on"


def way_table(trace: Trace) -> Group:
    """A row a passage of the prompt, a column a stage.

    Args:
        trace: A trace with its stages.
    """
    title = f"the way of {len(trace.context)} passages to the prompt"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, width=WIDTH)
    table.add_column("passage", no_wrap=True, ratio=1, overflow="ellipsis")
    for stage in trace.stages:
        table.add_column(Text(_head(stage)), justify="right", no_wrap=True)
    for passage in trace.context_passages:
        label = f"{cut(passage.id, ID_WIDTH)}  {plain(passage.text or passage.title or '', WIDTH)}"
        table.add_row(Text(label), *(_place(stage, passage.id) for stage in trace.stages))
    return Group(table, Text(NOTE), Text(""))


def _head(stage: Stage) -> str:
    kept = len(stage.ranking[: stage.cut])
    return f"{cut(stage.name, ID_WIDTH)}\n{kept} of {len(stage.ranking)} kept"


def _place(stage: Stage, passage: str) -> Text:
    for place, one in enumerate(stage.ranking):
        if one.id == passage:
            scored = "" if one.score is None or stage.kind == "pack" else f" {one.score:.4g}"
            return Text(f"{place}{scored}")
    return Text("-")


def changes_only(ablations: Iterable[Ablation]) -> list[dict[str, Any]]:
    """Ablations as JSON values, without the effects that are 0.

    Args:
        ablations: What each change of a stage does.
    """
    found = [one.to_json() for one in ablations]
    return [{**one, "effects": [effect for effect in one["effects"] if effect["change"]]} for one in found]
