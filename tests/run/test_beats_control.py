"""A run whose attributions do no better than random removal says so before anything else."""

import json

import pytest
from rich.console import Console

from boresight.api import audit
from boresight.measure.evidence import Evidence
from boresight.report.html.data import report_data
from boresight.report.terminal import show_run
from boresight.run.beats_control import ControlTotals, Pair
from helpers import additive_table, make_trace, write_jsonl


def run_of(folder, weights, count):
    """A finished run of as many traces, each an additive game with these weights."""
    tables = {f"t{place}": additive_table(weights) for place in range(count)}
    (folder / "fake.json").write_text(json.dumps(tables), encoding="utf-8")
    write_jsonl(folder / "traces.jsonl", [make_trace(name) for name in tables])
    return audit(str(folder / "traces.jsonl"), generator=f"fake:{folder / 'fake.json'}", out=folder / "run")


def first_line(run):
    screen = Console(width=200, record=True, file=None, quiet=False, force_terminal=False)
    with screen.capture() as shown:
        show_run(run, screen)
    return shown.get().splitlines()[0]


def totals(*pairs, curve=True):
    found = ControlTotals()
    found.pairs["naopc_deletion" if curve else "top_drop@1"] += [Pair(*pair) for pair in pairs]
    return found


def test_attributions_of_an_additive_game_beat_random_removal(tmp_path):
    run = run_of(tmp_path, {"a": 1.0, "b": -0.5, "c": 0.25}, 5)
    found = run.summary["beats_control"]
    assert (found["state"], found["beats"], found["basis"]) == ("defined", True, "naopc_deletion")
    assert (found["better"], found["equal"], found["worse"]) == (5, 0, 0)
    assert (found["attributions"], found["random"]) == (1.0, pytest.approx(0.5))
    assert found["sentence"] is None
    assert "random removal" not in first_line(run)
    assert report_data(run.folder)["summary"]["beats_control"]["beats"] is True


def test_a_run_that_does_not_beat_it_says_so_in_the_first_line(tmp_path):
    """No passage does anything, so there is no curve and every removal costs 0."""
    run = run_of(tmp_path, {"a": 0.0, "b": 0.0, "c": 0.0}, 6)
    found = run.summary["beats_control"]
    assert (found["beats"], found["basis"], found["equal"]) == (False, "top_drop@1", 6)
    assert first_line(run).startswith("The attributions of this run do not beat random removal")
    assert report_data(run.folder, redact=True)["summary"]["beats_control"]["sentence"] == found["sentence"]


def test_a_tiny_run_makes_no_claim(tmp_path):
    found = run_of(tmp_path, {"a": 1.0, "b": -0.5, "c": 0.25}, 4).summary["beats_control"]
    assert found == {
        "state": "undefined", "beats": None, "traces": 4,
        "reason": "only 4 traces of the 5 that a comparison needs",
    }  # fmt: skip


def test_an_interval_that_holds_zero_does_not_beat_it():
    found = totals((1.0, 0.5), (0.0, 0.5), (0.9, 0.5), (0.1, 0.5), (0.55, 0.5)).summary(0)
    assert (found["beats"], found["better"], found["worse"]) == (False, 3, 2)
    assert found["low"] < 0 < found["high"]
    assert "they reach 0.51 against 0.50 at random (5 traces, difference 0.01, 95" in found["sentence"]


def test_worse_than_random_does_not_beat_it():
    assert totals(*[(0.1, 0.5)] * 5).summary(0)["beats"] is False


def test_sampled_runs_are_judged_by_the_top_passage():
    found = totals(*[(1.0, 0.2), (2.0, 0.3), (1.5, 0.1), (1.0, 0.4), (0.9, 0.5)], curve=False).summary(0)
    assert (found["basis"], found["beats"]) == ("top_drop@1", True)


def test_a_trace_without_values_takes_no_part():
    found = ControlTotals()
    found.add(Evidence("t", "answer", (), reason="the trace failed"))
    assert found.summary(0)["traces"] == 0


def test_the_same_seed_gives_the_same_interval():
    pairs = [(0.1 * place, 0.2) for place in range(8)]
    assert totals(*pairs).summary(7) == totals(*pairs).summary(7)
