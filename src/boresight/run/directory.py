"""The run directory: where each file lies, how a run is started, resumed, and counted."""

from __future__ import annotations

import os
import platform
import shutil
import time
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from boresight.errors import SpecError
from boresight.run.spec import RunSpec, first_difference
from boresight.store.files import make_private_folder, mend_jsonl, read_json, remove_temporaries, write_json
from boresight.store.values import ValueStore

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMAT = 1
RECORDED_VERSIONS = ("boresight", "torch", "transformers", "tokenizers", "numpy", "scipy", "pyarrow")
GROWING = ("traces.jsonl", "targets.jsonl", "generations.jsonl", "explanations.jsonl", "removals.jsonl")


def environment() -> dict[str, Any]:
    """Where the run happens, for the record; a resume elsewhere is not refused."""
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
    }


def installed_versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    found = {}
    for package in RECORDED_VERSIONS:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


class RunDirectory:
    """One audit on disk.

    Args:
        root: The folder; made private to the user.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.record: dict[str, Any] = {}

    @property
    def traces(self) -> Path:
        """Audited traces, long form, one line each."""
        return self.root / "traces.jsonl"

    @property
    def targets(self) -> Path:
        """Targets with token ids."""
        return self.root / "targets.jsonl"

    @property
    def generations(self) -> Path:
        """Answers that the model generated."""
        return self.root / "generations.jsonl"

    @property
    def explanations(self) -> Path:
        """Why the retriever gave its scores."""
        return self.root / "explanations.jsonl"

    @property
    def removals(self) -> Path:
        """What moves passages across the retriever's cut."""
        return self.root / "removals.jsonl"

    @property
    def plan(self) -> Path:
        """Batches and methods, fixed before scoring."""
        return self.root / "plan.json"

    @property
    def run_json(self) -> Path:
        """Settings, identities, counts and times."""
        return self.root / "run.json"

    @property
    def summary(self) -> Path:
        """Run-level numbers."""
        return self.root / "summary.json"

    def table(self, name: str) -> Path:
        """A derived Parquet table."""
        return self.root / f"{name}.parquet"

    def values(self) -> ValueStore:
        """The stored value rows."""
        return ValueStore(self.root / "values")

    def is_run(self) -> bool:
        """Whether a run was started here."""
        return self.run_json.exists()

    def open(self, spec: RunSpec, identity: dict[str, Any]) -> bool:
        """Start a run, or resume the one that lies here; a new one is on disk only after :meth:`save`.

        Args:
            spec: The settings wanted.
            identity: Who computes: generator, retriever and versions; JSON values.

        Returns:
            Whether an earlier run is resumed.

        Raises:
            SpecError: The folder holds other files, or a run with another spec or identity.
        """
        make_private_folder(self.root)
        remove_temporaries(self.root)
        if not self.is_run():
            self._refuse_strangers()
            self.record = _new_record(spec, identity)
            return False
        self.record = read_json(self.run_json)
        if not isinstance(self.record, dict) or "spec" not in self.record:
            raise SpecError(f"{self.run_json} is damaged; --overwrite starts the run anew")
        self._refuse_other(self.record["spec"], spec.to_json())
        for key, value in identity.items():
            self._refuse_other(_as_fields(key, self.record.get(key)), _as_fields(key, value))
        self.record["spec"] = spec.to_json()  # settings of derived files may be new
        for name in GROWING:
            mend_jsonl(self.root / name)
        self.values().recover()
        return True

    def check_free(self) -> None:
        """Refuse a folder that holds something else, before anything is written into it.

        Raises:
            SpecError: The folder is no run and not empty, or it is a file.
        """
        if self.root.exists() and not self.root.is_dir():
            raise SpecError(f"{self.root} is a file; choose a folder as --out")
        if self.root.exists() and not self.is_run():
            self._refuse_strangers()

    def _refuse_strangers(self) -> None:
        strangers = sorted(path.name for path in self.root.iterdir() if path.name != "run.lock")
        if strangers:
            raise SpecError(
                f"{self.root} is not a run directory and holds {strangers[0]!r}; "
                "choose an empty folder as --out"
            )

    def _refuse_other(self, stored: dict[str, Any], wanted: dict[str, Any]) -> None:
        difference = first_difference(stored, wanted)
        if difference:
            raise SpecError(
                f"{self.root} holds a run with other settings: {difference}; "
                "choose another --out, or --overwrite to start anew"
            )

    def clear(self) -> None:
        """Delete the run that lies here, for ``--overwrite``; a folder that is no run is left alone.

        Raises:
            SpecError: The folder holds something that is not a run.
        """
        if not self.root.exists():
            return
        if not self.is_run():
            self._refuse_strangers()
            return
        for path in self.root.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name not in ("run.lock", "run.json"):
                path.unlink()
        self.run_json.unlink()  # last, so that an interrupted removal is still a run that can be removed

    def count(self, *, calls: int = 0, coalitions: int = 0, tokens: int = 0, save: bool = True) -> None:
        """Raise the counters and save them; done before the work, so that a kill hides nothing."""
        self.record["counts"]["calls"] += calls
        self.record["counts"]["coalitions_scored"] += coalitions
        self.record["tokens"]["spent"] += tokens
        if save:
            self.save()

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Add the block's seconds to a phase (a killed block's seconds are lost)."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            seconds = self.record["seconds"]
            seconds[phase] = round(seconds.get(phase, 0.0) + time.perf_counter() - begin, 3)

    def save(self) -> None:
        """Write ``run.json``."""
        write_json(self.run_json, self.record)


def _new_record(spec: RunSpec, identity: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "status": "running",
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "ended": None,
        "spec": spec.to_json(),
        "seed": spec.seed,
        "dtype": spec.dtype,
        **identity,
        "environment": environment(),
        "input": None,
        "command": None,
        "floors": {},
        "counts": {"coalitions_scored": 0, "calls": 0},
        "tokens": {"planned": 0, "spent": 0},
        "seconds": {},
        "failures": {},
        "warnings": [],
    }


def _as_fields(key: str, value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return {f"{key}.{name}": inner for name, inner in value.items()}
    return {key: value}
