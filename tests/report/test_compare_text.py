"""A comparison on a terminal."""

import io

from rich.console import Console

from boresight.report.compare_text import comparison_view, shown_measures
from boresight.report.terminal import HEADLINE
from boresight.run.compare import compare_runs
from compare_runs import AFTER, BEFORE, lines_of, weighted_run


def printed(compared):
    out = io.StringIO()
    Console(file=out, width=80, markup=False, highlight=False).print(comparison_view(compared))
    return out.getvalue()


def test_headline_measures_come_first_then_one_setting_of_what_else_changed(before, after):
    compared = compare_runs(before, after)
    names = [one.measure for one in shown_measures(compared)]
    assert names[: len(HEADLINE)] == list(HEADLINE)
    assert len({name.partition("@")[0] for name in names}) == len(names)
    assert all(compared.measures[name].changed for name in names[len(HEADLINE) :])


def test_a_changed_measure_is_starred_and_an_undefined_one_says_so(before, after):
    rows = {
        line.split()[0]: line for line in printed(compare_runs(before, after)).splitlines() if line.split()
    }
    assert "*" in rows["spearman"]
    assert "undefined" in rows["wasted_retrieval@2"]
    assert "*" not in rows["context_gain"]


def test_two_equal_runs_say_that_nothing_moved(before):
    text = printed(compare_runs(before, before))
    assert "settings, models and versions are the same" in text
    assert "no trace moved in any of these measures" in text
    assert "0 of 36 passages moved" in text


def test_a_run_without_headline_measures_shows_what_it_has(tmp_path):
    run = weighted_run(tmp_path, BEFORE, lines_of(2), measures=["warg@7"])
    assert [one.measure for one in shown_measures(compare_runs(run, run))] == ["warg@7"]


def test_control_characters_of_an_id_do_not_reach_the_screen(tmp_path):
    lines = [line | {"id": line["id"] + "\x1b[31m"} for line in lines_of(2)]
    runs = [weighted_run(tmp_path / name, weights, lines) for name, weights in (("a", BEFORE), ("b", AFTER))]
    assert "\x1b" not in printed(compare_runs(*runs))


def test_findings_that_came_are_counted(before, tmp_path):
    text = printed(compare_runs(before, weighted_run(tmp_path, {**BEFORE, "c": -1.0})))
    assert "harmful passage: 12 new, 0 gone, 0 in both" in text
