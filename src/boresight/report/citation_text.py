"""The post-rationalisation test as a table on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from boresight.report.text import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

HOSTS = {
    "random": "of another trace",
    "uncited": "in the context, uncited",
    "other": "cited for other things",
}


def citation_view(found: Mapping[str, Any]) -> Iterator[RenderableType]:
    """A row a kind of host, and what the numbers mean.

    Args:
        found: What the test gave.
    """
    yield Text(
        "The sentence stood in a passage that does not support it. Was that passage cited?", style="bold"
    )
    table = Table(box=None, pad_edge=False)
    for name in ("forged passage", "rate", "95 %", "cited", "not", "not repeated"):
        table.add_column(name, justify="left" if name == "forged passage" else "right")
    for condition, rate in found["conditions"].items():
        counts = (rate["post_rationalised"], rate["not"], rate["indeterminate"])
        table.add_row(HOSTS[condition], *_rate(rate), *map(str, counts))
    yield table
    if found["failed"]:
        yield Text(
            f"{counted(found['failed'], 'case')} failed and are in no number; the same command asks again"
        )


def _rate(rate: Mapping[str, Any]) -> tuple[str, str]:
    if rate["value"] is None:
        return "undefined", ""
    return f"{rate['value']:.0%}", f"{rate['low']:.0%} to {rate['high']:.0%}"
