"""A run killed at any moment goes on where it stopped, and ends in the same bytes."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from boresight.api import audit
from boresight.errors import SpecError
from boresight.models.fake import FakeGenerator
from helpers import additive_table, make_trace, write_jsonl

SCRIPT = Path(__file__).parent / "interrupted_run.py"
KILLS = 20
LARGEST_BATCH = 8  # coalitions of three passages of equal length
RUN_FILES = ("run.json", "run.lock")  # neither derived nor compared byte by byte


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("inputs")
    traces = [make_trace(f"t{n}", **({"answer": "in Rome"} if n % 2 else {})) for n in range(4)]
    traces.append(make_trace("closed", names=()))
    table = {"*": additive_table({"a": 1.0, "b": -0.5, "c": 0.25})}
    (folder / "table.json").write_text(json.dumps(table))
    return write_jsonl(folder / "traces.jsonl", traces), folder / "table.json"


def start(inputs, out, event=-1):
    command = [sys.executable, str(SCRIPT), *map(str, inputs), str(out), str(event)]
    environment = os.environ | {"PYTHONPATH": str(SCRIPT.parents[1])}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and path.name not in RUN_FILES)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def scored(folder):
    return json.loads((folder / "run.json").read_text())["counts"]["coalitions_scored"]


@pytest.fixture(scope="module")
def undisturbed(inputs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed") / "run"
    done = start(inputs, folder)
    assert done.returncode == 0, done.stderr
    return folder, int(done.stdout)


def test_a_run_killed_twenty_times_ends_in_the_same_bytes(inputs, undisturbed, tmp_path):
    whole, events = undisturbed
    kills = 0
    for event in sorted(random.Random(7).sample(range(events), KILLS)):  # noqa: S311 - no secret
        folder = tmp_path / str(event)
        kills += start(inputs, folder, event).returncode == -9
        again = start(inputs, folder)
        assert again.returncode == 0, (event, again.stderr)
        assert contents(folder) == contents(whole), event
        assert scored(folder) - scored(whole) <= LARGEST_BATCH, event
    assert kills == KILLS


def test_one_run_killed_many_times_repeats_at_most_a_batch_a_kill(inputs, undisturbed, tmp_path):
    whole, events = undisturbed
    kills = 0
    for event in range(events // 10, events, events // 6):
        kills += start(inputs, tmp_path / "run", event).returncode == -9
    assert start(inputs, tmp_path / "run").returncode == 0
    assert kills > 0
    assert contents(tmp_path / "run") == contents(whole)
    assert scored(tmp_path / "run") - scored(whole) <= LARGEST_BATCH * kills


def test_the_same_command_on_a_finished_run_scores_nothing(inputs, tmp_path):
    generator = FakeGenerator.from_file(inputs[1])
    first = audit(inputs[0], generator=generator, out=tmp_path / "run")
    second = audit(inputs[0], generator=generator, out=tmp_path / "run")
    assert first.run["counts"] == second.run["counts"]


@pytest.mark.parametrize(
    ("change", "named"),
    [({"seed": 1}, "seed was 0 and is now 1"), ({"limit": 2}, "traces_sha256"), ({"exact": True}, "exact")],
)
def test_another_spec_is_refused_and_the_field_is_named(inputs, tmp_path, change, named):
    generator = FakeGenerator.from_file(inputs[1])
    audit(inputs[0], generator=generator, out=tmp_path / "run")
    with pytest.raises(SpecError, match=named):
        audit(inputs[0], generator=generator, out=tmp_path / "run", **change)


def test_another_model_under_the_same_name_is_refused(inputs, tmp_path):
    audit(inputs[0], generator=FakeGenerator.from_file(inputs[1]), out=tmp_path / "run")
    other = FakeGenerator({"*": additive_table({"a": 0.0, "b": 0.0, "c": 0.0})}, name=str(inputs[1]))
    with pytest.raises(SpecError, match=r"generator\.sha256"):
        audit(inputs[0], generator=other, out=tmp_path / "run")


def test_overwrite_starts_anew(inputs, tmp_path):
    generator = FakeGenerator.from_file(inputs[1])
    audit(inputs[0], generator=generator, out=tmp_path / "run")
    again = audit(inputs[0], generator=generator, out=tmp_path / "run", seed=1, overwrite=True)
    assert again.run["seed"] == 1


def test_overwrite_deletes_nothing_that_is_not_a_run(inputs, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(SpecError, match=r"thesis\.txt"):
        audit(inputs[0], generator=FakeGenerator.from_file(inputs[1]), out=tmp_path, overwrite=True)
    assert (tmp_path / "thesis.txt").exists()
