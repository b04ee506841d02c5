"""Headless Chromium on report files; skipped with the reason where it is not installed."""

import shutil
from pathlib import Path

import pytest

from boresight.report.html import write_report
from boresight.report.html.data import report_data
from boresight.report.html.page import render
from html_runs import (
    empty_run,
    funnel_run,
    hostile_run,
    long_run,
    looks_run,
    many_colours_run,
    retriever_run,
    sampled_run,
    single_run,
    small_run,
    undefined_run,
)

CHROMIUM = "/usr/bin/chromium"


@pytest.fixture(scope="session")
def chromium():
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser") or CHROMIUM
    if not Path(path).exists():
        pytest.skip("Chromium is not installed (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


class Page:
    """One open report, and everything it did that it should not."""

    def __init__(self, browser, file, **options):
        self.file, self.faults = file, []
        self.page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.page.on("console", lambda message: self.faults.append(f"console: {message.text}"))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("dialog", self._dialog)
        self.page.on("request", self._request)

    def _dialog(self, dialog):
        self.faults.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request):
        if request.url.split("#")[0] != self.file.as_uri():
            self.faults.append(f"request: {request.url}")

    def view(self, name):
        """Open a view by its hash; gives the page."""
        self.page.goto(self.file.as_uri() + name)
        self.page.wait_for_selector("main > *")
        return self.page


@pytest.fixture
def report(chromium):
    """Opens a report file; at the end nothing may have gone wrong."""
    opened = []

    def start(file, **options):
        opened.append(Page(chromium, file, **options))
        return opened[-1]

    yield start
    for one in opened:
        one.page.wait_for_timeout(50)
        one.page.close()
        assert one.faults == []


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """The run directory of a small run."""
    return small_run(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def files(tmp_path_factory, root, run):
    """Report files by name."""
    goal = tmp_path_factory.mktemp("reports")
    runs = {
        "small": run,
        "hostile": hostile_run(tmp_path_factory.mktemp("hostile"), root),
        "sampled": sampled_run(tmp_path_factory.mktemp("sampled")),
        "empty": empty_run(tmp_path_factory.mktemp("empty")),
        "colours": many_colours_run(tmp_path_factory.mktemp("colours")),
        "single": single_run(tmp_path_factory.mktemp("single")),
        "long": long_run(tmp_path_factory.mktemp("long")),
        "funnel": funnel_run(tmp_path_factory.mktemp("funnel")),
        "retriever": retriever_run(tmp_path_factory.mktemp("retriever")),
        "looks": looks_run(tmp_path_factory.mktemp("looks")),
        "undefined": undefined_run(tmp_path_factory.mktemp("undefined")),
    }
    found = {name: write_report(folder, goal / f"{name}.html") for name, folder in runs.items()}
    found["redacted"] = write_report(run, goal / "redacted.html", redact=True)
    found["floors"] = goal / "floors.html"
    found["floors"].write_bytes(render(with_floors(report_data(run))))
    return found


def with_floors(data):
    """The small run as if it had a placebo floor of 1.5 nats that passage ``a`` alone exceeds.

    Two passages share a title, ``a`` and ``b`` add alike to the first token, and in the second trace nothing
    is beyond the floor.
    """
    first, second = data["traces"]
    data["run"]["generator"] = {"kind": "transformers", "name": "small"}
    data["run"]["floors"]["placebo"] = {"nats": 1.5, "traces": [{}, {}], "reason": None}
    data["run"] |= {
        "command": "boresight audit 'my traces.jsonl' --max-new-tokens 3",
        "command_is_stored": True,
    }
    first["passages"][1]["title"] = first["passages"][0]["title"] = "Same title"
    first["tokens"] = [[1000, 900, 900], [901, 100, 0], [-400, 0, 0]]
    for place, (attr, share) in enumerate([(2.8, 0.74), (1.0, 0.26), (-0.4, 0.0)]):
        first["passages"][place] |= {
            "attr": attr,
            "share": share,
            "num": True,
            "pla": place == 0,
            "rel": not place,
        }
        second["passages"][place] |= {"attr": attr / 2, "share": share, "num": True, "pla": False}
    first |= {"grand": -3.0, "empty": -6.0, "bar": 1.5, "sets": [["keeps", [0], -3.1]], "findings": []}
    second |= {"grand": -3.0, "empty": -4.0, "bar": 1.5, "sets": [["keeps", [0], -3.1]]}
    data["findings"] = []
    return data
