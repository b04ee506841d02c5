"""Faithfulness of attributions on complete games of real models: normalised AOPC and the linear score.

    python -m benchmarks.naopc [RUN ...] [--seeds 20] [--json]

Reads the stored exact games of ``../shared/data/games`` and the complete tables of finished runs, if some are
named. Needs no model. Sampled methods see 8n coalitions of each game; what they reach is compared with the
exact attributions and with the best and worst of all n! orders.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.estimators_parts.games import DATA
from benchmarks.results import table, write_section
from boresight.explain.shapley import ESTIMATORS, exact_shapley
from boresight.explain.shapley.estimands import ESTIMANDS
from boresight.measure.attribution_faithfulness import (
    Lattice,
    deletion,
    fresh_coalitions,
    insertion,
    linear_datamodelling_score,
    tie_groups,
)
from boresight.measure.evidence import RESOLUTION
from boresight.run.directory import RunDirectory
from boresight.run.evidence import sort_rows
from boresight.run.result import RunResult
from boresight.stats.bootstrap import mean_interval
from boresight.stats.random import rng_for

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

TITLE = "Normalised AOPC on complete games of real models"
SAMPLED = ("kriging", "leverage", "permutation")
EXACT, RANDOM = "exact Shapley", "random removal"
GOAL_EXACT, GOAL_SAMPLED = 0.8, 0.98
FRESH = 64


@dataclass(frozen=True)
class Game:
    """A complete game.

    Attributes:
        name: Where it comes from, with the number of passages.
        id: Its trace.
        lattice: All its values.
    """

    name: str
    id: str
    lattice: Lattice

    @property
    def n(self) -> int:
        """Passages."""
        return len(self.lattice.players)


def stored_games() -> Iterator[Game]:
    """The games that come with the data."""
    for line in DATA.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        players = tuple(map(str, range(row["n"])))
        values = np.minimum(np.array(row["values"]), 0.0)  # rounding to five digits may lift it above 0
        yield Game(f"stored games, n = {row['n']}", row["id"], Lattice(players, values))


def games_of_run(folder: Path) -> Iterator[Game]:
    """The complete tables of a run's answers."""
    values, run = RunDirectory(folder).values(), RunResult(folder)
    for index, trace in enumerate(run.traces.values()):
        if not values.is_finished(index):
            continue
        found = sort_rows(values.read(index), trace.context, "answer").table
        if found.complete and found.n > 1:
            lattice = np.array([found.totals[mask] for mask in range(1 << found.n)])
            yield Game(f"audited traces, n = {found.n}", trace.id, Lattice(trace.context, lattice))


def scores(game: Game, attribution: np.ndarray[Any, Any], used: Sequence[int], seed: int) -> dict[str, float]:
    """Normalised areas of a ranking, and the linear score on coalitions that made no part of it."""
    named = dict(zip(game.lattice.players, attribution.tolist(), strict=True))
    groups = tie_groups(named)
    found = {
        name: spread.share(spread.area)
        for name, spread in (
            ("deletion", deletion(game.lattice, groups)),
            ("insertion", insertion(game.lattice, groups)),
        )
    }
    fresh = fresh_coalitions(game.n, used, FRESH, rng_for(seed, "fresh coalitions", game.id))
    linear = linear_datamodelling_score(named, game.lattice, fresh).value
    return found | ({} if linear is None else {"linear": linear})


def sampled(game: Game, method: str, seed: int) -> dict[str, float]:
    """Scores of one seed of a sampled method at 8n coalitions."""
    estimator = ESTIMATORS[method]
    design = estimator.design(game.n, 8 * game.n, rng_for(seed, method, game.id))
    masks = design.coalitions @ (1 << np.arange(game.n))
    phi = estimator.estimate(design, game.lattice.values[masks]).attribution
    return scores(game, phi, masks.tolist(), seed)


def of_game(game: Game, seeds: int) -> dict[str, dict[str, float]]:
    """Scores by method; those of sampled methods are means over the seeds."""
    values = game.lattice.values
    found = {EXACT: scores(game, exact_shapley(values), (), 0)}
    found |= {name: scores(game, ESTIMANDS[name](values), (), 0) for name in ("leave_one_out", "banzhaf")}
    for method in SAMPLED:
        runs = [sampled(game, method, seed) for seed in range(seeds)]
        names = dict.fromkeys(name for run in runs for name in run)
        found[method] = {name: float(np.mean([run[name] for run in runs if name in run])) for name in names}
    spreads = {"deletion": deletion, "insertion": insertion}
    tied = [game.lattice.players]
    found[RANDOM] = {
        name: (spread := area(game.lattice, tied)).share(spread.random) for name, area in spreads.items()
    }
    return found


def measure(folders: Sequence[Path], seeds: int) -> dict[str, Any]:
    """Means over the games of each set, with intervals over games."""
    games = [*(stored_games() if DATA.exists() else ())]
    games += [game for folder in folders for game in games_of_run(folder)]
    flat = [game for game in games if _spread(game) <= RESOLUTION]
    kept = [game for game in games if game not in flat]
    results: dict[str, list[Mapping[str, Mapping[str, float]]]] = {}
    for game in kept:
        own = of_game(game, seeds)
        for name in (game.name, "all with n >= 8" if game.n >= 8 else None, "all games"):
            if name is not None:
                results.setdefault(name, []).append(own)
    sets = {name: _means(found) for name, found in sorted(results.items())}
    return {"seeds": seeds, "flat": len(flat), "sets": sets}


def _spread(game: Game) -> float:
    found = deletion(game.lattice, [game.lattice.players])
    return found.most - found.least


def _means(found: Sequence[Mapping[str, Mapping[str, float]]]) -> dict[str, Any]:
    methods = {}
    for method in found[0]:
        for score in ("deletion", "insertion", "linear"):
            values = [one[method][score] for one in found if score in one[method]]
            if values:
                mean = mean_interval(values, rng_for(0, "naopc", method, score))
                methods.setdefault(method, {})[score] = (mean.value, mean.low, mean.high)
    exact = methods[EXACT]["deletion"][0]
    ratio = {method: methods[method]["deletion"][0] / exact for method in SAMPLED}
    return {"games": len(found), "methods": methods, "of_exact": ratio}


def verdicts(result: dict[str, Any]) -> list[str]:
    """Whether the goals hold, set by set."""
    lines = []
    for name, one in result["sets"].items():
        exact = one["methods"][EXACT]["deletion"][0]
        held = "holds" if exact >= GOAL_EXACT else "does NOT hold"
        lines.append(f"- {name}: exact attributions reach {exact:.3f}; the goal {GOAL_EXACT} {held}.")
        low = {method: share for method, share in one["of_exact"].items() if share < GOAL_SAMPLED}
        told = ", ".join(f"{method} {share:.3f}" for method, share in one["of_exact"].items())
        goal = f"the goal {GOAL_SAMPLED} " + (f"does NOT hold for {', '.join(low)}" if low else "holds")
        lines.append(f"  Of that, sampled at 8n: {told}; {goal}.")
    return lines


def section(result: dict[str, Any]) -> list[str]:
    """The result as Markdown."""
    lines = [
        "Made by `python -m benchmarks.naopc RUN`. `stored games`: fp32 tables of SmolLM2-135M-Instruct with",
        "the reference as target. `audited traces`: PopQA (n = 5) and HotpotQA cut to eight shuffled",
        "passages, the model's own answer, bf16. 0 is the worst of all n! orders of removal, 1 the best.",
        f"Sampled methods see 8n coalitions, means over {result['seeds']} seeds; at n = 5 these are all 32.",
        "Intervals are over games. `linear` is the linear datamodelling score on up to 64 coalitions outside",
        "the method's design.",
        "",
        f"{result['flat']} games were left out because no order differs from another.",
    ]
    for name, one in result["sets"].items():
        rows = [
            (method, *(_cell(found.get(score)) for score in ("deletion", "insertion", "linear")))
            for method, found in one["methods"].items()
        ]
        lines += ["", f"### {name}: {one['games']} games", ""]
        lines += table(["mean over games", "deletion", "insertion", "linear"], rows)
    return [*lines, "", *verdicts(result)]


def _cell(mean: tuple[float, float | None, float | None] | None) -> str:
    if mean is None:
        return ""
    value, low, high = mean
    return f"{value:.3f}" if low is None else f"{value:.3f} ({low:.3f} to {high:.3f})"


def main() -> None:
    """Measure, write the section, print."""
    from pathlib import Path

    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("runs", nargs="*", type=Path, help="finished runs with complete tables")
    parser.add_argument("--seeds", type=int, default=20, help="seeds of each sampled method")
    parser.add_argument("--json", action="store_true", help="end with one JSON line")
    options = parser.parse_args()
    result = measure(options.runs, options.seeds)
    lines = section(result)
    write_section(TITLE, lines)
    print("\n".join(lines))
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
