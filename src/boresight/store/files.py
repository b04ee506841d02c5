"""Files that are whole or absent, private to the user, and never hold NaN.

A derived file is written beside its place, flushed to disk and renamed over it. A file that grows gets one
flushed line at a time, and a line that a crash cut short is dropped when the file is opened again.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boresight.errors import BoresightError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700
TEMPORARY_PREFIX = ".writing-"


def make_private_folder(path: Path) -> None:
    """Create a folder (and its parents) that only the user can enter."""
    path.mkdir(parents=True, exist_ok=True, mode=PRIVATE_FOLDER)


def sync_folder(path: Path) -> None:
    """Flush a folder's entries, so that a rename survives a power cut (a no-op where it cannot be done)."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def temporary_beside(path: Path) -> Path:
    """An empty private temporary file in the folder of ``path``."""
    handle, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, dir=path.parent)  # mkstemp makes it 0600
    os.close(handle)
    return Path(name)


def move_into_place(temporary: Path, path: Path) -> None:
    """Flush a finished temporary file and rename it over ``path``."""
    with temporary.open("rb+") as file:
        os.fsync(file.fileno())
    try:
        temporary.replace(path)
    except OSError:
        temporary.unlink()
        raise
    sync_folder(path.parent)


def write_bytes(path: Path, data: bytes) -> None:
    """Replace a file whole."""
    temporary = temporary_beside(path)
    temporary.write_bytes(data)
    move_into_place(temporary, path)


def to_json(value: Any, *, indent: int | None = None) -> str:
    """JSON text; NaN and infinity raise ValueError."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


def write_json(path: Path, value: Any) -> None:
    """Replace a JSON file whole."""
    write_bytes(path, (to_json(value, indent=2) + "\n").encode())


def write_jsonl(path: Path, values: Iterable[Any]) -> None:
    """Replace a JSONL file whole."""
    write_bytes(path, "".join(to_json(value) + "\n" for value in values).encode())


def read_json(path: Path) -> Any:
    """Read a JSON file.

    Raises:
        BoresightError: It is damaged.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise BoresightError(f"{path} is damaged ({error}); --overwrite starts the run anew") from error


def append_jsonl(path: Path, values: Iterable[Any]) -> None:
    """Add lines to a growing JSONL file and flush them to disk."""
    data = "".join(to_json(value) + "\n" for value in values).encode()
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, PRIVATE_FILE)
    with os.fdopen(handle, "ab") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def mend_jsonl(path: Path) -> None:
    """Drop a last line that a crash cut short."""
    if not path.exists():
        return
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        write_bytes(path, whole)


def read_jsonl(path: Path) -> Iterator[Any]:
    """The objects of a JSONL file, none if it does not exist."""
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield json.loads(line)
            except ValueError as error:
                raise BoresightError(
                    f"{path}, line {number}, is damaged ({error}); --overwrite starts the run anew"
                ) from error


def remove_temporaries(folder: Path) -> None:
    """Delete what a killed writer left behind."""
    for path in folder.glob(TEMPORARY_PREFIX + "*"):
        path.unlink()
