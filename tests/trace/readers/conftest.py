"""Files of other tools in a folder of their own."""

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

    def write(*items, name="export.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\n".join(map(line, items)))
        return name

    return write


@pytest.fixture
def read(write):
    """Write lines and read them."""
    return lambda *items, name="export.jsonl", **options: read_traces(write(*items, name=name), **options)


@pytest.fixture
def read_one(read):
    """Write lines and read the one trace in them."""

    def read_one(*items, **options):
        (trace,) = read(*items, **options).traces
        return trace

    return read_one
