"""Cases built from a written-down value function, on the way that a run takes."""

import numpy as np
import pytest

from boresight.explain.shapley import exact_shapley
from boresight.explain.shapley.interactions import pairwise_interactions
from boresight.findings import case_from, diagnose
from boresight.game.coalitions import all_but_one, all_coalitions, coalition_of, singletons
from boresight.game.table import ValueTable
from boresight.measure.evidence import Evidence, RetrieverView
from boresight.trace import Passage, Trace

NAMES = "abcdefgh"


def make_case(values, *, closed_book=None, floor=0.0, ranks=None, texts=None, placebo=None, **changes):
    """The case of an exact run; ``values`` has shape (2^n,), one token; the retriever ranks a > b > c ..."""
    n = len(values).bit_length() - 1
    players = tuple(NAMES[:n])
    rows = {
        name: np.array([value], np.float32) for name, value in zip(all_coalitions(n), values, strict=True)
    }
    closed = None if closed_book is None else np.array([closed_book], np.float32)
    table = ValueTable(players, "answer", rows, closed)
    total = {name: float(row[0]) for name, row in rows.items()}
    lattice = table.lattice().sum(axis=1)
    evidence = Evidence(
        trace="t",
        target="answer",
        players=players,
        attribution=dict(zip(players, exact_shapley(lattice).tolist(), strict=True)),
        floor=floor,
        method="exact",
        grand=total[coalition_of(range(n), n)],
        empty=total[coalition_of([], n)],
        closed_book=None if closed is None else float(closed[0]),
        singletons={player: total[name] for player, name in zip(players, singletons(n), strict=True)},
        without={player: total[name] for player, name in zip(players, all_but_one(n), strict=True)},
        retriever=RetrieverView(
            "bm25", ranks or {player: float(place) for place, player in enumerate(players)}
        ),
    )
    trace = Trace(
        "t",
        "Where?",
        tuple(Passage(name, (texts or {}).get(name, f"text of {name}")) for name in players),
        players,
    )
    interactions = pairwise_interactions(lattice) if changes.pop("exact", True) else None
    return case_from(evidence, table, interactions, trace, target="yes", placebo_floor=placebo, **changes)


def lattice_of(n, value):
    """Values of all coalitions from a function of the set of member names."""
    return [
        value({NAMES[place] for place, mark in enumerate(coalition) if mark == "1"})
        for coalition in all_coalitions(n)
    ]


@pytest.fixture(scope="session", name="make_case")
def _make_case():
    return make_case


@pytest.fixture(scope="session", name="lattice_of")
def _lattice_of():
    return lattice_of


@pytest.fixture(scope="session")
def found(make_case, lattice_of):
    """Kind and passages of the findings of a game."""

    def find(n, value, **options):
        case = make_case(lattice_of(n, value), **options)
        return {(finding.kind, finding.passages) for finding in diagnose(case)}

    return find
