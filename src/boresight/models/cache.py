"""The user's model cache: where it lies, and folders that are either whole or not there.

A folder is filled under a temporary name beside its place, written through to the disk and renamed. A killed
process leaves at most a temporary sibling, which nobody reads and the next install clears away.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_PATIENCE = 1.0  # seconds before a waiting process says what it waits for


def cache_dir() -> Path:
    """The folder that holds models.

    Returns:
        ``$BORESIGHT_CACHE`` if set, else ``boresight`` in the system's cache folder: ``%LOCALAPPDATA%`` on
        Windows, ``~/Library/Caches`` on macOS, ``$XDG_CACHE_HOME`` or ``~/.cache`` elsewhere. It may not
        exist.
    """
    if own := os.environ.get("BORESIGHT_CACHE"):
        return Path(own).expanduser().absolute()
    return _system_cache() / "boresight"


def _system_cache() -> Path:
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    xdg = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification says that relative paths are to be ignored.
    return xdg if xdg.is_absolute() else Path.home() / ".cache"


@contextmanager
def locked(target: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Be the only process that installs or removes ``target``.

    Args:
        target: The folder to be installed; its parent is made.
        waiting: Called once if another process holds the lock for more than a second.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(_beside(target, "lock"))
    try:
        lock.acquire(timeout=_PATIENCE)
    except Timeout:
        if waiting is not None:
            waiting()
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


@contextmanager
def installing(target: Path) -> Iterator[Path]:
    """Fill a folder that becomes ``target`` whole, or not at all; hold :func:`locked` around it.

    Args:
        target: The final folder; one that is there already is replaced at the end.

    Yields:
        An empty temporary folder beside ``target``; renamed when the block ends, removed when it raises.
    """
    _clear_leftovers(target)
    partial = _beside(target, "partial")
    partial.mkdir()
    try:
        yield partial
        _write_through(partial)
        _swap_in(partial, target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def discard(target: Path) -> bool:
    """Remove ``target`` and what killed installs left of it; hold :func:`locked` around it.

    Returns:
        Whether the folder was there.
    """
    there = target.exists()
    if there:
        # Renamed first, so that a kill in the middle leaves no half folder under the name that is read.
        target.rename(_beside(target, "old"))
    _clear_leftovers(target)
    return there


def _swap_in(partial: Path, target: Path) -> None:
    if target.exists():
        target.rename(_beside(target, "old"))
    partial.rename(target)
    _sync_folder(target.parent)
    _clear_leftovers(target)


def _beside(target: Path, what: str) -> Path:
    return target.with_name(f".{target.name}.{what}")


def _clear_leftovers(target: Path) -> None:
    for what in ("partial", "old"):
        left = _beside(target, what)
        if left.is_file():
            left.unlink()
        shutil.rmtree(left, ignore_errors=True)


def _write_through(folder: Path) -> None:
    """Force every file and folder below ``folder`` to the disk, so that the rename cannot overtake them."""
    for path in sorted(folder.rglob("*")):
        if path.is_dir():
            _sync_folder(path)
        else:
            with path.open("rb+") as file:
                os.fsync(file.fileno())
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return  # Windows opens no folders; its rename is journalled
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
