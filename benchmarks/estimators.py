"""Estimators on games with known answers: intervals, errors against peers, stopping, interactions.

    python -m benchmarks.estimators [--quick] [--json]

Needs no model: the games are exact tables of SmolLM2-135M-Instruct and closed forms. Peers come with
``pip install 'boresight[bench]'``. All methods see the same games; a budget counts coalitions, the empty and
the grand one included.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

from benchmarks.estimators_parts import coverage, errors, extras, games, stopping
from benchmarks.results import table, write_section

TITLE = "Estimators, exact games of SmolLM2-135M and closed forms"


def measure(*, quick: bool) -> dict[str, Any]:
    """All parts; ``quick`` takes a twentieth of the seeds."""
    share = 20 if quick else 1
    large = [games.sums(), games.unanimity()]
    sets = [games.real(8), games.real(10), *large]
    seeds = 2_000 // share
    parts = {
        "coverage": lambda: coverage.measure_coverage(sets, seeds),
        "axioms": lambda: coverage.measure_axioms(games.with_null_and_twin(), max(500 // share, 20)),
        "errors": lambda: errors.measure_errors(sets, max(200 // share, 10), max(20 // share, 5)),
        "other_estimands": lambda: errors.measure_other_estimands(sets[:2], max(100 // share, 10)),
        "against_pmcshap": lambda: errors.measure_against_pmcshap(games.real(5), max(100 // share, 5)),
        "stopping": lambda: stopping.measure_stopping([sets[0], sets[1], large[0]], seeds),
        "interactions": lambda: {
            **extras.measure_interactions(sets[0], max(200 // share, 10)),
            **extras.measure_interactions(sets[1], max(60 // share, 5)),
        },
        "prefixes": lambda: {
            **extras.measure_prefixes(sets[0], max(60 // share, 5)),
            **extras.measure_prefixes(sets[1], max(60 // share, 5)),
        },
        "same_seed_same_bytes": extras.repeats_bytes,
    }
    result: dict[str, Any] = {}
    for name, part in parts.items():
        begin = time.perf_counter()
        result[name] = part()
        print(f"{name}: {time.perf_counter() - begin:.0f} s", flush=True)
    return result


def section(result: dict[str, Any], *, quick: bool) -> list[str]:
    """The result as Markdown."""
    seeds = "100" if quick else "2,000"
    lines = [f"Made by `python -m benchmarks.estimators{' --quick' if quick else ''}`.", ""]
    lines += [f"### Coverage of 95 percent intervals, {seeds} seeds a game", ""]
    lines += ["Budgets 4n, 8n, 16n, at most half of all coalitions; 17, 3, 3 and 6 games of 8, 10, 20 and 20"]
    lines += ["players. A method that gives no interval at a budget has no row there.", ""]
    lines += table(
        ["method", "pooled", "worst game", "interval score"],
        [
            (name, one["pooled"], one["worst_game"], one["interval_score"])
            for name, one in result["coverage"].items()
        ],
    )
    lines += ["", *table(
        ["method and games", "coverage", "worst game", "interval score"],
        [
            (f"{name}: {cell}", one["coverage"], one["worst"], one["score"])
            for name, method in result["coverage"].items()
            for cell, one in method["cells"].items()
        ],
    )]  # fmt: skip
    lines += ["", "### Null player and twins", "", *table(["share", ""], list(result["axioms"].items()))]
    lines += ["", "### Error against calls", ""]
    lines += [
        "Squared error over the squared norm of the exact values: mean over seeds, median over games.",
        "",
    ]
    cells = result["errors"]
    names = list(next(iter(cells.values()))["errors"])
    lines += table(["", *cells], [(name, *(one["errors"][name] for one in cells.values())) for name in names])
    lost = [cell for cell, one in cells.items() if not one["default_lowest"]]
    lines += [
        "",
        f"The default, `{errors.DEFAULT}`, has the lowest error in {len(cells) - len(lost)} of {len(cells)}.",
    ]
    lines += [
        f"- {cell}: {cells[cell]['best_other']} is lower"
        + (", within noise." if cells[cell]["default_within_noise"] else ".")
        for cell in lost
    ]
    lines += ["", "### Methods with another estimand, against that estimand", ""]
    lines += table(
        ["", *errors.OTHERS], [(cell, *one.values()) for cell, one in result["other_estimands"].items()]
    )
    lines += ["", "### Against PMCSHAP at its published pool of 20, n = 5", ""]
    lines += table(["", ""], list(result["against_pmcshap"].items()))
    lines += ["", f"### Stopping by question, cap {stopping.CAP}n, {seeds} runs each", ""]
    lines += table(
        ["", "decided", "wrong", "calls saved"],
        [(cell, one["decided"], one["wrong"], one["saved"]) for cell, one in result["stopping"].items()],
    )
    lines += ["", "### Sampled pairwise Shapley interactions", ""]
    lines += table(
        ["", *next(iter(result["interactions"].values()))],
        [(cell, *one.values()) for cell, one in result["interactions"].items()],
    )
    lines += ["", "### Designs that save tokens on the prefix tree", ""]
    lines += [
        "Each pair is the cheapest of some random candidates; best of 1 is the default design. To be kept, a"
    ]
    lines += [
        "design would have to lower error times tokens at every n, and its intervals would have to hold.",
        "",
    ]
    lines += table(
        ["", *next(iter(result["prefixes"].values()))],
        [(cell, *one.values()) for cell, one in result["prefixes"].items()],
    )
    return [*lines, "", f"Same seed, same bytes: {result['same_seed_same_bytes']}."]


def main() -> None:
    """Measure, write the section, print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--quick", action="store_true", help="a twentieth of the seeds; writes no section")
    parser.add_argument("--json", action="store_true", help="end with one JSON line")
    options = parser.parse_args()
    result = measure(quick=options.quick)
    lines = section(result, quick=options.quick)
    if not options.quick:
        write_section(TITLE, lines)
    print("\n".join(lines))
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
