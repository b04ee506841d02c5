"""Files of other tools in a folder of their own."""

from __future__ import annotations

import pytest

from boresight.trace import read_traces


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
