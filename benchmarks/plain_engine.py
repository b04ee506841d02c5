"""The plain engine against one-by-one scoring and padded batches, on the same prompts in one run.

    python -m benchmarks.plain_engine [--threads N] [--repeats N] [--json]

Baselines: plain ``transformers`` on one prompt after the other with full logits (what a first script does),
and batches of 16 padded on the left. All score every coalition of the six-passage example trace.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from typing import TYPE_CHECKING

import torch

from benchmarks.engine import MODEL, ROOT, Case, Values, as_table, by_padding, by_plain, largest_gap
from benchmarks.results import write_section
from boresight.game import ContextGame
from boresight.game.coalitions import all_coalitions
from boresight.models.registry import load_generator
from boresight.trace import read_traces

if TYPE_CHECKING:
    from collections.abc import Callable


def by_transformers(case: Case) -> Values:
    """Plain transformers: a forward pass a prompt, all logits."""
    values = {}
    for name, request in case.requests.items():
        target = request.targets[0].token_ids
        ids = torch.tensor([[*request.prompt_ids, *target]])
        with torch.no_grad():
            logits = case.generator.model(ids).logits[0, -len(target) - 1 : -1].float().log_softmax(-1)
        values[name] = float(logits.gather(-1, torch.tensor(target)[:, None]).sum())
    return values


def median_seconds(work: Callable[[], object], repeats: int) -> float:
    """Median time of a piece of work, one warm-up aside."""
    work()
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)


def measure(threads: int, repeats: int) -> dict[str, float]:
    """All three ways; checks that they agree."""
    generator = load_generator(MODEL, threads=threads, engine="plain")
    traces = read_traces(ROOT / "examples/traces.jsonl").traces
    game = ContextGame(generator, max(traces, key=lambda trace: len(trace.context)), max_new_tokens=32)
    requests = {name: game.request(name, (game.target,)) for name in all_coalitions(len(game.players))}
    case = Case(generator, generator, requests)
    ways: dict[str, Callable[[], Values]] = {
        "plain": lambda: by_plain(case, requests),
        "one_by_one": lambda: by_transformers(case),
        "padded": lambda: by_padding(case, requests),
    }
    values = {name: way() for name, way in ways.items()}
    seconds = {name: median_seconds(way, repeats) for name, way in ways.items()}
    tokens = sum(request.tokens for request in requests.values())
    gap = max(largest_gap(values["plain"], values[name]) for name in ("one_by_one", "padded"))
    return {
        "passages": len(game.players),
        "coalitions": len(requests),
        "tokens": tokens,
        "tokens_per_second": tokens / seconds["plain"],
        "seconds": seconds["plain"],
        "speedup_over_one_by_one": seconds["one_by_one"] / seconds["plain"],
        "speedup_over_padded": seconds["padded"] / seconds["plain"],
        "largest_difference_nats": gap,
    }


def write_results(results: dict[str, dict[str, float]]) -> None:
    """Replace the engine's section of RESULTS.md."""
    write_section("Plain engine, SmolLM2-135M fp32, six passages, 64 coalitions", as_table(results))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="end with one JSON line")
    options = parser.parse_args()
    results = {f"t{threads}": measure(threads, options.repeats) for threads in options.threads}
    write_results(results)
    for name, result in results.items():
        for key, value in result.items():
            print(f"{name} {key}: {value:.4g}")
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
