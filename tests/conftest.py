"""Shared by all tests: the repository's places, and a watch over what is skipped."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
ALLOWED_SKIPS = int((ROOT / "tests" / "allowed_skips.txt").read_text().split()[0])

# The same examples each time, so that a test says one thing; `make fuzz` draws others.
settings.register_profile("same", derandomize=True)
settings.register_profile("fuzz", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))

_skipped: list[str] = []


def pytest_runtest_logreport(report):
    if report.skipped:
        _skipped.append(report.nodeid)


def pytest_sessionfinish(session, exitstatus):
    """In continuous integration more skips than the committed number are a failure."""
    if os.environ.get("CI") and len(_skipped) > ALLOWED_SKIPS and exitstatus == 0:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    if os.environ.get("CI") and len(_skipped) > ALLOWED_SKIPS:
        terminalreporter.write_line(
            f"{len(_skipped)} tests were skipped, {ALLOWED_SKIPS} are allowed: see tests/allowed_skips.txt"
        )


@pytest.fixture(scope="session")
def root() -> Path:
    """The repository."""
    return ROOT


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real data beside the repository, for checks that need it; absent for most people."""
    folder = ROOT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the data sets for checks are not beside this repository")
    return folder


@pytest.fixture
def boresight(monkeypatch, capsys):
    """Runs a command in this process; gives exit code, standard output and standard error."""
    from boresight import cli

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["boresight", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
            raise SystemExit(0)
        out, err = capsys.readouterr()
        return stop.value.code or 0, out, err

    return run


def _weighted(name):
    """A fixture of one of the runs whose differences are written down; nobody writes into it."""

    @pytest.fixture(scope="session", name=name)
    def run(tmp_path_factory):
        import compare_runs

        return compare_runs.weighted_run(tmp_path_factory.mktemp(name), getattr(compare_runs, name.upper()))

    return run


before, after, better = map(_weighted, ("before", "after", "better"))
