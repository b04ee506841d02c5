"""Traces and tables whose numbers are written down, for several test folders."""

import json
from itertools import combinations
from math import factorial

import numpy as np

PASSAGES = ("a", "b", "c")


def additive_table(weights, *, base=-3.0, closed_book=-1.0, answer="in Rome"):
    """Two tokens: the first gains each passage's weight, the second half of it."""
    rows = {}
    for size in range(len(weights) + 1):
        for chosen in combinations(sorted(weights), size):
            first = sum(weights[name] for name in chosen)
            rows[",".join(chosen)] = [base + first, base + first / 2]
    return {"answer": answer, "closed_book": [closed_book, closed_book], "values": rows}


def make_trace(trace_id="t", names=PASSAGES, **fields):
    """A short-form trace whose scores fall with the rank."""
    passages = [
        {"id": name, "text": f"text of {name}", "score": 3.0 - rank} for rank, name in enumerate(names)
    ]
    return {"id": trace_id, "query": "Where?", "passages": passages, **fields}


def write_jsonl(path, objects):
    path.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
    return path


def enumerate_shapley(values, n):
    """Shapley values by the definition; keys of ``values`` are coalition strings."""
    phi = np.zeros((n, len(next(iter(values.values())))))
    for coalition, row in values.items():
        size = coalition.count("1")
        for player in range(n):
            if coalition[player] == "0":
                joined = coalition[:player] + "1" + coalition[player + 1 :]
                weight = factorial(size) * factorial(n - size - 1) / factorial(n)
                phi[player] += weight * (np.asarray(values[joined], float) - np.asarray(row, float))
    return phi
