"""The commands ``compare`` and ``gate``: exit codes, one line a rule, JSON, the page."""

import json

import pytest

from compare_runs import BEFORE, lines_of, weighted_run


@pytest.fixture(scope="module")
def runs(before, after, better, tmp_path_factory):
    few = weighted_run(tmp_path_factory.mktemp("few"), BEFORE, lines_of(2), measures=["spearman"])
    return {"before": before, "after": after, "better": better, "few": few}


@pytest.mark.parametrize("command", ["compare", "gate"])
def test_help_has_an_example(boresight, command):
    code, out, _ = boresight(command, "--help")
    assert code == 0
    assert f"boresight {command}" in out.split("Example")[1]


# --- compare


def test_a_comparison_fits_80_columns_and_names_the_model_before_the_measures(runs, boresight):
    code, out, _ = boresight("compare", runs["before"], runs["after"])
    assert code == 0
    lines = [line for line in out.splitlines() if str(runs["before"].parent.parent) not in line]
    assert max(map(len, lines)) <= 80
    assert 0 < out.index("generator.sha256: ") < out.index("warg@1.5")
    assert "12 traces paired by id; 0 only in the first run, 0 only in the second" in out
    assert "what moved most:" in out


def test_the_json_is_one_line_of_everything(runs, boresight):
    code, out, _ = boresight("compare", runs["before"], runs["better"], "--json")
    (line,) = out.splitlines()
    found = json.loads(line, parse_constant=pytest.fail)
    assert code == 0
    assert found["measures"]["context_gain"]["difference"] == pytest.approx(0.375)
    assert found["settings"][0]["field"] == "generator.sha256"


def test_what_one_run_lacks_is_named_and_not_refused(runs, boresight):
    code, out, _ = boresight("compare", runs["few"], runs["before"])
    assert code == 0
    assert "0 only in the first run, 10 only in the second" in out
    assert "only in the second run: warg@0.5" in out
    assert "no test can tell a change from" in out


def test_the_page_is_written_beside_the_table(runs, boresight, tmp_path):
    page = tmp_path / "compare.html"
    code, out, err = boresight("compare", runs["before"], runs["after"], "--html", page, "--json")
    assert code == 0
    assert len(out.splitlines()) == 1
    assert "compare.html" in err
    assert page.read_text().startswith("<!-- This file contains texts")


def test_a_page_without_a_folder_and_a_folder_without_a_run_exit_2(runs, boresight, tmp_path):
    page = tmp_path / "nowhere/compare.html"
    code, out, err = boresight("compare", runs["before"], runs["after"], "--html", page)
    assert (code, out) == (2, "")
    assert "is no folder" in err
    assert boresight("compare", runs["before"], tmp_path)[0] == 2


# --- gate


def test_a_gate_that_holds_exits_0_with_one_line_a_rule(runs, boresight):
    code, out, err = boresight("gate", runs["before"], "--min", "spearman=0.5", "--max", "total_harm=1")
    assert (code, err) == (0, "")
    assert [line.split(":")[0] for line in out.splitlines()] == [
        "held spearman >= 0.5",
        "held total_harm <= 1",
    ]


def test_a_broken_rule_exits_1_and_stands_in_its_own_line(runs, boresight):
    code, out, err = boresight("gate", runs["after"], "--min", "spearman=0.5", "--max", "context_gain=9")
    failed, held = out.splitlines()
    assert code == 1
    assert failed.startswith("failed spearman >= 0.5: -0.")
    assert "95 % interval" in failed
    assert held.startswith("held context_gain <= 9")
    assert err == "gate failed: 1 of 2 rules broken\n"


def test_undefined_passes_and_fails_with_strict(runs, boresight):
    rule = ["--max", "wasted_retrieval=0.5"]
    code, out, _ = boresight("gate", runs["before"], *rule)
    assert code == 0
    assert out.startswith("undefined wasted_retrieval@2 <= 0.5: no value (")
    assert boresight("gate", runs["before"], *rule, "--strict")[0] == 1


def test_a_base_run_turns_bounds_into_differences_and_says_what_differs(runs, boresight):
    against = ["--against", runs["before"]]
    code, out, err = boresight("gate", runs["after"], *against, "--min", "spearman=-0.1")
    assert code == 1
    assert out.startswith("failed spearman >= -0.1: -")
    assert "note: the runs differ in generator.sha256" in err
    assert boresight("gate", runs["better"], *against, "--min", "context_gain=0.3")[0] == 0


def test_the_verdict_as_json_keeps_the_exit_code(runs, boresight):
    code, out, _ = boresight("gate", runs["after"], "--min", "spearman=0.5", "--json")
    (line,) = out.splitlines()
    found = json.loads(line, parse_constant=pytest.fail)
    assert code == 1
    assert found["passed"] is False
    assert found["rules"][0]["outcome"] == "failed"


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--min", "spearman"],
        ["--min", "spearman=nan"],
        ["--min", "warg=0.5"],
        ["--min", "wargh@1=0.5"],
        ["--max", "share=0.5"],
        ["--max", "wasted_retrieval=50"],
        ["--max", "warg@7=0.5"],
        ["--min", "spearman=0.5", "--max", "spearman=0.4"],
        ["--min", "spearman=0", "--against", "nowhere"],
    ],
)
def test_rules_that_cannot_judge_exit_2_in_one_sentence(runs, boresight, arguments):
    code, out, err = boresight("gate", runs["before"], *arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
