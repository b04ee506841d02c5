"""The page of a comparison, as a browser shows it."""

import pytest

from boresight.report.html.compare_page import write_comparison
from boresight.run.compare import compare_runs
from boresight.run.result import RunResult
from compare_runs import AFTER, BEFORE, lines_of, weighted_run

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Two runs that differ, one against itself, and two without a common trace."""
    folder = tmp_path_factory.mktemp("compared")
    lines = lines_of()
    lines[0]["query"] = '<img src=x onerror="alert(1)">'
    lines[1]["answer"] = "at \u202e home"
    before = RunResult(weighted_run(folder / "before", BEFORE))
    after = RunResult(weighted_run(folder / "after", AFTER, lines))
    other = RunResult(weighted_run(folder / "other", AFTER, [{**lines[0], "id": "x"}], measures=["spearman"]))
    pairs = {"changed": (before, after), "same": (before, before), "apart": (before, other)}
    return {
        name: write_comparison(compare_runs(*runs), *runs, folder / f"{name}.html")
        for name, runs in pairs.items()
    }


@pytest.mark.parametrize("name", ["changed", "same", "apart"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_sound_on_a_desk_and_on_a_phone(report, pages, name, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    for width in (1280, 390):
        page = report(pages[name], color_scheme=scheme, viewport={"width": width, "height": 844}).view("")
        assert page.locator("h1").count() == 1
        assert page.locator("img").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        text = page.locator("main").inner_text()
        for nonsense in ("NaN", "Infinity", "[object", "null", "undefined undefined"):
            assert nonsense not in text
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        found = axe.run(page).response["violations"]
        assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_another_measure_shows_other_traces(report, pages):
    page = report(pages["changed"]).view("")
    table = page.locator("section[aria-labelledby='s-traces-that-moved-most'] tbody")
    before = table.inner_text()
    page.locator("select").select_option("effective_passages")
    assert table.inner_text() != before


def test_the_theme_switch_works(report, pages):
    page = report(pages["changed"]).view("")
    page.locator("#theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "light"
