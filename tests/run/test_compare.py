"""Comparison of two runs: paired by id, second minus first, and honest about what cannot be compared."""

import json

import pytest

from boresight.errors import SpecError
from boresight.run.compare import compare_runs
from boresight.run.compare_measures import measure_changes
from boresight.run.result import RunResult
from boresight.stats.multiple import adjusted
from compare_runs import AFTER, BEFORE, BETTER, TRACES, lines_of, weighted_run


def test_a_quarter_more_weight_is_three_eighths_of_a_nat_in_every_trace(before, better):
    gain = compare_runs(before, better).measures["context_gain"]
    assert gain.difference == pytest.approx(0.375)
    assert (gain.low, gain.high) == pytest.approx((0.375, 0.375))
    assert gain.first == pytest.approx(1.5 * (1.75 + 0.275) - 4)  # t0..t11 add 0.275 on average
    assert gain.pairs == TRACES
    assert gain.p == pytest.approx(2 / 2**TRACES)
    assert gain.changed


def test_the_other_order_gives_the_opposite(before, after):
    there, back = compare_runs(before, after).measures, compare_runs(after, before).measures
    for name, change in there.items():
        assert (change.difference is None) == (back[name].difference is None)
        if change.difference is not None:
            assert change.difference == pytest.approx(-back[name].difference)
            assert change.p == back[name].p


def test_a_run_does_not_differ_from_itself(before):
    same = compare_runs(before, before)
    assert same.settings == ()
    assert {change.difference for change in same.measures.values()} <= {0.0, None}
    assert not any(change.changed for change in same.measures.values())
    assert same.passages.clear == 0
    assert same.passages.moved == ()


def test_p_values_are_adjusted_over_all_measures(before, after):
    changes = compare_runs(before, after).measures
    tested = {name: change.p for name, change in changes.items() if change.p is not None}
    assert {name: changes[name].adjusted for name in tested} == adjusted(tested)
    assert len(tested) > 20


def test_the_traces_that_moved_most_come_first(before, after):
    moved = compare_runs(before, after).measures["effective_passages"].moved
    sizes = [abs(move.difference) for move in moved]
    assert sizes == sorted(sizes, reverse=True)
    assert all(move.difference == pytest.approx(move.second - move.first) for move in moved)


def test_two_passages_swap_their_weight(before, after):
    passages = compare_runs(before, after).passages
    assert {move.passage for move in passages.moved} == {"a", "c"}
    assert {round(abs(move.difference), 6) for move in passages.moved} == {1.125}
    assert passages.compared == 3 * TRACES
    assert passages.scale == "nats"
    assert passages.floor == 0.0


def test_traces_of_one_run_only_are_counted(before, tmp_path):
    lines = [line for line in lines_of(TRACES + 2) if line["id"] != "t3"]
    pairing = compare_runs(before, weighted_run(tmp_path, BEFORE, lines)).pairing
    assert pairing.only_first == ("t3",)
    assert pairing.only_second == ("t12", "t13")
    assert len(pairing.common) == TRACES - 1


def test_an_id_of_another_question_is_not_compared(before, tmp_path):
    lines = lines_of()
    lines[0]["query"] = "Who?"
    lines[1]["history"] = [{"role": "user", "content": "Before that?"}]
    compared = compare_runs(before, weighted_run(tmp_path, BEFORE, lines))
    assert compared.pairing.other_question == ("t0", "t1")
    assert compared.measures["context_gain"].pairs == TRACES - 2
    assert any("2 ids that stand for another question" in remark for remark in compared.remarks)


def test_where_answers_differ_passages_are_left_out_and_it_is_said(before, tmp_path):
    lines = lines_of()
    lines[0]["answer"] = "at home"
    compared = compare_runs(before, weighted_run(tmp_path, BEFORE, lines))
    assert compared.pairing.other_answer == ("t0",)
    assert compared.passages.compared == 3 * (TRACES - 1)
    assert any(remark.startswith("1 answer differs") for remark in compared.remarks)


def test_a_passage_with_another_text_is_another_passage(before, tmp_path):
    lines = lines_of()
    lines[0]["passages"][1]["text"] = "rewritten"
    compared = compare_runs(before, weighted_run(tmp_path, BEFORE, lines))
    assert compared.pairing.other_context == ("t0",)
    assert compared.passages.compared == 3 * TRACES - 1
    assert any(remark.startswith("1 context differs") for remark in compared.remarks)


def test_two_scales_leave_measures_and_say_why_passages_are_missing(before, tmp_path):
    compared = compare_runs(before, weighted_run(tmp_path, BEFORE, scale="probability"))
    assert compared.passages.scale is None
    assert compared.passages.moved == ()
    assert compared.measures["context_gain"].pairs == TRACES
    assert any("two scales (nats and probability)" in remark for remark in compared.remarks)


def test_on_a_scale_without_floors_no_passage_is_called_moved(tmp_path):
    runs = [
        weighted_run(tmp_path / name, weights, scale="log_odds")
        for name, weights in (("a", BEFORE), ("b", AFTER))
    ]
    passages = compare_runs(*runs).passages
    assert passages.floor is None
    assert passages.clear == 0
    assert passages.moved


def test_measures_of_one_run_only_are_named(before, tmp_path):
    compared = compare_runs(before, weighted_run(tmp_path, BEFORE, measures=["spearman", "warg@7"]))
    assert set(compared.measures) == {"spearman"}
    assert compared.only_second == ("warg@7",)
    assert "context_gain" in compared.only_first


def test_a_failed_trace_is_no_pair_and_is_said(before, tmp_path):
    compared = compare_runs(before, weighted_run(tmp_path, BEFORE, broken=("t2",)))
    gain = compared.measures["context_gain"]
    assert (gain.pairs, gain.only_first, gain.only_second) == (TRACES - 1, 1, 0)
    assert any(remark.startswith("1 trace of the second run failed") for remark in compared.remarks)


def test_few_pairs_are_said_to_prove_nothing(before, tmp_path):
    few = compare_runs(before, weighted_run(tmp_path, BETTER, lines_of(5)))
    assert not any(change.changed for change in few.measures.values())
    assert any("below 6 pairs no test" in remark for remark in few.remarks)


def test_one_pair_has_a_difference_and_no_interval(before, tmp_path):
    gain = compare_runs(before, weighted_run(tmp_path, BETTER, lines_of(1))).measures["context_gain"]
    assert gain.difference == pytest.approx(0.375)
    assert (gain.low, gain.p, gain.reason) == (None, None, "one trace says nothing about spread")


def test_without_a_common_trace_everything_is_undefined_and_said(before, tmp_path):
    lines = [{**line, "id": f"other {line['id']}"} for line in lines_of(2)]
    compared = compare_runs(before, weighted_run(tmp_path, BEFORE, lines))
    assert {change.difference for change in compared.measures.values()} == {None}
    assert compared.remarks[0] == "no trace is in both runs, so nothing can be paired"


def test_differences_within_rounding_are_no_change(before, better):
    runs = RunResult(before), RunResult(better)
    common = list(runs[0].traces)
    floors = {
        floor: measure_changes(*runs, common, ["context_gain", "top1_agreement"], seed=0, floor=floor)
        for floor in (0.37, 0.38)
    }
    assert floors[0.37]["context_gain"].changed
    assert not floors[0.38]["context_gain"].changed


@pytest.mark.parametrize(("measured", "floor"), [((0.1, 0.3), 0.3), ((0.5, 0.3), 1.0), ((0.1, 1.2), 1.2)])
def test_a_passage_moves_only_beyond_the_larger_floor(before, after, tmp_path, measured, floor):
    """Two passages a trace move by 1.125 nats."""
    run = RunResult(after).save(tmp_path / "run")
    record = json.loads((run / "run.json").read_text())
    record["floors"]["numeric"]["nats"]["largest"], record["floors"]["placebo"]["nats"] = measured
    (run / "run.json").write_text(json.dumps(record))
    passages = compare_runs(before, run).passages
    assert passages.floor == floor
    assert passages.clear == (2 * TRACES if floor < 1.125 else 0)
    assert [move.clear for move in passages.moved] == [floor < 1.125] * 10


def test_findings_that_came_and_went_name_their_traces(tmp_path):
    harmful = {**BEFORE, "c": -1.0}
    runs = weighted_run(tmp_path / "a", BEFORE), weighted_run(tmp_path / "b", harmful)
    found = {one.kind: one for one in compare_runs(*runs).findings}["harmful_passage"]
    assert (found.both, found.gone) == (0, ())
    assert found.new == tuple(f"t{k}" for k in range(TRACES))


def test_the_json_is_finite_and_the_same_for_the_same_seed(before, after):
    texts = [json.dumps(compare_runs(before, after, seed=3).to_json(), allow_nan=False) for _ in range(2)]
    assert texts[0] == texts[1]
    assert json.loads(texts[0])["seed"] == 3


def test_a_folder_without_a_run_is_one_sentence(before, tmp_path):
    with pytest.raises(SpecError, match="is not a run directory"):
        compare_runs(before, tmp_path)
