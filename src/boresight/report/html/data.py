"""The data behind the page: JSON values, finite, in a fixed order, made from the files of a run alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from boresight.measure.knowledge import SOURCES
from boresight.report.html.answers_data import knowledge, prediction
from boresight.report.html.command import audit_command
from boresight.report.html.files import RunFiles
from boresight.report.html.funnel_data import run_funnel
from boresight.report.html.looks_data import run_looks
from boresight.report.html.methods import METHODS
from boresight.report.html.numbers import compact_all
from boresight.report.html.redact import redact as without_texts
from boresight.report.html.trace_data import Reasons, trace_data
from boresight.report.html.words import (
    EVIDENCE,
    FINDINGS,
    REMEDIES,
    measure_words,
    passage_measure_words,
)

if TYPE_CHECKING:
    from pathlib import Path

    Row = dict[str, Any]

FORMAT = 1
RUN_KEYS = (
    "status", "started", "ended", "generator", "retriever", "prompt", "versions", "seed", "dtype", "counts",
    "tokens", "seconds",
)  # fmt: skip


WORDS = {
    "findings": FINDINGS,
    "evidence": EVIDENCE,
    "remedies": REMEDIES,
    "methods": METHODS,
    "sources": SOURCES,
}


def report_data(run: Path, *, redact: bool = False) -> Row:
    """Everything that the page shows.

    Args:
        run: The run directory.
        redact: Whether every text of the traces is left out, so that ids and numbers stay.

    Returns:
        JSON values without NaN and infinity.

    Raises:
        SpecError: No run lies there.
    """
    files = RunFiles(run)
    names, reasons = _measure_names(files), Reasons()
    traces = [
        trace_data(files, index, trace, names, reasons) for index, trace in enumerate(files.traces)
    ]  # fills the reasons too
    data: Row = {
        "format": FORMAT,
        "redacted": False,
        "run": _run(files),
        "missing": files.missing,
        "summary": _summary(files, names)
        | {
            "knowledge": knowledge(files.summary, {one["id"]: place for place, one in enumerate(traces)}),
            "prediction": prediction(files.summary, names),
        },
        "slices": _slices(files.summary.get("slices") or {}),
        "findings": _findings(files),
        "funnel": run_funnel(files, names),
        "looks": run_looks(files.summary.get("retriever")),
        "words": WORDS,
        "passage_measures": passage_measure_words(),
        "reasons": reasons.texts,
        "why_not": _why_not(files, names),
        "traces": traces,
    }
    return without_texts(data) if redact else data


def _measure_names(files: RunFiles) -> list[str]:
    return list(files.summary.get("measures", {})) or list(files.run["spec"].get("measures", []))


def _run(files: RunFiles) -> Row:
    record = files.run
    kept: Row = compact_all(
        {key: record.get(key) for key in RUN_KEYS}
        | {
            "spec": record["spec"],
            "floors": record.get("floors", {}),
            "failures": record.get("failures", {}),
            "warnings": record.get("warnings", []),
            "command_is_stored": bool(record.get("command")),
            "command": record.get("command")
            or audit_command(record["spec"], files.summary.get("slices") or ()),
        }
    )
    return kept


def _summary(files: RunFiles, names: list[str]) -> Row:
    """Run-level numbers; what an older run does not have is null."""
    summary = files.summary
    measures = [
        measure_words(name) | compact_all(summary.get("measures", {}).get(name, {})) for name in names
    ]
    kept = ("beats_control", "sentences", "findings", "share_by_rank", "share_by_position", "traces")
    return {
        "scale": summary.get("scale", files.run["spec"].get("scale", "nats")),
        "measures": measures,
        **{key: compact_all(summary.get(key)) for key in kept},
    }


def _slices(slices: Row) -> list[Row]:
    """Slices as lists, since their names come from the traces."""
    return [
        {
            "field": field,
            "groups": [
                {"value": value, "traces": group["traces"], "measures": compact_all(group["measures"])}
                for value, group in groups.items()
            ],
        }
        for field, groups in slices.items()
    ]


def _findings(files: RunFiles) -> list[Row]:
    """Findings, the most important first, with the place of their trace instead of its id."""
    place = {trace["id"]: number for number, trace in enumerate(files.traces)}
    contexts = {trace["id"]: trace["context"] for trace in files.traces}
    found = []
    for line in files.findings:
        trace = line["trace"]
        order = {passage: number for number, passage in enumerate(contexts.get(trace, []))}
        found.append(
            compact_all(
                {
                    "trace": None if trace is None else place[trace],
                    "passages": [order[passage] for passage in line["passages"] if passage in order],
                    **{key: line.get(key) for key in ("kind", "sentence", "score", "evidence", "remedy")},
                }
            )
        )
    return sorted(found, key=lambda one: -(one["score"] or 0))


def _why_not(files: RunFiles, names: list[str]) -> list[Row]:
    """How often each measure has no value, by reason."""
    counts = Counter(
        (row["measure"], row["state"], row["reason"] or "no reason was stored")
        for rows in files.measures.values()
        for row in rows
        if row["state"] != "defined"
    )
    order = {name: number for number, name in enumerate(names)}
    return [
        {"measure": measure, "state": state, "reason": reason, "traces": count}
        for (measure, state, reason), count in sorted(
            counts.items(), key=lambda one: (order.get(one[0][0], -1), one[0])
        )
    ]
