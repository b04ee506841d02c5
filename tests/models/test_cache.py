import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from boresight.models import cache
from boresight.models.cache import cache_dir, discard, installing, locked

POSIX = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the rules of Linux")


@pytest.fixture
def target(tmp_path):
    return tmp_path / "models" / "tiny"


@pytest.fixture
def parent(target):
    target.parent.mkdir()
    return target.parent


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def run_python(code, *arguments):
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)])


def test_the_variable_names_the_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("BORESIGHT_CACHE", str(tmp_path / "own"))
    assert cache_dir() == tmp_path / "own"


@POSIX
def test_without_the_variable_the_cache_is_below_xdg(monkeypatch, tmp_path):
    monkeypatch.delenv("BORESIGHT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "boresight"


@POSIX
@pytest.mark.parametrize("xdg", ["", "relative/folder"])
def test_an_unset_or_relative_xdg_is_ignored(monkeypatch, xdg):
    monkeypatch.delenv("BORESIGHT_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", xdg)
    assert cache_dir() == Path.home() / ".cache" / "boresight"


@pytest.mark.parametrize(
    ("system", "expected"), [("win32", "local/boresight"), ("darwin", "home/Library/Caches/boresight")]
)
def test_other_systems_have_their_own_place(monkeypatch, tmp_path, system, expected):
    monkeypatch.delenv("BORESIGHT_CACHE", raising=False)
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    monkeypatch.setattr(cache.Path, "home", lambda: tmp_path / "home")
    monkeypatch.setattr(cache.sys, "platform", system)
    assert cache_dir() == tmp_path / expected


def test_the_folder_appears_only_when_it_is_whole(target, parent):
    with installing(target) as partial:
        (partial / "sub").mkdir()
        (partial / "sub" / "weights").write_text("all")
        assert not target.exists()
    assert (target / "sub" / "weights").read_text() == "all"
    assert names(parent) == ["tiny"]


def fail_half_way(target):
    with installing(target) as partial:
        (partial / "weights").write_text("half")
        raise RuntimeError


def test_an_error_leaves_nothing(target, parent):
    with pytest.raises(RuntimeError):
        fail_half_way(target)
    assert names(parent) == []


def test_a_new_install_replaces_an_old_folder(target, parent):
    for text in ("old", "new"):
        with installing(target) as partial:
            (partial / "weights").write_text(text)
    assert (target / "weights").read_text() == "new"
    assert names(parent) == ["tiny"]


def test_a_failed_install_keeps_the_old_folder(target, parent):
    with installing(target) as partial:
        (partial / "weights").write_text("old")
    with pytest.raises(RuntimeError):
        fail_half_way(target)
    assert (target / "weights").read_text() == "old"
    assert names(parent) == ["tiny"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_install_leaves_nothing_that_looks_ready_and_is_cleared_later(target, parent):
    code = """
import os, signal, sys
from pathlib import Path
from boresight.models.cache import installing, locked
target = Path(sys.argv[1])
with locked(target), installing(target) as partial:
    (partial / "weights").write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert run_python(code, target).wait() == -signal.SIGKILL
    assert not target.exists()
    assert any(path.is_dir() for path in parent.iterdir())  # the half folder is there, under another name

    with locked(target), installing(target) as partial:  # the lock died with its owner
        (partial / "weights").write_text("all")
    assert [path.name for path in parent.iterdir() if path.is_dir()] == ["tiny"]


def test_two_processes_install_once(target, tmp_path):
    code = """
import sys, time
from pathlib import Path
from boresight.models.cache import installing, locked
target, log = Path(sys.argv[1]), Path(sys.argv[2])
with locked(target):
    if not target.exists():
        with installing(target) as partial:
            (partial / "weights").write_text("all")
            time.sleep(0.3)
        with log.open("a") as file:
            file.write("installed\\n")
"""
    log = tmp_path / "log"
    processes = [run_python(code, target, log) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert log.read_text() == "installed\n"
    assert (target / "weights").read_text() == "all"


def test_who_waits_is_told_so_once(target, monkeypatch):
    monkeypatch.setattr(cache, "_PATIENCE", 0.05)
    held, told = threading.Event(), threading.Event()

    def hold():
        with locked(target):
            held.set()
            told.wait(timeout=10)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(timeout=10)
    calls = []
    with locked(target, lambda: (calls.append("waits"), told.set())):
        pass
    holder.join()
    assert calls == ["waits"]


def test_discard_says_whether_something_was_there(target, parent):
    with installing(target) as partial:
        (partial / "weights").write_text("all")
    assert discard(target)
    assert names(parent) == []
    assert not discard(target)


@pytest.mark.usefixtures("parent")
def test_files_are_written_through_before_the_rename(target, monkeypatch):
    synced = []
    real = os.fsync
    monkeypatch.setattr(cache.os, "fsync", lambda handle: (synced.append(target.exists()), real(handle)))
    with installing(target) as partial:
        (partial / "weights").write_text("all")
    assert synced[0] is False  # the file, while the target is not there
