"""Evidence of games that are written down as functions of the set of present passages."""

import numpy as np
import pytest

from boresight.explain.shapley import exact_shapley
from boresight.game.coalitions import all_but_one, all_coalitions, members, singletons
from boresight.game.table import ValueTable
from boresight.measure.evidence import Evidence

NAMES = "abcdefgh"


def play(n, value, *, attribution=None, floor=0.0, only=None):
    """Evidence of an exact game; ``only`` keeps the rows of these coalitions, as of a sampled trace."""
    players = tuple(NAMES[:n])
    total = {
        name: float(np.float32(value({players[place] for place in members(name)})))
        for name in all_coalitions(n)
    }
    phi = exact_shapley(list(total.values())).tolist() if attribution is None else attribution
    rows = {name: np.array([number], np.float32) for name, number in total.items()}
    kept = rows if only is None else {name: rows[name] for name in only}
    return Evidence(
        "t",
        "answer",
        players,
        attribution=dict(zip(players, phi, strict=True)),
        floor=floor,
        method="exact",
        grand=total["1" * n],
        empty=total["0" * n],
        singletons={p: total[name] for p, name in zip(players, singletons(n), strict=True) if name in kept},
        without={p: total[name] for p, name in zip(players, all_but_one(n), strict=True) if name in kept},
        table=ValueTable(players, "answer", kept),
    )


@pytest.fixture(name="play", scope="session")
def _play():
    return play


@pytest.fixture
def weighted():
    """v(S) = -8 + 4 if a + 2 if b + 1 if c."""
    return play(3, lambda present: -8 + sum({"a": 4, "b": 2, "c": 1}[one] for one in present))
