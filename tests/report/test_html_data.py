"""The data behind the page: what is stored, rounded, numbered by place, and said to be missing."""

import base64
import json
import struct

import pytest

from boresight.errors import SpecError
from boresight.report.html import trace_data
from boresight.report.html.data import report_data
from boresight.store.files import read_json, write_json
from helpers import write_jsonl
from html_runs import empty_run, sampled_run, small_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return small_run(tmp_path_factory.mktemp("small"))


@pytest.fixture
def data(run):
    return report_data(run)


def decoded(values):
    return [one for (one,) in struct.iter_unpack("<f", base64.b64decode(values))]


def test_a_folder_without_a_run_is_refused_with_the_fix(tmp_path):
    with pytest.raises(SpecError, match=r"no run\.json; give the --out folder"):
        report_data(tmp_path)


def test_the_value_of_a_coalition_stands_at_its_bit_mask(run, data):
    tables = json.loads((run.parent / "table.json").read_text())
    trace = data["traces"][0]
    values = decoded(trace["values"])
    assert len(values) == 8
    for mask, key in ((0, ""), (1, "a"), (2, "b"), (5, "a,c"), (7, "a,b,c")):
        assert values[mask] == pytest.approx(sum(tables["first"]["values"][key]), abs=1e-5)
    assert trace["grand"] == pytest.approx(values[7], abs=1e-4)
    assert trace["empty"] == pytest.approx(values[0], abs=1e-4)
    assert trace["closed"] == pytest.approx(sum(tables["first"]["closed_book"]), abs=1e-4)


def test_token_attributions_are_whole_thousandths_that_add_up_to_the_passage(data):
    trace = data["traces"][0]
    for passage, tokens in zip(trace["passages"], trace["tokens"], strict=True):
        assert all(isinstance(one, int) for one in tokens)
        assert sum(tokens) / 1000 == pytest.approx(passage["attr"], abs=0.002)


def test_the_pieces_of_an_answer_are_the_answer(data):
    assert "".join(data["traces"][0]["pieces"]) == "in Rome today"


def test_measures_of_a_trace_stand_in_the_order_of_the_run(run, data):
    names = [one["name"] for one in data["summary"]["measures"]]
    cell = data["traces"][0]["measures"][names.index("context_gain")]
    trace = data["traces"][0]
    assert cell[0] == pytest.approx(trace["grand"] - trace["closed"], abs=1e-3)


def test_an_undefined_measure_refers_to_its_reason(data):
    names = [one["name"] for one in data["summary"]["measures"]]
    cell = data["traces"][0]["measures"][names.index("wasted_retrieval@2")]
    assert cell.startswith("u")
    counted = [one for one in data["why_not"] if one["measure"] == "wasted_retrieval@2"]
    assert [(one["reason"], one["traces"]) for one in counted] == [(data["reasons"][int(cell[1:])], 2)]


def test_a_fake_generator_has_a_floor_of_zero(data):
    assert data["traces"][0]["floor"] == 0


def test_absent_files_are_named_and_nothing_stands_in_for_them(tmp_path):
    run = small_run(tmp_path)
    for name in ("pairs.parquet", "sets.jsonl", "findings.jsonl"):
        (run / name).unlink(missing_ok=True)
    summary = read_json(run / "summary.json")
    for name in ("sentences", "findings", "slices", "share_by_rank", "share_by_position"):
        summary.pop(name, None)
    write_json(run / "summary.json", summary)
    data = report_data(run)
    assert data["missing"] == ["pairs.parquet", "sets.jsonl", "findings.jsonl"]
    assert data["summary"]["sentences"] is None
    assert data["summary"]["share_by_rank"] is None
    assert data["slices"] == data["findings"] == []


def test_findings_refer_to_places_and_the_most_important_comes_first(tmp_path):
    run = small_run(tmp_path)
    finding = {"kind": "twins", "sentence": "S.", "evidence": {}, "remedy": "deduplicate"}
    write_jsonl(
        run / "findings.jsonl",
        [
            {"trace": "second", "passages": ["c", "a"], "score": 0.5, **finding},
            {"trace": None, "passages": [], "score": 0.7, **finding},
        ],
    )
    found = report_data(run)["findings"]
    assert [(one["trace"], one["passages"]) for one in found] == [(None, []), (1, [2, 0])]


def test_pairs_and_sets_refer_to_places(tmp_path):
    run = small_run(tmp_path)
    write_jsonl(run / "sets.jsonl", [{"trace": "first", "kind": "keeps", "passages": ["c"], "value": -1.5}])
    assert report_data(run)["traces"][0]["sets"] == [["keeps", [2], -1.5]]


def test_a_run_without_traces_has_data(tmp_path):
    run = empty_run(tmp_path)
    assert report_data(run)["traces"] == []


def test_a_run_that_was_killed_has_data(tmp_path):
    run = small_run(tmp_path)
    for name in ("summary.json", "passages.parquet", "tokens.parquet", "measures.parquet"):
        (run / name).unlink()
    data = report_data(run)
    assert data["traces"][0]["passages"][0]["id"] == "a"
    assert "attr" not in data["traces"][0]["passages"][0]
    assert len(data["summary"]["measures"]) > 10


def test_a_sampled_trace_has_intervals_and_no_table(tmp_path):
    trace = report_data(sampled_run(tmp_path))["traces"][0]
    assert trace["method"] == "kriging"
    assert trace["values"] is None
    assert len(trace["token_low"]) == len(trace["passages"]) == 64
    first = trace["passages"][0]
    assert first["low"] <= first["attr"] <= first["high"]


@pytest.mark.parametrize(("most", "carried"), [(3, True), (2, False)])
def test_tables_of_a_few_passages_travel_and_larger_ones_do_not(run, most, carried, monkeypatch):
    monkeypatch.setattr(trace_data, "MOST_CARRIED", most)
    trace = report_data(run)["traces"][0]
    assert (trace["values"] is not None) == carried
    assert trace["grand"] is not None


def test_an_answer_is_kept_within_a_tenth_of_a_nat_a_token(data):
    assert data["traces"][0]["margin"] == pytest.approx(0.3)  # three tokens, no rounding


def test_a_context_helps_beyond_the_placebo_floor(tmp_path):
    run = small_run(tmp_path)
    record = read_json(run / "run.json")
    record["floors"]["placebo"]["nats"] = 1.25
    write_json(run / "run.json", record)
    assert report_data(run)["traces"][0]["bar"] == 1.25


def test_a_stored_command_is_told_from_a_rebuilt_one(tmp_path):
    run = small_run(tmp_path)
    assert report_data(run)["run"]["command_is_stored"] is False
    write_json(run / "run.json", read_json(run / "run.json") | {"command": "boresight audit my.jsonl"})
    data = report_data(run)["run"]
    assert (data["command_is_stored"], data["command"]) == (True, "boresight audit my.jsonl")


def test_what_the_model_says_without_passages_stands_beside_the_answer(data):
    assert data["traces"][0]["unaided"] == ["in Rome today", True]


def test_a_run_without_closed_book_answers_has_none(tmp_path):
    run = small_run(tmp_path, closed_book_answers=False)
    assert report_data(run)["traces"][0]["unaided"] is None
