"""What a run looks like in a notebook: the sentences, the means, and the first trace; all text escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from boresight.report.terminal import HEADLINE, measure_cells

if TYPE_CHECKING:
    from collections.abc import Iterable

    from boresight.run.result import RunResult

COLUMNS = ["rank", "share", "attribution", "low", "high", "gain", "relevant"]
HEADS = ("mean over traces", "value", "95 % interval", "chance", "defined")


def notebook_view(run: RunResult) -> str:
    """HTML of a run for a notebook cell."""
    sentences = "".join(f"<li>{escape(sentence)}</li>" for sentence in run.summary["sentences"])
    measures = run.summary["measures"]
    rows = [(label, *measure_cells(measures[name])) for name, label in HEADLINE.items() if name in measures]
    parts = [f"<p>{escape(repr(run))}</p>", f"<ol>{sentences}</ol>", _table(HEADS, rows), _first_trace(run)]
    return "".join(parts)


def _first_trace(run: RunResult) -> str:
    """The first trace that has attributions; nothing where none has."""
    if not len(run.passages):
        return ""
    trace = run.passages.index[0][0]
    rows = run.passages.loc[[trace]].droplevel("trace")[COLUMNS]
    answer = escape(run.answers.get(trace, ""))
    query = escape(run.traces[trace].query)
    return f"<p><b>{query}</b><br>{answer}</p>{rows.to_html(escape=True, na_rep='')}"


def _table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"
