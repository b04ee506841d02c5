"""Saliency of dense encoders: accuracy of Integrated Gradients, faithfulness by design choice, speed.

    python -m benchmarks.saliency [--parts accuracy table speed] [--pairs N] [--table-pairs N] [--threads N]
                                  [--encoder SPEC] [--quick] [--json]

Pairs are real queries and passages. `--encoder` adds an encoder to the accuracy part. The speed part needs
captum and runs both in turns in one process.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import torch

from benchmarks.results import table, write_section
from benchmarks.saliency_parts.accuracy import accuracy
from benchmarks.saliency_parts.data import minilm, pairs, tiny_cls
from benchmarks.saliency_parts.speed import speed
from benchmarks.saliency_parts.table import COLUMNS, FILL, rows
from boresight.explain.saliency import IntegratedGradients
from boresight.models.encoder import load_encoder

PARTS = ("accuracy", "table", "speed")
FIELDS = ("within", "converged", "median_gap", "p95_gap", "nodes")
HEAD = (
    "encoder, side",
    "pairs",
    "within 1 % with at most 20 nodes",
    "within 1 % at all",
    "median gap",
    "95th percentile",
    "mean nodes",
)


def accuracy_part(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Gap of the default setting."""
    chosen, found = pairs(options.pairs), []
    with tempfile.TemporaryDirectory() as folder:
        encoders = [minilm(), tiny_cls(Path(folder))]
        encoders += [load_encoder(spec, threads=options.threads, check=False) for spec in options.encoder]
        found = [accuracy(encoder, chosen, IntegratedGradients()) for encoder in encoders]
    sides = [(side, row) for row in found for side in ("query", "passage")]
    cells = [
        [f"{row['encoder']}, {side}", row["pairs"], *(row[f"{side}_{field}"] for field in FIELDS)]
        for side, row in sides
    ]
    lines = table(HEAD, cells)
    write_section("Saliency: completeness gap of Integrated Gradients, default setting", lines)
    return found


def table_part(options: argparse.Namespace) -> list[list[object]]:
    """Faithfulness by design choice."""
    encoder = minilm()
    found = rows(encoder, pairs(options.table_pairs))
    lines = [
        f"{encoder.name}, {options.table_pairs} pairs, tokens removed by [{FILL.upper()}] in ten steps;",
        "means with 95 percent bootstrap intervals over pairs.",
        "Additivity is the sum of the values over s(x) - s(x0), ideally 1.",
        "",
        *table(["choice", *(f"{side} {name}".replace("_", " ") for side, name in COLUMNS)], found),
    ]
    write_section("Saliency: design choices", lines)
    return found


def speed_part(options: argparse.Namespace) -> dict[str, Any]:
    """Time beside captum's."""
    encoder = minilm()
    torch.set_num_threads(options.threads)
    found = speed(encoder, pairs(40), 1 if options.quick else 3)
    lines = ["Ten passages of 155 tokens, passage side; captum at the same rule, steps and batch.", ""]
    lines += table(["", "value"], list(found.items()))
    write_section(f"Saliency: speed, {options.threads} thread{'s' * (options.threads > 1)}", lines)
    return found


def main() -> None:
    """Run the chosen parts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--table-pairs", type=int, default=40)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--encoder", nargs="+", default=[])
    parser.add_argument("--quick", action="store_true", help="a few pairs, to see that it runs")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    options = parser.parse_args()
    if options.quick:
        options.pairs, options.table_pairs = 6, 2
    torch.set_num_threads(options.threads)
    work = {"accuracy": accuracy_part, "table": table_part, "speed": speed_part}
    found = {part: work[part](options) for part in options.parts}
    print(json.dumps(found) if options.json else json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
