"""One writer a run directory."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from boresight.errors import SpecError
from boresight.store.files import PRIVATE_FILE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; it falls with the process, however that ends.

    Raises:
        SpecError: Another process holds it.
    """
    lock = FileLock(folder / "run.lock", timeout=0, mode=PRIVATE_FILE)
    try:
        lock.acquire()
    except Timeout:
        raise SpecError(f"another process is writing {folder}; wait for it or choose another --out") from None
    try:
        yield
    finally:
        lock.release()
