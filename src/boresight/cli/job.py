"""What `audit` and `plan` do alike: the job of a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boresight.run.audit import Job
    from boresight.run.progress import Progress


def split_names(text: str | None) -> tuple[str, ...]:
    """Names from an option that lists them with commas."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())


def make_command_job(
    traces: str,
    generator: str,
    retriever: str | None,
    measures: str | None,
    preset: str | None,
    limit: int | None,
    settings: dict[str, Any],
    progress: Progress,
) -> Job:
    """Read and check the traces of a command line, and say what was mended in them."""
    from boresight.run.audit import make_job

    job = make_job(
        traces,
        generator=generator,
        retriever=retriever,
        measures=None if measures is None else split_names(measures),
        preset=preset,
        limit=limit,
        settings=settings,
        progress=progress,
    )
    for warning in job.warnings:
        progress.note(f"warning: {warning}")
    return job
