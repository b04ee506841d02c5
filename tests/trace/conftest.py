"""Files of traces in a folder of their own."""

from __future__ import annotations

import json

import pytest

from boresight.trace import read_traces


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file in the working directory: objects become JSON lines, text and bytes stay."""
    monkeypatch.chdir(tmp_path)

    def line(item):
        text = item if isinstance(item, str | bytes) else json.dumps(item)
        return text if isinstance(text, bytes) else text.encode()

    def write(*items, name="traces.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\n".join(map(line, items)))
        return name

    return write


@pytest.fixture
def read(write):
    """Write lines and read them."""
    return lambda *items: read_traces(write(*items))


@pytest.fixture
def read_one(read):
    """Write one line; the trace and the warnings."""

    def read_one(item):
        reading = read(item)
        (trace,) = reading.traces
        return trace, list(reading.warnings)

    return read_one
