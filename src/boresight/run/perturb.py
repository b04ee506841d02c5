"""Run a perturbation setup: an audit a condition, and the differences of the measures of alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boresight.errors import InputError, SpecError
from boresight.measure.perturb import CONDITIONS, SETUPS, STAGE, conditions
from boresight.run.audit import make_job, read_input, run_job
from boresight.run.progress import Silent
from boresight.run.result import RunResult
from boresight.run.spec import first_difference
from boresight.stats.bootstrap import paired_interval
from boresight.stats.random import rng_for
from boresight.store.files import make_private_folder, read_json, write_json

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
RESULT, SETTINGS = "perturb.json", "setup.json"
UNREAD: Mapping[str, Any] = {"placebo": 0, "closed_book_answers": False}
"""Settings of an audit that no measure here reads, and that cost calls."""


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
    overwrite: bool = False,
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
        overwrite: Delete earlier runs in the folder first.
        progress: Told what happens.

    Returns:
        By measure the mean under each condition and ``difference``, the mean of condition 1 minus condition 2
        with its paired bootstrap interval, and under ``failed`` why traces failed, by condition; written to
        ``perturb.json`` too.

    Raises:
        InputError: A trace cannot be arranged so.
        SpecError: The folder holds another perturbation.
    """
    shown, chosen = progress or Silent(), {**UNREAD, **(settings or {}), "stage": STAGE}
    found, warnings = read_input(traces, limit)
    if not found:
        raise InputError("there is no trace to perturb")
    for warning in warnings:
        shown.note(f"warning: {warning}")
    seed = chosen.get("seed") or 0
    arranged = _arranged(found, setup, k, corpus, seed)
    _open(out, {"setup": setup, "k": k, "seed": seed, "limit": limit}, overwrite=overwrite)
    values, failed = {}, {}
    for number, own in arranged.items():
        shown.note(f"condition {number}: {CONDITIONS[number]}")
        job = make_job(own, generator=generator, measures=MEASURES, settings=chosen, progress=progress)
        run_job(job, out / f"condition-{number}", overwrite=overwrite, progress=progress)
        run = RunResult(out / f"condition-{number}")
        values[number], failed[str(number)] = _values(run), run.failures
    result = {"setup": setup, "words": SETUPS[setup], "k": k, "traces": len(found), "seed": seed}
    result |= {"failed": failed, "measures": {name: _compared(name, values, seed) for name in MEASURES}}
    write_json(out / RESULT, result)
    return result


def _open(out: Path, settings: Line, *, overwrite: bool) -> None:
    """Note what the folder is for, so that another setup does not go on in it."""
    stored = read_json(out / SETTINGS) if (out / SETTINGS).exists() and not overwrite else settings
    other = first_difference(stored, settings)
    if other is not None:
        raise SpecError(f"{out} holds another perturbation: {other}; choose another --out, or --overwrite")
    make_private_folder(out)
    write_json(out / SETTINGS, settings)


def _arranged(
    traces: Sequence[Trace], setup: Setup, k: int, corpus: Sequence[Passage], seed: int
) -> dict[int, list[Trace]]:
    """Every trace under each condition."""
    arranged: dict[int, list[Trace]] = {number: [] for number in CONDITIONS}
    for trace in traces:
        strangers = corpus or [one for other in traces if other.id != trace.id for one in other.passages]
        rng = rng_for(seed, trace.id, "perturbation", setup)
        for number, one in conditions(trace, setup, k, strangers, rng).items():
            arranged[number].append(one)
    return arranged


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
