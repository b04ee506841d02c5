"""The plan of a run and the catalogue of measures, as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Group
from rich.table import Table
from rich.text import Text

from boresight.report.text import WIDTH, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.run.plan import TracePlan


def plan_table(plans: Sequence[TracePlan], most: int = 20) -> Table:
    """The planned work of the first traces."""
    table = Table(width=WIDTH)
    table.add_column("trace", no_wrap=True, ratio=1)
    for name in ("passages", "method", "coalitions", "tokens", "longest"):
        table.add_column(name, justify="right", no_wrap=True)
    for plan in plans[:most]:
        coalitions = sum(len(batch.games.get("passages", ())) for batch in plan.batches)
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
