"""Evidence whose numbers are written down."""

import math

import pytest

from boresight.measure.evidence import Evidence, RetrieverView


@pytest.fixture
def evidence():
    """Four passages; the retriever ranks a > b > c > d, the answer rests on c, a little on a; d harms."""
    return Evidence(
        trace="q1",
        target="answer",
        players=("a", "b", "c", "d"),
        attribution={"a": 1.0, "b": 1e-6, "c": 3.0, "d": -0.5},
        attribution_prob={"a": 0.1, "b": 0.0, "c": 0.1, "d": -0.2},
        floor=1e-5,
        floor_prob=1e-6,
        method="exact",
        grand=-1.0,
        empty=-4.500001,
        closed_book=-3.0,
        singletons={"a": -3.5, "b": -4.5, "c": -1.25, "d": -5.0},
        without={"a": -1.5, "b": -1.0, "c": -4.0, "d": -0.25},
        retriever=RetrieverView(
            "bm25", {"a": 0.0, "b": 1.0, "c": 2.0, "d": 3.0}, {"a": 10.0, "b": 4.0, "c": 3.0, "d": 3.0}
        ),
    )


@pytest.fixture
def toy():
    """Closed book 0.9, empty coalition 0.1, any passage 0.9: three passages share ln 9."""
    known, unknown, players = math.log(0.9), math.log(0.1), ("p1", "p2", "p3")
    third = math.log(9) / 3
    return Evidence(
        trace="toy",
        target="answer",
        players=players,
        # Shares as an exact enumeration leaves them, equal but for rounding.
        attribution={"p1": third, "p2": third + 2e-16, "p3": third - 2e-16},
        attribution_prob=dict.fromkeys(players, 0.8 / 3),
        floor=0.0,
        floor_prob=0.0,
        method="exact",
        grand=known,
        empty=unknown,
        closed_book=known,
        singletons=dict.fromkeys(players, known),
        without=dict.fromkeys(players, known),
        retriever=RetrieverView(
            "given", {"p1": 0.0, "p2": 1.0, "p3": 2.0}, {"p1": 3.0, "p2": 2.0, "p3": 1.0}
        ),
    )
