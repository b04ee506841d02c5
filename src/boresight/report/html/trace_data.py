"""What the page knows about one trace. Passages are numbered by their place in the context, never by id."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

from boresight.findings.case import kept_margin, larger_floor
from boresight.game.coalitions import coalition_of
from boresight.report.html.files import ANSWER
from boresight.report.html.funnel_data import trace_funnel
from boresight.report.html.numbers import base64_floats, compact, compact_all, milli, pieces
from boresight.report.html.query_data import asked_words
from boresight.report.html.saliency_data import trace_saliency
from boresight.report.html.streams_data import trace_streams
from boresight.report.saliency_text import removal_sentences

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.report.html.files import RunFiles
    from boresight.run.evidence import StoredRows

    Row = dict[str, Any]

MOST_CARRIED = 14  # passages of an exact trace whose whole table (2^n values) travels in the page
SPAN = "span:"

CELLS = {
    "rank": "rank",
    "score": "retriever_score",
    "attr": "attribution",
    "low": "low",
    "high": "high",
    "share": "share",
    "loo": "leave_one_out",
    "gain": "gain",
    "harm": "harm",
    "num": "above_numeric",
    "pla": "above_placebo",
    "rel": "relevant",
}


def trace_data(files: RunFiles, index: int, trace: Row, names: Sequence[str], reasons: Reasons) -> Row:
    """Everything that the trace view shows.

    Args:
        files: The run.
        index: Place of the trace in the run.
        trace: Its long form.
        names: The measures of the run, in the order in which their values are given.
        reasons: Numbers the reasons why there is no value.

    Returns:
        JSON values; passages are referred to by their place in the context.
    """
    key, context = trace["id"], trace["context"]
    plan, answer = files.plans.get(key, {}), files.answers.get(key)
    place = {passage: number for number, passage in enumerate(context)}
    stored = files.stored(index, tuple(context))
    return {
        "id": key,
        "query": trace["query"],
        "history": [[turn["role"], turn["content"]] for turn in trace["history"]],
        "references": trace["references"],
        "unaided": _unaided(files, key),
        "meta": [[name, _plain(value)] for name, value in trace["meta"].items()],
        "kind": answer["kind"] if answer else None,
        "pieces": pieces(answer["text"], answer["offsets"]) if answer else None,
        "status": plan.get("status", "unknown"),
        "method": plan.get("method", "none"),
        "reason": files.run.get("failures", {}).get(key) or plan.get("reason"),
        "failed": key in files.run.get("failures", {}),
        "passages": _passages(files, trace),
        "left_out": len(trace["passages"]) - len(context),
        **_tokens(files.tokens.get(key, []), place),
        **_values(files, stored, len(context)),
        **_criterion(files, stored, 0 if answer is None else len(answer["offsets"])),
        "measures": _measures(files.measures.get(key, []), names, reasons),
        "pairs": _pairs(files.pairs.get(key, []), place),
        "sets": _sets(files.sets.get(key, []), place),
        "spans": _spans(files.passages.get(key, []), place),
        "look": trace_saliency(files.explanations.get(key), trace),
        "moves": list(removal_sentences(files.removals.get(key))),
        "asked": _asked(files, trace, reasons),
        "streams": trace_streams(files, index, stored),
        **trace_funnel(files, key, place),
    }


def _unaided(files: RunFiles, key: str) -> list[Any] | None:
    """Text of the closed-book answer and whether the model ended it itself; None where none was asked for."""
    line = files.closed_book.get(key)
    return None if line is None else [line["text"], line["finished"]]


def _asked(files: RunFiles, trace: Row, reasons: Reasons) -> Row | None:
    """The words of the question, as retriever and generator depend on them, and how the two agree."""
    key = trace["id"]
    asked = asked_words(trace["query"], files.explanations.get(key), files.query_words.get(key, []))
    rows = files.query_alignment.get(key, []) if key in files.explanations else []
    return asked and asked | {"measures": [[row["measure"], _measure(row, reasons)] for row in rows]}


class Reasons:
    """Texts that many traces share, each given once and referred to by number."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        """The number of a text."""
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
        return self._numbers[text]


def _plain(value: Any) -> Any:
    """A meta value that a slice can be named after: text, number, flag or null; other things as text."""
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _passages(files: RunFiles, trace: Row) -> list[Row]:
    texts = {passage["id"]: passage for passage in trace["passages"]}
    rows = {row["passage"]: row for row in files.passages.get(trace["id"], []) if row["target"] == ANSWER}
    found = []
    for key in trace["context"]:
        row, passage = rows.get(key, {}), texts[key]
        cells = {name: compact(row.get(column)) for name, column in CELLS.items()}
        cells = {name: value for name, value in cells.items() if value is not None}
        found.append({"id": key, "title": passage.get("title"), "text": passage["text"], **cells})
    return found


def _tokens(rows: Sequence[Row], place: Mapping[str, int]) -> Row:
    """Attribution of each token, one list a passage, in thousandths; intervals where there are some."""
    tables: dict[str, list[list[float]]] = {
        name: [[] for _ in place] for name in ("attribution", "low", "high")
    }
    for row in sorted(rows, key=lambda one: one["token"]):
        for name, table in tables.items():
            if row[name] is not None:
                table[place[row["passage"]]].append(row[name])
    keys = {"attribution": "tokens", "low": "token_low", "high": "token_high"}
    return {
        keys[name]: [milli(cells) for cells in table] if any(table) else None
        for name, table in tables.items()
    }


def _values(files: RunFiles, stored: StoredRows | None, n: int) -> Row:
    """Stored values of the whole answer in nats, and the trace's numeric floor."""
    if stored is None:
        return {"values": None, "grand": None, "empty": None, "closed": None, "floor": None}
    table = stored.table
    totals = {key: float(np.sum(row, dtype=np.float64)) for key, row in table.rows.items()}
    closed = None if table.closed_book is None else float(np.sum(table.closed_book, dtype=np.float64))
    carried = bool(totals) and table.complete and n <= MOST_CARRIED
    return {
        "values": base64_floats(table.lattice().sum(axis=1)) if carried else None,
        "grand": compact(totals.get(coalition_of(range(n), n))),
        "empty": compact(totals.get(coalition_of([], n))),
        "closed": compact(closed),
        "floor": compact(_numeric_floor(files, stored)),
    }


def _criterion(files: RunFiles, stored: StoredRows | None, tokens: int) -> Row:
    """In nats: what an answer may lose and still be kept, and what a context must add to help at all."""
    if stored is None:
        return {"margin": None, "bar": None}
    numeric = stored.floor("nats", measured=not _is_table(files)) or 0.0
    placebo = (files.run.get("floors", {}).get("placebo") or {}).get("nats") or 0.0
    return {"margin": compact(kept_margin(numeric, tokens)), "bar": compact(larger_floor(numeric, placebo))}


def _numeric_floor(files: RunFiles, stored: StoredRows) -> float | None:
    """The trace's numeric floor on the scale of the run; 0 where the generator has no rounding."""
    return stored.floor(files.run["spec"].get("scale", "nats"), measured=not _is_table(files))


def _is_table(files: RunFiles) -> bool:
    return bool(files.run.get("generator", {}).get("kind") == "fake")


def _measures(rows: Sequence[Row], names: Sequence[str], reasons: Reasons) -> list[Any]:
    """Per measure ``[value, chance, low, high]``, cut short where the rest is absent, or what stands for it.

    A string ``u3`` is undefined for the third reason, ``f0`` failed for the first; null was not taken.
    """
    found = {row["measure"]: row for row in rows}
    return [_measure(found.get(name), reasons) for name in names]


def _measure(row: Row | None, reasons: Reasons) -> Any:
    if row is None:
        return None
    if row["state"] != "defined":
        return f"{row['state'][0]}{reasons.number(row['reason'] or 'no reason was stored')}"
    cells = [compact(row.get(name)) for name in ("value", "chance", "low", "high")]
    while cells[-1] is None:
        cells.pop()
    return cells


def _pairs(rows: Sequence[Row], place: Mapping[str, int]) -> list[Any]:
    return [[place[row["a"]], place[row["b"]], compact(row["interaction"])] for row in rows]


def _sets(lines: Sequence[Row], place: Mapping[str, int]) -> list[Any]:
    return [
        [line["kind"], [place[passage] for passage in line["passages"]], compact_all(line["value"])]
        for line in lines
    ]


def _spans(rows: Sequence[Row], place: Mapping[str, int]) -> list[Row]:
    """Attributions of the phrases that were asked for, per passage."""
    spans: dict[str, list[Any]] = defaultdict(lambda: [None] * len(place))
    for row in rows:
        if row["target"].startswith(SPAN):
            spans[row["target"].removeprefix(SPAN)][place[row["passage"]]] = compact(row["attribution"])
    return [{"phrase": phrase, "attr": values} for phrase, values in spans.items()]
