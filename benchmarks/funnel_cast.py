"""Where TREC CAsT 2021's recorded runs lose the judged passages: all topics, each run alone and all together.

    python -m benchmarks.funnel_cast [--cut K] [--json]

Reads ``../shared/data/cast``: three runs of 20 places a turn, and the judgements of three years. Each run is
a funnel of one retriever that would keep its first K places (the runs record nothing behind them); together
they are three retrievers side by side. Turns without a run are followed too: what they lost is not recorded.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.results import write_section
from boresight.measure.funnel import funnel, good_passages, summarise_funnel
from boresight.trace import read_traces

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from boresight.measure.funnel import FunnelRow, FunnelSummary
    from boresight.trace import Trace

ROOT = Path(__file__).parents[1]
DATA = ROOT / "../shared/data/cast"
TITLE = "Stage of loss, CAsT 2021, percent of good passages with 95 percent intervals"


def with_cut(trace: Trace, names: Sequence[str], cut: int) -> Trace:
    """The trace with some of its runs only, and a cut that each would have."""
    stages = (replace(stage, cut=cut) for stage in trace.stages if stage.name in names)
    return replace(trace, stages=tuple(stages))


def losses(found: Sequence[Trace]) -> FunnelSummary:
    """The funnel of all traces."""
    rows: list[FunnelRow] = []
    without = 0
    for trace in found:
        good = good_passages(trace)
        without += not good
        rows += funnel(trace, good)
    return summarise_funnel(rows, without)


def measure(cut: int) -> dict[str, Any]:
    """All funnels, with the seconds that reading and following took."""
    begin = time.perf_counter()
    found = read_traces(DATA).traces
    run = [trace for trace in found if trace.stages]
    names = dict.fromkeys(stage.name for trace in run for stage in trace.stages)
    ways = {name.removesuffix(".run"): (name,) for name in names} | {"all three": tuple(names)}
    funnels = {way: losses([with_cut(trace, chosen, cut) for trace in run]) for way, chosen in ways.items()}
    everything = losses(found)
    return {
        "cut": cut,
        "seconds": time.perf_counter() - begin,
        "topics": len(found),
        "topics_with_runs": len(run),
        "funnels": funnels,
        "all_topics": everything,
    }


def table(result: Mapping[str, Any]) -> list[str]:
    """The result as a Markdown table."""
    kinds = ("cut", "scored_low", "never_retrieved")
    kept = f"first {result['cut']} kept of 20 recorded"
    turns = f"{result['topics_with_runs']} of {result['topics']} turns have runs"
    lines = [
        f"Judged relevant documents, {kept}; {turns}; {result['seconds']:.1f} s.",
        "",
        "| run | good | kept | cut, near | scored low | never retrieved |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for way, summary in result["funnels"].items():
        lost = [cell(summary["kinds"][kind]) if kind in summary["kinds"] else "0" for kind in kinds]
        lines.append(f"| {way} | {summary['good']:,} | {' | '.join([cell(summary['retrieved']), *lost])} |")
    return lines


def cell(rate: Mapping[str, Any]) -> str:
    """A share in percent with its interval."""
    return f"{100 * rate['value']:.1f} ({100 * rate['low']:.1f} to {100 * rate['high']:.1f})"


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cut", type=int, default=5, help="places of each run that would be kept")
    parser.add_argument("--json", action="store_true", help="end with one JSON line")
    options = parser.parse_args()
    if not DATA.exists():
        raise SystemExit(f"{DATA} is not here; the benchmark needs the CAsT files")
    result = measure(options.cut)
    lines = table(result)
    print("\n".join(lines))
    write_section(TITLE, lines)
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
