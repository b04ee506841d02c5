"""The tree engine against its limit and against three ways of scoring the same coalitions.

    python -m benchmarks.engine [--sizes 6 8 10] [--threads 1 2] [--repeats N] [--dtype fp32|bf16] [--json]

The limit is what the tokens of the tree take at the speed of one plain forward pass of a pack's length,
without any logits. Baselines: the plain engine (read whole, equal lengths together), batches of 16 padded on
the left, and depth-first reuse of a key-value cache without packing. All run in turns in one process on the
same prompts, and their values are compared. At ten passages the slow baselines (plain, padded) are timed on
64 seeded coalitions, scaled by tokens, and the cache on the coalitions of the last eight. `--quick` does the
former from eight passages on, `--full` never. Each size and thread count runs in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from benchmarks.results import table, write_section
from boresight.game import ContextGame
from boresight.game.batches import as_batch, cost, grouped
from boresight.game.coalitions import all_coalitions
from boresight.game.tree import tree_tokens
from boresight.models.registry import load_generator
from boresight.models.seam import equal_length_batches
from boresight.trace import Passage, Trace, read_traces

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from boresight.models.seam import Request, Segment

ROOT = Path(__file__).parents[1]
MODEL = "pypi:smollm2-135m-instruct"
PADDED_ROWS = 16
SAMPLE = 64
SAMPLED_FROM = 10  # passages
CACHED = 8  # passages that the cache baseline plays at most
REPEATS = {10: 1}  # passages: repetitions, where they are fewer than asked for
WORDS = (43, 63)  # of a passage; about 90 tokens
ANSWER = "The bridge carries one road and was built in 1871, after the old ferry had sunk in a storm."

Values = dict[str, float]


@dataclass(frozen=True)
class Case:
    """One size: the game, its requests, and the same as packed batches."""

    generator: Any
    plain: Any
    requests: dict[str, Request]

    @property
    def able(self) -> Any:
        """What the engine can do."""
        return self.generator.capabilities()

    def sample(self, sampled_from: int, seed: int = 0) -> dict[str, Request]:
        """What the slow baselines are timed on."""
        names = list(self.requests)
        if len(names) < 1 << sampled_from:
            return self.requests
        chosen = np.random.default_rng(seed).choice(len(names), SAMPLE, replace=False)
        return {names[index]: self.requests[names[index]] for index in sorted(chosen)}


def trace_of(n: int) -> Trace:
    """Passages of unequal length, cut from the example traces."""
    traces = read_traces(ROOT / "examples/traces.jsonl").traces
    words = [word for trace in traces for passage in trace.passages for word in passage.text.split()]
    rng, passages, at = np.random.default_rng(0), [], 0
    for place in range(n):
        size = int(rng.integers(*WORDS))
        text = " ".join(words[(at + step) % len(words)] for step in range(size))
        passages.append(Passage(f"p{place}", text))
        at += size
    ids = tuple(passage.id for passage in passages)
    question = "When was the bridge built, and what does it carry?"
    return Trace(id="bench", query=question, passages=tuple(passages), context=ids, answer=ANSWER)


def case_of(n: int, generator: Any, plain: Any) -> Case:
    """All coalitions of n passages."""
    game = ContextGame(generator, trace_of(n))
    return Case(generator, plain, {name: game.request(name, (game.target,)) for name in all_coalitions(n)})


def by_tree(case: Case) -> Values:
    """The tree engine."""
    names, requests = list(case.requests), list(case.requests.values())
    found: Values = {}
    for group in grouped(requests, case.able):
        scored = case.generator.score(as_batch([requests[index] for index in group], case.able))
        found |= {names[i]: _value(one) for i, one in zip(group, scored, strict=True)}
    return found


def by_plain(case: Case, requests: dict[str, Request]) -> Values:
    """The plain engine."""
    names, rows = list(requests), list(requests.values())
    found: Values = {}
    for group in equal_length_batches(request.lengths for request in rows):
        scored = case.plain.score([rows[index] for index in group])
        found |= {names[i]: _value(one) for i, one in zip(group, scored, strict=True)}
    return found


def one_by_one(case: Case, requests: dict[str, Request]) -> Values:
    """One call a prompt, logits for the target only."""
    return {name: _value(case.plain.score([request])[0]) for name, request in requests.items()}


def by_padding(case: Case, requests: dict[str, Request]) -> Values:
    """Batches of 16 unequal prompts, padded on the left."""
    names, rows = list(requests), list(requests.values())
    found: Values = {}
    for start in range(0, len(rows), PADDED_ROWS):
        scored = case.plain.score_together(rows[start : start + PADDED_ROWS])
        found |= dict(zip(names[start:], map(_value, scored), strict=False))
    return found


def _value(scored: Any) -> float:
    return float(scored.logprobs["answer"].sum())


@torch.no_grad()
def by_cache(case: Case, names: Collection[str]) -> Values:
    """Depth first over the tree with one key-value cache, one segment a call."""
    from transformers import DynamicCache

    grand = next(reversed(case.requests.values()))
    header, *blocks, tail = grand.segments
    target, found, model = grand.targets[0].token_ids, {}, case.generator.model
    cache = DynamicCache()

    def read(ids: tuple[int, ...], keep: int) -> torch.Tensor:
        logits: torch.Tensor = model(torch.tensor([ids]), cache=cache, logits_to_keep=keep).logits[0]
        return logits

    def visit(chosen: tuple[int, ...], block: Segment) -> None:
        name = "".join("1" if place in chosen else "0" for place in range(len(blocks)))
        if name not in names:
            return
        read(block.ids, 1)
        logits = read(tail.ids + target[:-1], len(target)).float().log_softmax(-1)
        cache.crop(-len(tail.ids + target[:-1]))
        found[name] = float(logits.gather(-1, torch.tensor(target)[:, None]).sum())
        for place in range(max(chosen, default=-1) + 1, len(blocks)):
            before = cache.get_seq_length()
            visit((*chosen, place), blocks[place])
            if cache.get_seq_length() > before:
                cache.crop(before - cache.get_seq_length())

    visit((), header)
    return found


def cache_seconds(case: Case) -> tuple[float, Values]:
    """Seconds of all coalitions by cache; of many passages those of the last eight, scaled by tree tokens."""
    n = len(next(iter(case.requests)))
    absent = "0" * max(0, n - CACHED)
    few = {name: one for name, one in case.requests.items() if name.startswith(absent)}
    seconds, found = timed(lambda: by_cache(case, few))
    return seconds * tree_tokens(case.requests.values()) / tree_tokens(few.values()), found


@torch.no_grad()
def plain_speed(case: Case) -> float:
    """Tokens a second of one forward pass of a pack's length."""
    ids = torch.arange(case.able.packs.tokens)[None] % 40_000 + 5
    begin = time.perf_counter()
    case.generator.model(ids, use_cache=False, logits_to_keep=1)
    return float(ids.shape[1]) / (time.perf_counter() - begin)


def timed(work: Callable[[], Values]) -> tuple[float, Values]:
    """Seconds and values."""
    begin = time.perf_counter()
    found = work()
    return time.perf_counter() - begin, found


def measure(n: int, dtype: str, threads: int, repeats: int, sampled_from: int) -> dict[str, float]:
    """All ways in turns; medians over the turns."""
    generator = load_generator(MODEL, dtype=dtype, threads=threads)
    plain = load_generator(MODEL, dtype=dtype, threads=threads, engine="plain")
    plain._model = plain._scorer._model = generator.model  # noqa: SLF001 - one copy of the weights
    case = case_of(n, generator, plain)
    few = case.sample(sampled_from)
    scale = _tokens(case.requests) / _tokens(few)
    tokens = cost(list(case.requests.values()), case.able)
    plain_speed(case)  # warm up
    seconds: dict[str, list[float]] = {}
    gap, peak = 0.0, 0.0
    for _ in range(min(repeats, REPEATS.get(n, repeats))):
        speeds = [plain_speed(case), plain_speed(case)]
        before = _peak_mib()
        tree, values = timed(lambda: by_tree(case))
        peak = max(peak, _peak_mib() - before) if not seconds else peak
        speeds += [plain_speed(case), plain_speed(case)]
        cached, cached_values = cache_seconds(case)
        padded, padded_values = timed(lambda: by_padding(case, few))
        whole, whole_values = timed(lambda: by_plain(case, few))
        single = timed(lambda: one_by_one(case, few))[0] if n < sampled_from else whole
        limit = tokens / statistics.median(speeds)
        turn = {"limit": limit, "tree": tree, "cache": cached, "padded": padded * scale}
        for name, value in (turn | {"plain": min(whole, single) * scale}).items():
            seconds.setdefault(name, []).append(value)
        gap = max(
            gap,
            largest_gap(values, whole_values),
            largest_gap(values, cached_values),
            largest_gap(values, padded_values),
        )
    ratio = {name: statistics.median(map(_over, seconds["tree"], each)) for name, each in seconds.items()}
    return {
        "over_tree_limit": 1 / ratio["limit"],
        "speedup_over_plain": ratio["plain"],
        "speedup_over_padded": ratio["padded"],
        "speedup_over_prefix_cache": ratio["cache"],
        "peak_mib": peak,
        "coalitions": len(case.requests),
        "tree_tokens": tokens,
        "plain_tokens": _tokens(case.requests),
        "tree_seconds": statistics.median(seconds["tree"]),
        "tokens_per_second": tokens / statistics.median(seconds["tree"]),
        "largest_difference_nats": gap,
    }


def _over(tree: float, other: float) -> float:
    return other / tree


def _tokens(requests: dict[str, Request]) -> int:
    return sum(request.tokens for request in requests.values())


def largest_gap(one: Values, other: Values) -> float:
    """Largest difference of the values that both hold."""
    return max(abs(one[name] - value) for name, value in other.items())


def _peak_mib() -> float:
    """Largest memory of this process so far (the whole process, weights included)."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def in_own_process(n: int, threads: int, options: argparse.Namespace) -> dict[str, float]:
    """Measure in a fresh process, so that the thread count and the peak memory are its own."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.engine",
        "--one",
        "--sizes",
        str(n),
        "--threads",
        str(threads),
    ]
    command += ["--repeats", str(options.repeats), "--dtype", options.dtype]
    command += ["--sampled-from", str(options.sampled_from)]
    found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT)  # noqa: S603
    result: dict[str, float] = json.loads(found.stdout.splitlines()[-1])
    return result


def as_table(results: dict[str, dict[str, float]]) -> list[str]:
    """The results as Markdown, a figure a row."""
    names = list(next(iter(results.values())))
    rows = [(name.replace("_", " "), *(one[name] for one in results.values())) for name in names]
    return table(["", *results], rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[6, 8, 10])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--dtype", default="fp32")
    parser.add_argument("--full", dest="sampled_from", action="store_const", const=99, default=SAMPLED_FROM)
    parser.add_argument("--quick", dest="sampled_from", action="store_const", const=CACHED)
    parser.add_argument("--sampled-from", type=int, help="passages from which slow baselines are sampled")
    parser.add_argument("--one", action="store_true", help="measure here, one size and thread count")
    parser.add_argument("--json", action="store_true", help="end with one JSON line")
    options = parser.parse_args()
    if options.one:
        one = measure(
            options.sizes[0], options.dtype, options.threads[0], options.repeats, options.sampled_from
        )
        print(json.dumps(one))
        return
    results: dict[str, dict[str, float]] = {}
    for n in options.sizes:
        for threads in options.threads:
            results[f"n{n}_t{threads}"] = in_own_process(n, threads, options)
            print(f"n{n}_t{threads}", json.dumps(results[f"n{n}_t{threads}"]), flush=True)
    write_section(f"Tree engine, SmolLM2-135M {options.dtype}", as_table(results))
    if options.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
