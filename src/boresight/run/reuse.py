"""Another look at stored values: other methods, measures, spans or scales, without a call to any model."""

from __future__ import annotations

import shutil
import time
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.game.coalitions import from_masks
from boresight.run.derive import Derivation
from boresight.run.design import AUTO, EXACT, NONE, design_for
from boresight.run.directory import GROWING, RunDirectory
from boresight.run.evidence import LOGPROB, check_value_kind
from boresight.run.execute import target_from_json
from boresight.run.plan import PASSAGES, TracePlan
from boresight.run.spec import RunSpec
from boresight.store.files import make_private_folder, read_json, read_jsonl, write_json
from boresight.store.lock import locked
from boresight.trace.forms import parse_trace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from boresight.models.seam import Target
    from boresight.run.progress import Progress

REUSABLE = ("method", "measures", "scale", "stage", "spans", "good", "least_grade")
"""Settings that change no stored value."""


def reuse(
    source: Path,
    out: Path,
    settings: Mapping[str, Any],
    *,
    by: Sequence[str] = (),
    overwrite: bool = False,
    command: str | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Derive a new run from the values of another; its counts of calls and coalitions are 0.

    Args:
        source: A run directory.
        out: The new one.
        settings: Fields of :class:`RunSpec` named in ``REUSABLE``; those left out stay as they were.
        by: Fields of ``meta`` to slice by.
        overwrite: Delete an earlier run in ``out``.
        command: The command line that started it, for the record.
        progress: Told what happens.

    Returns:
        The summary.

    Raises:
        SpecError: ``source`` is no finished run, ``out`` is in use, or a setting would need new values.
    """
    origin = RunDirectory(source)
    if not origin.is_run() or not origin.plan.exists():
        raise SpecError(f"{source} holds no values to reuse; give a run directory that was scored")
    if not origin.summary.exists():
        raise SpecError(f"the run in {source} is not finished; give its command again to go on")
    if out.resolve() == source.resolve():
        raise SpecError("--from and --out are the same folder; choose another --out")
    record = read_json(origin.run_json)
    spec = _with(RunSpec.from_json(record["spec"]), settings)
    check_value_kind(spec, record["generator"].get("value_kind", LOGPROB))
    directory = RunDirectory(out)
    directory.check_free()
    make_private_folder(out)
    with locked(out):
        if overwrite:
            directory.clear()
        identity = {key: record[key] for key in ("generator", "retriever", "prompt", "versions")}
        directory.open(spec, identity)
        directory.record |= {"from": str(source), "input": record["input"], "command": command}
        directory.record |= {"status": "running", "warnings": [], "absent": record.get("absent", {})}
        directory.save()  # before anything else, so that what a kill leaves is still a run
        _copy(origin, directory)
        plans = [_replanned(plan, index, spec, directory) for index, plan in enumerate(_plans(origin))]
        write_json(directory.plan, {"traces": [plan.to_json() for plan in plans]})
        if progress is not None:
            progress.note(f"values of {source}: no model is called")
        return _derive(directory, spec, plans, record, by)


def _derive(
    directory: RunDirectory,
    spec: RunSpec,
    plans: list[TracePlan],
    origin: Mapping[str, Any],
    by: Sequence[str],
) -> dict[str, Any]:
    """Write the derived files of a run whose values are in place."""
    targets: dict[str, list[Target]] = {}
    for line in read_jsonl(directory.targets):
        targets.setdefault(line["trace"], []).append(target_from_json(line))
    with directory.timed("tables"):
        summary = Derivation(
            directory=directory,
            spec=spec,
            traces=[parse_trace(line).trace for line in read_jsonl(directory.traces)],
            targets=targets,
            plans=plans,
            failures=origin["failures"],
            has_floor=origin["generator"].get("kind") != "fake",
            value_kind=origin["generator"].get("value_kind", LOGPROB),
            by=by,
        ).write()
    directory.record["failures"] = origin["failures"]
    directory.record["status"] = "done with failures" if origin["failures"] else "done"
    directory.record["ended"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    directory.save()
    return summary


def _with(spec: RunSpec, settings: Mapping[str, Any]) -> RunSpec:
    """The spec with other settings.

    Raises:
        SpecError: A setting other than its default would need new values.
    """
    defaults = {field.name: field.default for field in fields(RunSpec)}
    given = {name: value for name, value in settings.items() if value not in (None, (), AUTO)}
    free = {name: (defaults.get(name), getattr(spec, name, None)) for name in given}
    if set(given.get("explain", ())) <= set(spec.explain):  # what the run holds comes along
        given.pop("explain", None)
    needing = [name for name in given if name not in REUSABLE and given[name] not in free[name]]
    if "explain" in needing:
        raise SpecError(
            f"the run holds {_listed(spec.explain)}, and --from calls no retriever; audit the traces again "
            f"with --explain {','.join(given['explain'])}"
        )
    if needing and needing[0] in ("traces", "generator", "retriever"):
        raise SpecError(f"--from brings the {needing[0]} of its run; leave yours out, or leave --from out")
    if needing:
        raise SpecError(
            f"--{needing[0].replace('_', '-')} needs new values, and --from calls no model; "
            "audit the traces again to change it"
        )
    return replace(spec, **{name: value for name, value in given.items() if name in REUSABLE})


def _listed(explained: Sequence[str]) -> str:
    return f"explanations of {', '.join(explained)} only" if explained else "no explanations"


def _copy(origin: RunDirectory, directory: RunDirectory) -> None:
    for name in GROWING:
        if (origin.root / name).exists():
            shutil.copyfile(origin.root / name, directory.root / name)
            (directory.root / name).chmod(0o600)
    shutil.rmtree(directory.root / "values", ignore_errors=True)
    shutil.copytree(
        origin.root / "values", directory.root / "values", ignore=shutil.ignore_patterns(".writing-*")
    )
    (directory.root / "values").chmod(0o700)


def _plans(origin: RunDirectory) -> list[TracePlan]:
    return [TracePlan.from_json(plan) for plan in read_json(origin.plan)["traces"]]


def _replanned(plan: TracePlan, index: int, spec: RunSpec, directory: RunDirectory) -> TracePlan:
    """The plan with the method asked for, or without one where the values do not allow it."""
    if plan.status != "score" or spec.method == AUTO:
        return plan
    stored = {row.coalition for row in directory.values().read(index) if row.game == PASSAGES}
    if spec.method == EXACT:
        missing = (1 << plan.players) - len(stored)
    else:
        design = design_for(spec, plan.trace, spec.method, plan.players)
        missing = len(set(from_masks(design.coalitions)) - stored)
    if not missing:
        return replace(plan, method=spec.method)
    directory.record["warnings"].append(
        f"trace {plan.trace!r}: {spec.method} needs {missing} coalitions that the run does not hold, so it "
        "has no attributions; audit the traces again with this method"
    )
    return replace(plan, method=NONE)
