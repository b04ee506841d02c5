"""What an answer loses without the passage that a method ranks first.

    python -m benchmarks.top1_drop [--traces N] [--sets NAME,..] [--minutes M] [--dtype D] [--table]

SmolLM2-135M, one thread. Passages of a trace are shuffled, since labelled ones stand first in several
files. The answer is the recorded one, cut to 60 words, else the model's own greedy one. Ours is exact where
8n coalitions would hold them all, else sampled at 8n; ContextCite has its paper's 32 ablations. Resumable: a
line a trace; ``--table`` only makes the table again.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.drop_parts.lines import Lines, generator, records
from benchmarks.drop_parts.methods import METHODS, OURS, REFERENCES, measure, top
from benchmarks.drop_parts.text import wrapped
from benchmarks.results import table, write_section
from boresight.game.context_game import ContextGame
from boresight.stats.bootstrap import mean_interval
from boresight.stats.random import rng_for
from boresight.stats.wilson import wilson_interval
from boresight.trace import trace_from_dict

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from boresight.trace import Trace

SETS = ("popqa", "hotpotqa", "musique", "nq_litm")
MOST_TOKENS = 32
GOAL = 30  # traces of each set


def shuffled(record: dict[str, Any], name: str) -> Trace:
    """The trace with its passages in a seeded order; an answer is cut to 60 words."""
    order = rng_for(0, f"{name}:{record['id']}", "shuffle").permutation(len(record["passages"]))
    passages = [record["passages"][place] for place in order]
    answer = record["answer"] and " ".join(record["answer"].split()[:60])
    return trace_from_dict({**record, "passages": passages, "answer": answer or None})


def todo(count: int, sets: Sequence[str]) -> Iterator[tuple[str, Trace]]:
    """Set and trace, the sets in turns, so that an early end leaves all of them."""
    each = [[(name, one) for one in list(records(name))[:count]] for name in sets]
    for row in zip_longest(*each):
        yield from ((name, shuffled(record, name)) for name, record in filter(None, row))


def stored() -> Lines:
    """What is there."""
    wanted = {*METHODS, *REFERENCES}
    return Lines("top1_drop.jsonl", lambda line: wanted <= line["attributions"].keys())


def collect(count: int, sets: Sequence[str], minutes: float, dtype: str) -> None:
    """Measure what is not there yet, until the time is over."""
    lines, end = stored(), time.monotonic() + 60 * minutes
    model = None
    for name, trace in todo(count, sets):
        key = f"{name}:{trace.id}"
        if key in lines.known or time.monotonic() > end:
            continue
        model = model or generator(dtype)
        begin = time.monotonic()
        game = ContextGame(model, trace, max_new_tokens=MOST_TOKENS)
        if not game.target.token_ids:
            continue
        found = asdict(measure(game, 0))
        labels = {one: grade > 0 for one, grade in trace.relevance.items()}
        recorded = trace.answer is not None
        about = {"set": name, "recorded": recorded, "tokens": len(game.target.token_ids), "relevant": labels}
        lines.add(key, {**about, **found, "seconds": time.monotonic() - begin})
        print(f"{key}: {time.monotonic() - begin:.0f} s", flush=True)


def summary(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Per method the mean drop, its difference to ours, and label hits, over the given traces."""
    drops = {method: [_drop(one, method) for one in lines] for method in (*METHODS, *REFERENCES)}
    found = {}
    for method, values in drops.items():
        hits = [one["relevant"].get(top(one["attributions"][method])) for one in lines if _labelled(one)]
        ours_more = np.array(drops[OURS]) - np.array(values)
        found[method] = {
            "drop": mean_interval(values, rng_for(0, method, "drop")),
            "ours_more": mean_interval(ours_more.tolist(), rng_for(0, method, "difference")),
            "hits": wilson_interval(sum(map(bool, hits)), len(hits)),
        }
    return found


def _labelled(line: dict[str, Any]) -> bool:
    return any(line["relevant"].values())


def _drop(line: dict[str, Any], method: str) -> float:
    return line["grand"] - line["without"][top(line["attributions"][method])]


def write(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Write the section: all traces together, then the drop by set."""
    whole = summary(lines)
    rows = [
        (method, _mean(one["drop"]), "" if method == OURS else _mean(one["ours_more"]), _mean(one["hits"]))
        for method, one in whole.items()
    ]
    counts = {name: sum(one["set"] == name for one in lines) for name in SETS}
    by_set = {name: summary([one for one in lines if one["set"] == name]) for name in SETS if counts[name]}
    recorded, exact = (sum(one[key] for one in lines) for key in ("recorded", "exact"))
    about = f"""
        Made by `python -m benchmarks.top1_drop`. {len(lines)} of {GOAL * len(SETS)} traces, the first of each
        file: {", ".join(f"{name} {count}" for name, count in counts.items())}; passages shuffled per trace,
        bf16. The answer is recorded ({recorded} traces, cut to 60 words) or greedy (at most {MOST_TOKENS}
        tokens). Ours is exact on {exact} traces, else sampled at 8n; ContextCite at its paper's 32 ablations,
        as published and token by token as our `--method contextcite`. Nats, with 95 percent intervals
        (bootstrap over traces; Wilson for the share of traces whose top passage is labelled relevant).
        Leave-one-out ranks by this very drop, so no method can be above it; `first` (of the shuffled context)
        and `BM25` see no model.
    """
    said = [
        *wrapped(about),
        "",
        *table(["top 1 by", "drop", "ours minus it", "labelled relevant"], rows),
        "",
        *table(
            ["drop by set", *by_set],
            [(method, *(_mean(one[method]["drop"]) for one in by_set.values())) for method in whole],
        ),
    ]
    write_section("Top-1 log-probability drop", said)
    return {method: {key: value.value for key, value in one.items()} for method, one in whole.items()}


def _mean(interval: Any) -> str:
    if interval.value is None:
        return "undefined"
    return f"{interval.value:.3f} ({interval.low:.3f} .. {interval.high:.3f})"


def main() -> None:
    """Collect, then write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--traces", type=int, default=GOAL, help="of each set")
    parser.add_argument("--sets", default=",".join(SETS), help="only these, separated by commas")
    parser.add_argument("--minutes", type=float, default=1e9, help="stop to collect after so many")
    parser.add_argument("--dtype", default="bf16")
    parser.add_argument("--table", action="store_true", help="only make the table of what is there")
    parser.add_argument("--json", action="store_true", help="end with one line of JSON")
    options = parser.parse_args()
    if not options.table:
        collect(options.traces, options.sets.split(","), options.minutes, options.dtype)
    found = write(list(stored().known.values()))
    print(json.dumps(found) if options.json else json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
