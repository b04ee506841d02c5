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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from benchmarks.results import table, write_section
from boresight.game import ContextGame
from boresight.game.coalitions import all_coalitions
from boresight.models.registry import load_generator
from boresight.models.seam import equal_length_batches
from boresight.trace import read_traces

if TYPE_CHECKING:
    from collections.abc import Callable

    from boresight.models.seam import Request

ROOT = Path(__file__).parents[1]
MODEL = "pypi:smollm2-135m-instruct"
PADDED_ROWS = 16


def requests_of(game: ContextGame) -> list[Request]:
    """One request a coalition."""
    return [game.request(coalition, (game.target,)) for coalition in all_coalitions(len(game.players))]


def one_by_one(model: Any, requests: list[Request]) -> list[float]:
    """Plain transformers: a forward pass a prompt, all logits."""
    values = []
    for request in requests:
        target = request.targets[0].token_ids
        ids = torch.tensor([[*request.prompt_ids, *target]])
        with torch.no_grad():
            logits = model(ids).logits[0, -len(target) - 1 : -1].float().log_softmax(-1)
        values.append(float(logits.gather(-1, torch.tensor(target)[:, None]).sum()))
    return values


def by_engine(generator: Any, requests: list[Request]) -> list[float]:
    """The plain engine."""
    values = dict.fromkeys(range(len(requests)), 0.0)
    for group in equal_length_batches(request.lengths for request in requests):
        scored = generator.score([requests[index] for index in group])
        values.update({i: float(one.logprobs["answer"].sum()) for i, one in zip(group, scored, strict=True)})
    return list(values.values())


def padded(generator: Any, requests: list[Request]) -> list[float]:
    """Batches of 16 unequal prompts, padded."""
    batches = [requests[start : start + PADDED_ROWS] for start in range(0, len(requests), PADDED_ROWS)]
    scored = [one for batch in batches for one in generator.score_together(batch)]
    return [float(one.logprobs["answer"].sum()) for one in scored]


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
    generator = load_generator(MODEL, threads=threads)
    traces = read_traces(ROOT / "examples/traces.jsonl").traces
    game = ContextGame(generator, max(traces, key=lambda trace: len(trace.context)), max_new_tokens=32)
    requests = requests_of(game)
    ways: dict[str, Callable[[], list[float]]] = {
        "plain": lambda: by_engine(generator, requests),
        "one_by_one": lambda: one_by_one(generator.model, requests),  # type: ignore[attr-defined]
        "padded": lambda: padded(generator, requests),
    }
    values = {name: way() for name, way in ways.items()}
    seconds = {name: median_seconds(way, repeats) for name, way in ways.items()}
    tokens = sum(request.tokens for request in requests)
    gap = max(
        abs(one - other)
        for name in ("one_by_one", "padded")
        for one, other in zip(values["plain"], values[name], strict=True)
    )
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
    names = list(next(iter(results.values())))
    rows = [(name.replace("_", " "), *(one[name] for one in results.values())) for name in names]
    write_section("Plain engine, SmolLM2-135M fp32, six passages, 64 coalitions", table(["", *results], rows))


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
