"""The page of a comparison: one offline file, the same bytes, no markup of traces, no text when redacted."""

import json

import pytest

from boresight.errors import SpecError
from boresight.report.html.compare_page import comparison_data, write_comparison
from boresight.run.compare import compare_runs
from boresight.run.result import RunResult
from compare_runs import AFTER, BEFORE, lines_of, weighted_run

NASTY = '"><img src=x onerror=alert(1)></script><!--'


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Two runs with markup in question, passage and one of two answers."""
    folder = tmp_path_factory.mktemp("runs")
    sides = []
    for name, weights in (("before", BEFORE), ("after", AFTER)):
        lines = lines_of()
        lines[0]["query"] = lines[0]["passages"][0]["text"] = NASTY
        lines[1]["answer"] = f"{NASTY} {name}"
        sides.append(RunResult(weighted_run(folder / name, weights, lines)))
    return sides


@pytest.fixture(scope="module")
def compared(runs):
    return compare_runs(*runs)


def page_of(compared, runs, folder, **options):
    return write_comparison(compared, *runs, folder / "compare.html", **options).read_text()


def data_of(page):
    return json.loads(page.split('id="data">')[1].split("</script>")[0])


def test_the_file_is_private_offline_and_the_same_each_time(compared, runs, tmp_path):
    pages = [page_of(compared, runs, tmp_path) for _ in range(2)]
    assert pages[0] == pages[1]
    assert "default-src 'none'" in pages[0]
    assert (tmp_path / "compare.html").stat().st_mode & 0o777 == 0o600
    assert "<title>Boresight comparison</title>" in pages[0]


def test_markup_of_a_trace_stays_in_the_data(compared, runs, tmp_path):
    page = page_of(compared, runs, tmp_path)
    assert "<img" not in page
    assert page.count("<script") == 2
    assert data_of(page)["texts"]["t0"]["query"] == NASTY


def test_the_page_holds_every_measure_with_its_words_and_change(compared, runs):
    measures = {one["name"]: one for one in comparison_data(compared, *runs)["measures"]}
    assert set(measures) == set(compared.measures)
    assert measures["spearman"]["difference"] == pytest.approx(
        compared.measures["spearman"].difference, rel=1e-5
    )
    assert measures["spearman"]["label"] == "Spearman, ranks"


def test_both_answers_of_a_trace_that_moved_are_there(compared, runs):
    texts = comparison_data(compared, *runs)["texts"]["t1"]
    assert (texts["first"], texts["second"]) == (f"{NASTY} before", f"{NASTY} after")


def test_a_redacted_page_holds_no_text_of_a_trace(compared, runs, tmp_path):
    page = page_of(compared, runs, tmp_path, redact=True)
    data = page.split('id="data">')[1].split("</script>")[0]
    for held in ("onerror", "Where is", "text of", "in Rome"):
        assert held not in data
    assert page.startswith("<!-- This file contains ids and numbers only")
    assert "t0" in data


def test_redacting_withholds_phrases_that_were_asked_for(tmp_path):
    runs = [
        RunResult(weighted_run(tmp_path / name, BEFORE, spans=spans))
        for name, spans in (("a", ("in Rome",)), ("b", ()))
    ]
    data = comparison_data(compare_runs(*runs), *runs, redact=True)
    assert {one["field"]: one["first"] for one in data["settings"]}["spans"] == "text withheld"
    assert "in Rome" not in json.dumps(data)


def test_a_missing_folder_is_one_sentence(compared, runs, tmp_path):
    with pytest.raises(SpecError, match="is no folder; create it, or choose another --html"):
        write_comparison(compared, *runs, tmp_path / "nowhere" / "a.html")
