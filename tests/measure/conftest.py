"""Evidence whose numbers are written down."""

import math
from dataclasses import replace

import numpy as np
import pytest

from boresight.game.coalitions import all_coalitions
from boresight.game.table import ValueTable
from boresight.measure.evidence import Evidence, RetrieverView
from boresight.measure.rows import Extra, OrderRow, Streams, TokenRows
from boresight.models.streams import CONTRASTIVE, LAYER, STREAM_KINDS


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


@pytest.fixture
def full(evidence):
    """The same trace with everything that an audit can store; the answer has two tokens of equal value."""
    players = evidence.players
    known = {"0000": evidence.empty, "1111": evidence.grand}
    for place, passage in enumerate(players):
        alone = "".join("01"[other == place] for other in range(4))
        known[alone] = evidence.singletons[passage]
        known[alone.translate(str.maketrans("01", "10"))] = evidence.without[passage]
    totals = {name: known.get(name, -2.0 - 0.1 * index) for index, name in enumerate(all_coalitions(4))}
    table = ValueTable(
        players, "answer", {name: np.full(2, total / 2, np.float32) for name, total in totals.items()},
        np.full(2, evidence.closed_book / 2, np.float32),
    )  # fmt: skip
    return replace(evidence, table=table, extra=extra_of(evidence))


def extra_of(evidence):
    """Orders, targets, texts and streams of the trace."""
    players = evidence.players
    rows = TokenRows(
        "Rome [1]",
        ((0, 5), (5, 8)),
        halves(evidence.grand),
        halves(evidence.empty),
        halves(evidence.closed_book),
        {passage: halves(value) for passage, value in evidence.singletons.items()},
        {passage: halves(value) for passage, value in evidence.without.items()},
    )
    orders = [players, players[::-1], players[2:] + players[:2], (players[2:] + players[:2])[::-1]]
    texts = ("Rome [1]", "Rome", "Paris", "Rome")
    kinds = sorted(STREAM_KINDS - {CONTRASTIVE, LAYER})
    return Extra(
        orders=tuple(
            OrderRow(
                order, evidence.grand - place, {one: v - place for one, v in evidence.without.items()}, text
            )
            for place, (order, text) in enumerate(zip(orders, texts, strict=True))
        ),
        targets={"answer": rows, "reference:0": replace(rows, text="Rome it is", without={})},
        abstention={"a": 0.1, "b": 0.9, "c": 0.2, "d": 0.7},
        contrastive={passage: {"reference:0": np.array([-0.5, -1.0])} for passage in players},
        streams=Streams({kind: np.array([1.0, 0.0]) for kind in kinds}, 1),
        answer="Rome [1]",
        closed_book_answer="Paris",
        single_answers={"a": "Rome", "b": "Paris", "c": "Rome", "d": "London"},
        references=("Rome",),
        relevance={"a": 1.0, "b": 0.0, "c": 0.0},
        cited=frozenset({"a"}),
    )


def halves(value):
    """Two tokens that share a value."""
    return np.full(2, value / 2)
