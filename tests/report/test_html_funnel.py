"""The funnel in the data of the page, in a redacted page, and on the terminal."""

import io
import json

import pytest
from rich.console import Console

from boresight.report.html import funnel_data
from boresight.report.html.data import report_data
from boresight.report.terminal import show_run
from boresight.run.result import RunResult
from boresight.store.files import read_json, write_json
from html_runs import funnel_run, small_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return funnel_run(tmp_path_factory.mktemp("funnel"))


@pytest.fixture
def data(run):
    return report_data(run)


def trace_of(data, key):
    return next(trace for trace in data["traces"] if trace["id"] == key)


def printed(run):
    screen = Console(file=io.StringIO(), width=80, markup=False)
    show_run(RunResult(run), screen, 0)
    return screen.file.getvalue()


def test_the_run_carries_its_losses_and_the_alignment_of_each_stage(data):
    losses = {one["stage"]: one["lost"]["count"] for one in data["funnel"]["summary"]["stages"]}
    assert losses["rerank"] == 3
    names = [measure["name"] for measure in data["summary"]["measures"]]
    stages = [one["stage"] for one in data["funnel"]["alignment"] if names[one["measure"]] == "warg@1.5"]
    assert stages == ["bm25", "dense", "fuse", "language", "rerank", "pack"]
    json.dumps(data, allow_nan=False)


def test_a_lost_passage_carries_its_rank_and_cut_at_each_gate_and_why(data):
    trace = trace_of(data, "07-0")
    (good,) = trace["good"]
    assert trace["gates"][4] == ["rerank", "rerank"]
    low, high, survived, cut, _ = good["steps"][4]
    assert (low, high, survived, cut) == (7, 7, False, 6)
    assert good["lost"][:2] == ["rerank", "cut"]
    assert "place" not in good


def test_a_passage_of_the_context_is_named_by_its_place_and_has_its_attribution(data):
    trace = trace_of(data, "00-0")
    (good,) = trace["good"]
    assert trace["passages"][good["place"]]["id"] == good["id"]
    assert good["attr"] == trace["passages"][good["place"]]["attr"]
    assert [gate for gate, _ in trace["gates"]][-2:] == ["generator", "citation"]


def test_of_many_good_passages_so_many_travel_and_the_rest_is_counted(run, monkeypatch):
    monkeypatch.setattr(funnel_data, "MOST_CARRIED", 1)
    trace = trace_of(report_data(run), "04-0")  # its twin holds the reference too
    assert (len(trace["good"]), trace["good_more"]) == (1, 1)


def test_a_redacted_page_keeps_the_funnel_and_no_text(run):
    page = json.dumps(report_data(run, redact=True))
    assert '"never_retrieved"' in page
    assert "Zanzibar" not in page


def test_a_run_of_before_has_no_funnel_and_is_shown_all_the_same(tmp_path):
    run = small_run(tmp_path)
    for name in ("funnel", "funnel_steps", "stages"):
        (run / f"{name}.parquet").unlink()
    summary = read_json(run / "summary.json")
    del summary["funnel"], summary["stages"]
    write_json(run / "summary.json", summary)
    data = report_data(run)
    assert data["funnel"] is None
    assert data["missing"] == ["funnel.parquet", "funnel_steps.parquet", "stages.parquet"]
    assert data["traces"][0]["good"] == []
    assert "Funnel" not in printed(run)


def test_the_terminal_shows_a_funnel_where_there_is_one(run, tmp_path):
    shown = printed(run)
    assert "Funnel: 17 good passages of 16 traces" in shown
    assert f"boresight funnel {run}" in shown.replace("\n", "")
    assert "Funnel" not in printed(small_run(tmp_path))
