"""Tok-RAG's claim on real data: does the criterion know which stream is right, better than certainty does?

    python -m benchmarks.tok_rag [--sizes popqa=200 hotpotqa=70 rgb=40 musique=20] [--dtype bf16] [--quick]
                                 [--rows runs/tok_rag/rows.jsonl] [--json]

SmolLM2-135M on traces of public sets: all passages against closed book, teacher-forced over texts that are
right (the first reference; a recorded answer that holds a reference). What was scored is kept in the rows'
file, so a stopped run goes on.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch

from benchmarks.engine import MODEL, ROOT
from benchmarks.results import table, write_section
from benchmarks.tok_rag_parts.rows import MOST_TOKENS, collect
from boresight.measure.rows import Streams
from boresight.measure.tokens import Claim, claim_of
from boresight.models.registry import load_generator
from boresight.models.streams import APART, L1, MET

if TYPE_CHECKING:
    from collections.abc import Sequence

    from boresight.models.transformers_generator import TransformersGenerator
    from boresight.stats.interval import Interval

SIZES = ("popqa=200", "hotpotqa=70", "rgb=40", "musique=20")
HEAD = ("tokens of", "traces", "benefit", "detriment", "criterion", "certainty", "difference")
TEXTS = {"reference": "references", "answer": "recorded right answers"}
FIXED = 16 / 32  # the layer of the published token-level test, as a share of the depth

Row = dict[str, Any]


def streams_of(row: Row, layer: int) -> Streams:
    """The streams of a row, with the criterion at a layer."""
    scalars = {name: np.array(values) for name, values in row.items() if isinstance(values, list)}
    return Streams(scalars | {MET: np.array(row["met"][layer]), APART: np.array(row["apart"])}, layer)


def claim(rows: Sequence[Row], layer: int | None = None) -> Claim:
    """The claim over rows, at each one's layer of the published rule or at a fixed one."""
    chosen = {row["trace"]: streams_of(row, row["layer"] if layer is None else layer) for row in rows}
    return claim_of(chosen)


def cells(name: str, rows: Sequence[Row], layer: int | None = None) -> list[object]:
    """One line of the table."""
    found = claim(rows, layer)
    areas = [found.criterion, found.certainty, found.difference]
    return [name, len(rows), found.benefit, found.detriment, *map(shown, areas)]


def shown(area: Interval[float | None]) -> str:
    """Value with its interval."""
    if area.value is None:
        return ""
    ends = "" if area.low is None else f" ({area.low:.2f} to {area.high:.2f})"
    return f"{area.value:.3f}{ends}"


def report(rows: Sequence[Row], dtype: str) -> list[str]:
    """The section's text."""
    scored = [row for row in rows if "met" in row]
    depth = len(scored[0]["met"])
    lines: list[list[object]] = []
    for kind, words in TEXTS.items():
        of_kind = [row for row in scored if row["kind"] == kind]
        names = sorted({row["set"] for row in of_kind})
        if not of_kind:
            continue
        lines += [cells(f"{words}, {name}", [row for row in of_kind if row["set"] == name]) for name in names]
        lines += [cells(f"{words}, all sets", of_kind)] if len(names) > 1 else []
        lines.append(cells(f"{words}, all sets, layer {int(FIXED * depth)}", of_kind, int(FIXED * depth)))
    return [*_words(rows, scored, dtype), "", *table(HEAD, lines), "", *_by_layer(scored, depth)]


def _words(rows: Sequence[Row], scored: Sequence[Row], dtype: str) -> list[str]:
    layers = np.array([row["layer"] for row in scored])
    skipped = sum(row["kind"] == "too long" for row in rows)
    middle, depth = f"median {np.median(layers):.0f}", len(scored[0]["met"])
    return [
        f"Made by `python -m benchmarks.tok_rag`. SmolLM2-135M, {dtype}, all passages against closed book",
        "over right texts; only tokens count that exactly one stream has as its likeliest. Benefit: the",
        "stream with passages has it. Area under the curve of the published criterion (met - apart), of",
        "plain certainty (top probability with - without), and their difference, with 95 percent intervals",
        f"over traces. Layer by the published rule: {middle} of {depth}, {layers.min()} to {layers.max()};",
        f"{skipped} prompts above {MOST_TOKENS} tokens were left out.",
    ]


def _by_layer(scored: Sequence[Row], depth: int) -> list[str]:
    """The criterion at every layer, over references, as the published script sweeps them."""
    rows = [row for row in scored if row["kind"] == "reference"]
    areas = [claim(rows, layer).criterion.value or 0.0 for layer in range(depth)]
    distance = {row["trace"]: streams_of(row, 0) for row in rows}
    plain = claim_of(distance, lambda streams: streams.scalars[L1]).criterion
    return [
        f"References, criterion at every layer from 0: {', '.join(f'{area:.2f}' for area in areas)}.",
        f"How far apart the streams are (sum |p - q|) as the score: {shown(plain)}.",
    ]


def main() -> None:
    """Score what is missing, then write the section."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sizes", nargs="+", default=list(SIZES))
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--rows", type=Path, default=ROOT / "runs/tok_rag/rows.jsonl")
    parser.add_argument("--quick", action="store_true", help="two traces a set, to see that it runs")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    options = parser.parse_args()
    torch.set_num_threads(1)
    pairs = (size.split("=") for size in options.sizes)
    sizes = {name: 2 if options.quick else int(size) for name, size in pairs}
    generator = cast("TransformersGenerator", load_generator(MODEL, dtype=options.dtype, threads=1))
    rows = collect(generator, ROOT.parent / "shared/data", sizes, options.rows)
    lines = report(rows, options.dtype)
    if not options.quick:
        write_section("Tok-RAG's criterion against certainty", lines)
    print(json.dumps(lines) if options.json else "\n".join(lines))


if __name__ == "__main__":
    main()
