"""The pipelines in ``examples/``: under 30 lines, and audited end to end on local models."""

import os
import subprocess
import sys

import pytest

from boresight.trace import read_traces

PIPELINES = {"langchain": "langchain", "llamaindex": "llama-index"}


@pytest.mark.parametrize("name", PIPELINES)
def test_a_pipeline_has_fewer_than_30_lines(root, name):
    assert len((root / "examples" / f"{name}_pipeline.py").read_text().splitlines()) < 30


@pytest.mark.frameworks
@pytest.mark.real
@pytest.mark.parametrize(("name", "prefix"), PIPELINES.items())
def test_a_pipeline_is_captured_and_audited_on_local_models(root, tmp_path, name, prefix):
    pytest.importorskip(f"{prefix.replace('-', '_')}{'_core' if name == 'langchain' else '.core'}")
    command = [sys.executable, root / "examples" / f"{name}_pipeline.py"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (trace,) = read_traces(tmp_path / f"{prefix}-traces.jsonl")
    assert trace.query == "When was the lighthouse lit?"
    assert "1904" in trace.answer
    (stage,) = trace.stages
    assert trace.context == tuple(place.id for place in stage.ranking)
    assert trace.passage(stage.ranking[0].id).text == "The lighthouse was lit in 1904."
    assert all(place.score is not None for place in stage.ranking)
    assert "context" not in trace.meta.get("not_recorded", ())
    assert "1 exact" in done.stdout
    assert (tmp_path / f"{prefix}-run" / "summary.json").exists()
