"""The comparison of two runs as one HTML file, in the look of the report."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.report.html.numbers import compact_all
from boresight.report.html.page import REDACTED, assemble
from boresight.report.html.words import FINDINGS, measure_words
from boresight.store.files import write_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from boresight.run.compare import Comparison
    from boresight.run.result import RunResult

    Row = dict[str, Any]

STYLES = ("theme.css", "layout.css", "media.css", "trace.css")
SCRIPTS = ("dom.js", "charts.js", "compare.js", "theme.js")
HOLDS_TEXTS = "This file contains texts of the traces that moved: questions, answers and passages."


def write_comparison(
    compared: Comparison, first: RunResult, second: RunResult, out: Path, *, redact: bool = False
) -> Path:
    """Write a comparison as one HTML file that works offline.

    Args:
        compared: The comparison.
        first: The first run, for the texts of what moved.
        second: The second run.
        out: The file, made private to the user.
        redact: Whether every text of the traces is left out, so that ids and numbers stay.

    Returns:
        The file.

    Raises:
        SpecError: The folder of ``out`` does not exist.
    """
    if not out.parent.is_dir():
        raise SpecError(f"{out.parent} is no folder; create it, or choose another --html")
    data = comparison_data(compared, first, second, redact=redact)
    notice = REDACTED if redact else HOLDS_TEXTS
    write_bytes(out, assemble(data, name="comparison", notice=notice, styles=STYLES, scripts=SCRIPTS))
    return out


def comparison_data(
    compared: Comparison, first: RunResult, second: RunResult, *, redact: bool = False
) -> Row:
    """Everything that the page shows: JSON values, finite, in a fixed order.

    Args:
        compared: The comparison.
        first: The first run.
        second: The second run.
        redact: Whether the texts of the traces are left out.
    """
    data: Row = compact_all(compared.to_json())
    data["redacted"] = redact
    data["measures"] = [measure_words(name) | change for name, change in data["measures"].items()]
    data["findings"] = [{**one, "label": _label(one["kind"])} for one in data["findings"]]
    if redact:
        _withhold(data)
        return data
    traces = _moved_traces(compared)
    data["texts"] = {trace: _texts(trace, first, second) for trace in traces}
    data["passages"]["moved"] = [
        {**compact_all(asdict(one)), "text": _passage_text(first, one.trace, one.passage)}
        for one in compared.passages.moved
    ]
    return data


def _label(kind: str) -> str:
    return FINDINGS.get(kind, (kind.replace("_", " "), ""))[0]


def _withhold(data: Row) -> None:
    """Phrases of an answer are settings that quote a trace."""
    data["texts"] = {}
    for one in data["settings"]:
        if one["field"] == "spans":
            one["first"] = one["second"] = "text withheld"


def _moved_traces(compared: Comparison) -> list[str]:
    moved = [move.trace for change in compared.measures.values() for move in change.moved]
    return sorted({*moved, *(one.trace for one in compared.passages.moved)})


def _texts(trace: str, first: RunResult, second: RunResult) -> Row:
    return {
        "query": first.traces[trace].query,
        "first": first.answers.get(trace),
        "second": second.answers.get(trace),
    }


def _passage_text(run: RunResult, trace: str, passage: str) -> str:
    found = run.traces[trace].passage(passage)
    return f"{found.title}: {found.text}" if found.title else found.text
