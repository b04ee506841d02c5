"""Run a perturbation setup: an audit a condition, and the differences of the measures of alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import InputError
from boresight.measure.perturb import CONDITIONS, SETUPS, STAGE, conditions
from boresight.run.audit import make_job, read_input, run_job
from boresight.run.progress import Silent
from boresight.run.result import RunResult
from boresight.stats.bootstrap import paired_interval
from boresight.stats.random import rng_for
from boresight.store.files import make_private_folder, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from boresight.measure.perturb import Setup
    from boresight.models.seam import Generator
    from boresight.run.progress import Progress
    from boresight.trace import Passage, Trace

    Line = dict[str, Any]

TAUS = (0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4)
MEASURES = (
    *(f"warg@{tau:g}" for tau in TAUS),
    *(f"warg_prob@{tau:g}" for tau in TAUS),
    "spearman",
    "pearson",
)
RESULT = "perturb.json"


def perturb(
    traces: Any,
    out: Path,
    *,
    generator: str | Generator,
    setup: Setup,
    k: int = 5,
    corpus: Sequence[Passage] = (),
    limit: int | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
) -> Line:
    """Audit every trace under each condition and compare the first two.

    Each condition is a run directory of its own under ``out``, so a killed command goes on.

    Args:
        traces: A file or traces, each with a ranking.
        out: The folder.
        generator: Spec or object.
        setup: ``A``, ``B`` or ``C``.
        k: Passages of the top, and of the others.
        corpus: Passages that setup B draws from; those of the other traces if none are given.
        limit: Use only the first so many traces.
        settings: Further settings of the audits.
        progress: Told what happens.

    Returns:
        By measure the mean under each condition and ``difference``, the mean of condition 1 minus condition 2
        with its paired bootstrap interval; written to ``perturb.json`` too.

    Raises:
        InputError: A trace cannot be arranged so.
    """
    found, _ = read_input(traces, limit)
    if not found:
        raise InputError("there is no trace to perturb")
    seed = (settings or {}).get("seed") or 0
    arranged: dict[int, list[Trace]] = {number: [] for number in CONDITIONS}
    for trace in found:
        strangers = corpus or [one for other in found if other.id != trace.id for one in other.passages]
        rng = rng_for(seed, trace.id, "perturbation", setup)
        for number, one in conditions(trace, setup, k, strangers, rng).items():
            arranged[number].append(one)
    make_private_folder(out)
    values = {}
    for number, own in arranged.items():
        (progress or Silent()).note(f"condition {number}: {CONDITIONS[number]}")
        job = make_job(
            own, generator=generator, measures=MEASURES, settings={**(settings or {}), "stage": STAGE},
            progress=progress,
        )  # fmt: skip
        run_job(job, out / f"condition-{number}", progress=progress)
        values[number] = _values(RunResult(out / f"condition-{number}"))
    result = {"setup": setup, "words": SETUPS[setup], "k": k, "traces": len(found), "seed": seed}
    result |= {"measures": {name: _compared(name, values, seed) for name in MEASURES}}
    write_json(out / RESULT, result)
    return result


def _values(run: RunResult) -> dict[str, dict[str, float]]:
    """Defined values by measure and trace."""
    found: dict[str, dict[str, float]] = {name: {} for name in MEASURES}
    rows = run.measures.reset_index()
    defined = rows[rows["state"] == "defined"]
    columns = (defined[name].tolist() for name in ("trace", "measure", "value"))
    for trace, measure, value in zip(*columns, strict=True):
        found[measure][trace] = value
    return found


def _compared(name: str, values: Mapping[int, Mapping[str, Mapping[str, float]]], seed: int) -> Line:
    means = {str(number): _mean(own[name].values()) for number, own in values.items()}
    paired = paired_interval(values[1][name], values[2][name], rng_for(seed, "perturbation", name))
    ends = {key: getattr(paired.difference, key) for key in ("value", "low", "high")}
    return {"means": means, "difference": ends, "pairs": paired.pairs}


def _mean(values: Any) -> float | None:
    numbers = list(values)
    return sum(numbers) / len(numbers) if numbers else None
