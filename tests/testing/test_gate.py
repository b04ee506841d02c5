"""The pytest helper fails with one line a broken rule."""

import pytest

from boresight.api import Audit
from boresight.errors import SpecError
from boresight.testing.gate import assert_gate


def test_rules_that_hold_pass_for_a_folder_and_for_an_audit(before):
    for run in (before, str(before), Audit(before)):
        assert_gate(run, minimum={"spearman": 0.5}, maximum={"total_harm": 1.0})


def test_each_broken_rule_is_one_line(after):
    with pytest.raises(AssertionError) as failed:
        assert_gate(after, minimum={"spearman": 0.5, "context_gain": -9}, maximum={"effective_passages": 1.1})
    spearman, passages = str(failed.value).splitlines()
    assert spearman.startswith("failed spearman >= 0.5: ")
    assert passages.startswith("failed effective_passages <= 1.1: ")


def test_a_base_run_and_strict_are_passed_on(before, after):
    with pytest.raises(AssertionError, match="failed spearman >= 0"):
        assert_gate(after, minimum={"spearman": 0}, against=Audit(before))
    assert_gate(before, maximum={"wasted_retrieval@2": 0.5})
    with pytest.raises(AssertionError, match="undefined wasted_retrieval@2"):
        assert_gate(before, maximum={"wasted_retrieval@2": 0.5}, strict=True)


def test_a_mistake_in_a_rule_is_no_failed_assertion(before):
    with pytest.raises(SpecError, match="needs at least one rule"):
        assert_gate(before)


def test_pytest_shows_the_line_of_the_test(pytestconfig, tmp_path, after):
    """Run by pytest itself, the trace names the test's own line and no frame of the helper."""
    import subprocess
    import sys

    case = tmp_path / "test_case.py"
    case.write_text(
        "from boresight.testing.gate import assert_gate\n\n"
        f"def test_it():\n    assert_gate({str(after)!r}, minimum={{'spearman': 0.5}})\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", str(case)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "failed spearman >= 0.5" in done.stdout
    assert "test_case.py:4" in done.stdout
    assert "raise AssertionError" not in done.stdout
