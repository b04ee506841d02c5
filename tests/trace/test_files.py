"""Real and hostile files are read whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from boresight.trace import read_traces, trace_from_dict, trace_to_dict

ROOT = Path(__file__).parents[2]
OWN = [ROOT / "examples" / "traces.jsonl", *sorted((ROOT / "tests" / "data").glob("*.jsonl"))]
SHARED = sorted((ROOT.parent / "shared" / "data").glob("*/traces.jsonl"))


def lines(path):
    return sum(bool(line.strip()) for line in path.read_bytes().split(b"\n"))


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_our_files_are_read_and_survive_the_long_form(path):
    reading = read_traces(path)
    assert len(reading.traces) == lines(path)
    again = [trace_from_dict(trace_to_dict(trace)) for trace in reading.traces]
    assert tuple(again) == reading.traces


@pytest.mark.skipif(not SHARED, reason="../shared/data is absent")
def test_every_shared_file_is_read_without_error_or_warning():
    for path in SHARED:
        reading = read_traces(path)
        assert (len(reading.traces), reading.warnings) == (lines(path), ()), path
