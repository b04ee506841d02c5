"""Time and memory of deriving every measure that needs no new rows, on stored traces of ten passages.

    python -m benchmarks.measures_budget [--traces 200] [--json]

A fake generator fills the values of a run (all 1,024 coalitions a trace, 20 tokens, several recorded stages,
labels, references and citations), untimed. Then the derived files are made anew in a process of its own, as
``audit --from`` makes them: attributions, pairs, sets, measures, findings and the summary. Its whole time
from the start of Python, and its peak memory, are what is reported.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.results import table, write_section
from boresight.game.coalitions import all_coalitions
from boresight.measure.registry import catalogue
from boresight.stats.random import rng_for

TITLE = "All measures that need no new rows"
PASSAGES, TOKENS = 10, 20
SECONDS, GIB = 60.0, 2.0
STORED = {
    "table", "singletons", "leave_one_out", "grand", "empty", "closed_book", "retriever_ranks",
    "retriever_scores",
}  # fmt: skip


def measures() -> list[str]:
    """Names of all measures of traces that read what a default audit stores anyway."""
    return [
        one["name"]
        for one in catalogue()
        if one["scope"] == "trace" and set(one["needs"]) <= STORED and one["targets"] == ["answer"]
    ]


def fake_table() -> dict[str, Any]:
    """Token log-probabilities of all coalitions: weights, one pair of twins, and noise."""
    rng = rng_for(0, "measures budget")
    names = [f"p{place}" for place in range(PASSAGES)]
    weights = rng.normal(0.0, 0.3, (PASSAGES, TOKENS))
    values = {}
    for coalition in all_coalitions(PASSAGES):
        present = np.array([mark == "1" for mark in coalition])
        row = -2.0 + weights[present].sum(axis=0) - 0.2 * (present[0] & present[1])
        row = np.minimum(row + rng.normal(0.0, 0.02, TOKENS), -1e-3)
        key = ",".join(sorted(name for name, mark in zip(names, coalition, strict=True) if mark == "1"))
        values[key] = [round(float(value), 4) for value in row]
    answer = " ".join(["word"] * (TOKENS - 1)) + " [1]"
    return {"answer": answer, "closed_book": [-2.0] * TOKENS, "values": values}


def write_input(folder: Path, traces: int) -> None:
    """Traces and the fake generator's file."""
    names = [f"p{place}" for place in range(PASSAGES)]
    stages = [
        {
            "name": name,
            "kind": kind,
            "ranking": [{"id": one, "score": float(PASSAGES - rank)} for rank, one in enumerate(order)],
        }
        for name, kind, order in (("bm25", "retrieve", names), ("reranker", "rerank", names[::-1]))
    ]
    trace = {
        "query": "What is it?",
        "passages": [{"id": name, "text": f"The text of {name}. It has two sentences."} for name in names],
        "stages": stages,
        "context": names,
        "references": ["word word"],
        "relevance": {"p0": 1, "p3": 2, "p4": 0},
    }
    lines = [json.dumps({"id": f"t{number}", **trace}) for number in range(traces)]
    (folder / "traces.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "fake.json").write_text(json.dumps({"*": fake_table()}), encoding="utf-8")


def derive(source: Path, out: Path) -> None:
    """Derive a run anew from the values of another, all measures; prints the peak memory in KiB."""
    from boresight.run.reuse import reuse

    begin = time.perf_counter()
    reuse(source, out, {"measures": tuple(measures())})
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": time.perf_counter() - begin, "peak_kib": peak}))


def _command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", *map(str, arguments)]


def measure(traces: int) -> dict[str, Any]:
    """Fill a run, then derive it in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="boresight-budget-") as name:
        folder = Path(name)
        write_input(folder, traces)
        audit = _command(
            "boresight.cli", "audit", folder / "traces.jsonl", "--generator", f"fake:{folder / 'fake.json'}",
            "--exact", "--show", 0, "--yes", "--out", folder / "run",
        )  # fmt: skip
        begin = time.perf_counter()
        subprocess.run(audit, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
        filled = time.perf_counter() - begin
        begin = time.perf_counter()
        again = _command("benchmarks.measures_budget", "--derive", folder / "run", folder / "again")
        done = subprocess.run(again, check=True, capture_output=True, text=True)  # noqa: S603 - the same
        whole = time.perf_counter() - begin
        inner = json.loads(done.stdout.splitlines()[-1])
        summary = json.loads((folder / "again" / "summary.json").read_text(encoding="utf-8"))
    states = summary["measures"].values()
    return {
        "traces": traces,
        "measures": len(states),
        "with_a_value": sum(one["defined"] > 0 for one in states),
        "fill_seconds": filled,
        "seconds": whole,
        "derive_seconds": inner["seconds"],
        "peak_gib": inner["peak_kib"] / 2**20,
    }


def section(result: dict[str, Any]) -> list[str]:
    """The result as Markdown."""
    within = result["seconds"] <= SECONDS and result["peak_gib"] <= GIB
    rows = [
        ("measures", result["measures"]),
        ("of these with a value", result["with_a_value"]),
        ("seconds, from the start of Python", round(result["seconds"], 1)),
        ("seconds, without the imports", round(result["derive_seconds"], 1)),
        ("peak memory, GiB", round(result["peak_gib"], 2)),
    ]
    return [
        "Made by `python -m benchmarks.measures_budget`: `audit --from` with every measure that needs no",
        f"rows beyond a default audit, on {result['traces']} stored traces of ten passages (1,024 coalitions",
        "of 20 tokens each); attributions, pairs, sets and findings are part of it.",
        "",
        *table(["", ""], rows),
        "",
        f"The goal of {SECONDS:.0f} seconds and {GIB:.0f} GiB {'holds' if within else 'does NOT hold'}.",
    ]


def main() -> None:
    """Measure, write the section, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--traces", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="end with one JSON line")
    parser.add_argument("--derive", nargs=2, type=Path, metavar=("RUN", "OUT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.derive:
        derive(*options.derive)
        return
    result = measure(options.traces)
    lines = section(result)
    write_section(TITLE, lines)
    print("\n".join(lines))
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
