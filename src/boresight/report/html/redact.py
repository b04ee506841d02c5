"""Take every text of the traces out of the page's data: what stays is ids and numbers."""

from __future__ import annotations

from typing import Any

Row = dict[str, Any]

WITHHELD = "text withheld"
QUOTING = ("hostile_passage",)


def redact(data: Row) -> Row:
    """The data without questions, passages, answers, titles, history, references and meta values.

    The sentences of findings are ours and name ids and numbers only, apart from those of hostile passages,
    which may name what they found in the text. Messages of failures and warnings may quote anything.

    Args:
        data: What :func:`boresight.report.html.data.report_data` gives; changed in place.
    """
    data["redacted"] = True
    for trace in data["traces"]:
        _redact_trace(trace)
    for finding in data["findings"]:
        if finding["kind"] in QUOTING:
            finding["sentence"] = None
    data["reasons"] = [_reason(text, data["run"]["failures"]) for text in data["reasons"]]
    data["slices"] = [_redact_slice(number, one) for number, one in enumerate(data["slices"])]
    _redact_run(data["run"])
    return data


def _redact_trace(trace: Row) -> None:
    trace["query"] = None
    trace["history"] = []
    trace["references"] = []
    trace["unaided"] = None
    trace["look"] = None
    trace["asked"] = None
    trace["moves"] = []
    trace["meta"] = []
    trace["pieces"] = None if trace["pieces"] is None else [None] * len(trace["pieces"])
    if trace["failed"]:
        trace["reason"] = WITHHELD
    for passage in trace["passages"]:
        passage["title"] = passage["text"] = None
    for number, span in enumerate(trace["spans"]):
        span["phrase"] = f"phrase {number + 1}"


def _reason(text: str, failures: Row) -> str:
    """The message of a failure may quote anything; reasons of undefined measures are ours."""
    return WITHHELD if text in failures.values() else text


def _redact_slice(number: int, one: Row) -> Row:
    groups = [{**group, "value": f"value {place + 1}"} for place, group in enumerate(one["groups"])]
    return {**one, "field": f"field {number + 1}", "groups": groups}


def _redact_run(run: Row) -> None:
    run["failures"] = dict.fromkeys(run["failures"], WITHHELD)
    run["warnings"] = [f"{len(run['warnings'])} warnings, {WITHHELD}"] if run["warnings"] else []
    run["spec"]["spans"] = (
        [f"{len(run['spec']['spans'])} phrases, {WITHHELD}"] if run["spec"].get("spans") else []
    )
    run["command"] = None
