"""Does attribution follow the evidence when the passage that states the answer is edited?

    python -m benchmarks.swap [--pairs N] [--minutes M] [--dtype bf16] [--table] [--json]

Pairs of RGB: a clean context, and the same with every passage that states the answer replaced by its edited
twin. The target is the answer, then the edited answer. A method follows where it ranks a stating passage first
for the answer in the clean context, and an edited twin first for the edited answer in the other. Both contexts
have the same seeded order of places. SmolLM2-135M, one thread, ours sampled at 8n. Resumable.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from benchmarks.drop_parts.lines import SHARED, Lines, generator, records
from benchmarks.drop_parts.methods import OURS, measure, top
from benchmarks.results import table, write_section
from boresight.game.context_game import ContextGame
from boresight.stats.bootstrap import mean_interval
from boresight.stats.random import rng_for
from boresight.stats.wilson import wilson_interval
from boresight.trace import trace_from_dict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

KINDS = ("clean", "counterfactual")
METHODS = (OURS, "leave-one-out", "context-cite", "attention", "random")


def pairs(count: int) -> Iterator[tuple[str, dict[str, dict[str, Any]]]]:
    """Id and, by kind, the trace whose answer is what its context says."""
    traces = {one["id"]: one for one in records("rgb")}
    with (SHARED / "rgb" / "records.jsonl").open(encoding="utf-8") as file:
        given = [json.loads(line) for line in file][:count]
    for record in given:
        answers = {"clean": record["answer"][0], "counterfactual": record["fakeanswer"][0]}
        rows = {kind: traces[f"{record['id']}-{kind}"] for kind in KINDS}
        order = rng_for(0, record["id"], "shuffle").permutation(len(rows["clean"]["passages"]))
        yield record["id"], {
            kind: {**row, "answer": answers[kind], "passages": [row["passages"][place] for place in order]}
            for kind, row in rows.items()
        }


def collect(count: int, minutes: float, dtype: str) -> None:
    """Measure the pairs that are not there yet, until the time is over."""
    lines, end = Lines("swap.jsonl"), time.monotonic() + 60 * minutes
    model = None
    for key, rows in pairs(count):
        if key in lines.known or time.monotonic() > end:
            continue
        model = model or generator(dtype)
        begin, line = time.monotonic(), {}
        for kind, row in rows.items():
            found = asdict(measure(ContextGame(model, trace_from_dict(row)), 0))
            line[kind] = {method: top(found["attributions"][method]) for method in METHODS}
            line[f"{kind}_attributions"] = found["attributions"][OURS]
        lines.add(key, {**line, "seconds": time.monotonic() - begin})
        print(f"{key}: {time.monotonic() - begin:.0f} s", flush=True)


def hits(line: dict[str, Any], method: str) -> tuple[bool, bool]:
    """Whether the method ranks a stating passage, and an edited twin, first."""
    clean, edited = (line[kind][method].startswith(f"{kind}-pos") for kind in KINDS)
    return clean, edited


def write(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Write the section."""
    found, rows = {}, []
    follows = {method: [all(hits(line, method)) for line in lines] for method in METHODS}
    for method in METHODS:
        seen = [hits(line, method) for line in lines]
        rate = wilson_interval(sum(follows[method]), len(lines))
        more = [float(a) - float(b) for a, b in zip(follows[OURS], follows[method], strict=True)]
        ours = mean_interval(more, rng_for(0, method, "difference"))
        found[method] = {"follows": rate.value, "low": rate.low, "high": rate.high, "ours_more": ours.value}
        rows.append(
            (
                method,
                f"{rate.value:.3f} ({rate.low:.3f} .. {rate.high:.3f})",
                "" if method == OURS else f"{ours.value:.3f} ({ours.low:.3f} .. {ours.high:.3f})",
                sum(clean for clean, _ in seen) / len(seen),
                sum(edited for _, edited in seen) / len(seen),
            )
        )
    said = [
        f"RGB, {len(lines)} of 68 pairs, ten passages mostly, one to nine of which state the answer; bf16. `follows`: a",
        "stating passage first for the answer, and an edited twin first for the edited answer; Wilson intervals,",
        "paired bootstrap for differences.",
        "",
        *table(["method", "follows", "ours minus it", "clean alone", "edited alone"], rows),
    ]
    write_section("Swap test: does attribution follow the evidence", said)
    return found


def main() -> None:
    """Collect, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--pairs", type=int, default=68)
    parser.add_argument("--minutes", type=float, default=1e9, help="stop to collect after so many")
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--table", action="store_true", help="only make the table of what is there")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    options = parser.parse_args()
    if not options.table:
        collect(options.pairs, options.minutes, options.dtype)
    found = write(list(Lines("swap.jsonl").known.values()))
    print(json.dumps(found) if options.json else json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
