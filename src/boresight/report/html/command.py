"""The command that repeats a run, rebuilt from its settings."""

from __future__ import annotations

import shlex
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from boresight.run.spec import RunSpec

if TYPE_CHECKING:
    from collections.abc import Iterable

SPOKEN = {
    "generator",
    "traces_sha256",
    "spans",
    "good",
    "split",
    "players",
    "explain",
    "measures",
    "style",
}  # in another way
REPEATED = {"spans": "--span", "good": "--good", "split": "--split"}


def audit_command(spec: dict[str, Any], by: Iterable[str] = ()) -> str:
    """The ``boresight audit`` command of these settings; what has its default value is left out.

    Args:
        spec: The ``spec`` of ``run.json``.
        by: Fields that the run-level numbers were sliced by.
    """
    words = ["boresight", "audit", "TRACES.jsonl", "--generator", spec["generator"]]
    defaults = {field.name: field.default for field in fields(RunSpec) if field.default is not MISSING}
    for name, value in spec.items():
        if name in SPOKEN or value is None or value == defaults.get(name):
            continue
        flag = "--" + name.replace("_", "-")
        words += [flag] if value is True else [flag, str(value)]
    if spec.get("style") == "rag-e":
        words += ["--preset", "rag-e"]
    words += ["--players", ",".join(spec["players"])] if spec.get("players") else []
    words += ["--explain", ",".join(spec["explain"])] if spec.get("explain") else []
    words += [part for name, flag in REPEATED.items() for one in spec.get(name, []) for part in (flag, one)]
    words += [part for name in by for part in ("--by", name)]
    words += _chosen_measures(spec.get("measures", []))
    return " ".join([*map(shlex.quote, words), "--out", "RUN"])


def _chosen_measures(names: list[str]) -> list[str]:
    from boresight.measure.registry import default_measures

    usual = [str(measure) for measure in default_measures()]
    return [] if list(names) == usual else ["--measures", ",".join(names)]
