"""A trace and a table whose numbers are written down."""

import pytest

from helpers import additive_table, make_trace


@pytest.fixture
def weights():
    return {"a": 1.0, "b": -0.5, "c": 0.25}


@pytest.fixture
def tables(weights):
    return {"*": additive_table(weights)}


@pytest.fixture
def trace():
    return make_trace(answer="in Rome")
