"""The funnel on a terminal and as data of the report page."""

import io
import json

import pytest
from rich.console import Console

from boresight.measure.funnel import funnel, good_passages, summarise_funnel
from boresight.report.funnel_text import ablation_table, funnel_data, funnel_view, stage_alignment
from boresight.testing.funnels import GOLD, funnel_cases


@pytest.fixture(scope="module")
def rows():
    cases = funnel_cases(1)
    found = [funnel(case.trace, good_passages(case.trace), case.generation, read=case.read) for case in cases]
    return [row for group in found for row in group if row.passage == GOLD]


def printed(view):
    screen = Console(file=io.StringIO(), width=80, markup=False)
    screen.print(view)
    return screen.file.getvalue()


def view(rows):
    steps = [step for row in rows for step in row.step_rows()]
    return printed(funnel_view(summarise_funnel(rows, 2), [row.to_row() for row in rows], steps))


def test_the_funnel_shows_each_stage_its_losses_and_the_way_of_each_passage(rows):
    shown = view(rows).replace("\N{NO-BREAK SPACE}", " ")
    assert "Funnel: 16 good passages of 16 traces; 2 more traces without any" in shown
    assert "in the context: 4 of 16, 25 % (10..49)" in shown
    assert "bm25 11 x > dense x" in shown
    assert "rerank: scored low" in " ".join(shown.split())


def test_it_fits_eighty_columns(rows):
    assert all(len(line) <= 80 for line in view(rows).splitlines())


def test_hostile_names_move_no_cursor(rows):
    row = {**rows[0].to_row(), "passage": "\x1b[2Jevil", "trace": "t"}
    shown = printed(funnel_view(summarise_funnel(rows), [row], []))
    assert "\x1b" not in shown


def test_a_run_without_good_passages_says_so():
    assert "no good passage is known" in printed(funnel_view(summarise_funnel([])))


def test_data_of_the_page_are_json_with_steps_in_order(rows):
    steps = [step for row in rows for step in row.step_rows()]
    data = funnel_data(summarise_funnel(rows), [row.to_row() for row in rows], steps)
    json.dumps(data, allow_nan=False)
    (passage,) = data["traces"][rows[1].trace]
    assert (passage["passage"], passage["lost_kind"]) == (GOLD, "never_retrieved")
    assert [step["stage"] for step in passage["steps"]][:2] == ["bm25", "dense"]
    assert set(data["words"]) >= {row.loss.kind for row in rows if row.loss}


def test_nulls_that_pandas_reads_as_nan_stay_absent(rows):
    nan = float("nan")
    row = {**rows[0].to_row(), "attribution": nan, "lost_kind": None}
    data = funnel_data(summarise_funnel(rows), [row], [])
    assert data["traces"][rows[0].trace][0]["attribution"] is None


def test_alignment_by_stage_shows_the_change():
    mean = {
        "stage": "ce", "stage_kind": "rerank", "measure": "warg@1.5", "value": 0.5, "low": 0.1, "high": 0.9,
        "defined": 3, "undefined": 1, "failed": 0, "change": 0.25, "change_low": None, "change_high": None,
        "pairs": 1,
    }  # fmt: skip
    shown = " ".join(printed(stage_alignment([mean])).split())
    assert "warg@1.5 ce 0.50 0.10 .. 0.90 0.25 - 3 of 4" in shown


def test_an_ablation_shows_before_after_and_interval():
    effect = {
        "measure": "good_in_context", "before": 0.25, "after": 0.75, "change": 0.5, "low": 0.25, "high": 0.75,
        "traces": 8, "reason": None,
    }  # fmt: skip
    recovered = {"value": 0.5, "low": 0.22, "high": 0.78, "of": 8}
    one = {"change": "recut@ce=9", "effects": [effect], "recovered": recovered}
    shown = " ".join(printed(ablation_table([one])).split())
    assert "recut@ce=9 missing, recovered 0.500 0.22 .. 0.78 8" in shown
    assert "good in context 0.250 0.750 0.500 0.25 .. 0.75 8" in shown
