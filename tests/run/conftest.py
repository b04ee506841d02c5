"""Traces and tables whose numbers are written down."""

import json
from itertools import combinations

import numpy as np
import pytest

PASSAGES = ("a", "b", "c")


def additive_table(weights, *, base=-3.0, closed_book=-1.0, answer="in Rome"):
    """Two tokens: the first gains each passage's weight, the second half of it."""
    rows = {}
    for size in range(len(weights) + 1):
        for chosen in combinations(sorted(weights), size):
            first = sum(weights[name] for name in chosen)
            rows[",".join(chosen)] = [base + first, base + first / 2]
    return {"answer": answer, "closed_book": [closed_book, closed_book], "values": rows}


@pytest.fixture
def weights():
    return {"a": 1.0, "b": -0.5, "c": 0.25}


@pytest.fixture
def tables(weights):
    return {"*": additive_table(weights)}


def make_trace(trace_id="t", names=PASSAGES, **fields):
    """A short-form trace whose scores fall with the rank."""
    passages = [
        {"id": name, "text": f"text of {name}", "score": 3.0 - rank} for rank, name in enumerate(names)
    ]
    return {"id": trace_id, "query": "Where?", "passages": passages, **fields}


@pytest.fixture
def trace():
    return make_trace(answer="in Rome")


def write_jsonl(path, objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
    return path


def enumerate_shapley(values, n):
    """Shapley values by the definition; keys of ``values`` are coalition strings."""
    from math import factorial

    phi = np.zeros((n, len(next(iter(values.values())))))
    for coalition, row in values.items():
        size = coalition.count("1")
        for player in range(n):
            if coalition[player] == "0":
                joined = coalition[:player] + "1" + coalition[player + 1 :]
                weight = factorial(size) * factorial(n - size - 1) / factorial(n)
                phi[player] += weight * (np.asarray(values[joined], float) - np.asarray(row, float))
    return phi
