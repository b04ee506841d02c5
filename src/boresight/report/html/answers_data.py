"""What the overview knows about the answers: their sources, and which measures tell right from wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.report.html.numbers import compact_all
from boresight.report.html.words import measure_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Row = dict[str, Any]


def knowledge(summary: Row, place: Mapping[str, int]) -> Row | None:
    """Where the answers come from, examples by the place of their trace; None in an older run.

    Args:
        summary: The run's summary.
        place: Number of each trace in the page, by id.
    """
    found = summary.get("knowledge")
    if found is None:
        return None
    sources = {
        source: compact_all({name: value for name, value in line.items() if name != "examples"})
        | {"examples": {state: [place[one] for one in ids] for state, ids in line["examples"].items()}}
        for source, line in found["sources"].items()
    }
    return {"known": found["known"], "unknown": found["unknown"], "sources": sources}


def prediction(summary: Row, names: Sequence[str]) -> list[Row]:
    """The headline measures that have an area under the curve, in the order of the page.

    Args:
        summary: The run's summary.
        names: Names of the measures that the page shows.
    """
    found = (summary.get("prediction") or {}).get("measures", {})
    kept = ("auroc", "auroc_retrieval_fixed", "rank_correlation")
    return [
        {"title": _title(name)} | {key: compact_all(found[name][key]) for key in kept}
        for name in names
        if "auroc" in found.get(name, {}) and measure_words(name)["headline"]
    ]


def _title(name: str) -> str:
    """The measure's label, with its parameter where it has one."""
    words, parameter = measure_words(name), name.partition("@")[2]
    return f"{words['label']}, {parameter}" if parameter else str(words["label"])
