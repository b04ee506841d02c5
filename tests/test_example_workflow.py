"""The example workflow: its commands and options exist, and a failed gate stops it."""

import shlex

import pytest
import yaml
from typer.testing import CliRunner

from boresight.cli import app


@pytest.fixture(scope="module")
def steps(root):
    workflow = yaml.safe_load((root / "examples/gate-workflow.yml").read_text())
    return workflow["jobs"]["audit"]["steps"]


def commands(steps):
    lines = [line for step in steps for line in step.get("run", "").splitlines()]
    return [shlex.split(line) for line in lines if line.startswith("boresight ")]


def test_it_audits_gates_and_compares(steps):
    assert {command[1] for command in commands(steps)} == {"models", "audit", "report", "gate", "compare"}


def test_every_option_is_one_of_its_command(steps):
    for command in commands(steps):
        words = command[1:3] if command[1] == "models" else command[1:2]
        options = {word for word in command if word.startswith("--")}
        text = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"}).output
        assert {option for option in options if option not in text} == set()


def test_its_rules_can_be_judged(steps):
    from boresight.measure.registry import default_measures
    from boresight.run.gate_rules import parse_rule, settle

    held = [str(measure) for measure in default_measures()]
    gates = [command for command in commands(steps) if command[1] == "gate"]
    assert len(gates) == 2
    for command in gates:
        given = [
            parse_rule(command[place + 1], word[2:])
            for place, word in enumerate(command)
            if word in ("--min", "--max")
        ]
        assert settle(given, held, of_differences="--against" in command, where="RUN")
