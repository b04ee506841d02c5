"""Requests from bare token ids, for the tests of the prompt tree and of the engine that runs it."""

from itertools import combinations

import numpy as np

from boresight.models.seam import Request, Segment, Target


def random_ids(rng, length, vocabulary=80):
    return tuple(int(token) for token in rng.integers(0, vocabulary, length))


def targets_of(*ids):
    return tuple(Target(f"t{place}", "recorded", "", tuple(one), ()) for place, one in enumerate(ids))


def request(prompt, *targets, game="passages"):
    """A request of one segment."""
    return Request("q", game, (Segment("header", tuple(prompt)),), targets_of(*targets))


def coalition_requests(header, passages, tail, targets, orders=None):
    """A request for each coalition in context order, or for each given order of passages."""
    places = range(len(passages))
    if orders is None:
        orders = [chosen for size in range(len(passages) + 1) for chosen in combinations(places, size)]
    blocks = [Segment(f"passage:{place}:1", tuple(ids), str(place)) for place, ids in enumerate(passages)]
    goals = targets_of(*targets)
    return [
        Request(
            "q",
            "passages",
            (
                Segment("header", tuple(header)),
                *(blocks[place] for place in order),
                Segment("tail", tuple(tail)),
            ),
            goals,
            tuple(order),
        )
        for order in orders
    ]


def random_game(seed, lengths=(9, 17, 5, 23), targets=(1, 4), *, vocabulary=80, orders=None):
    """Coalitions of unequal passages with several targets; longer than a window of 16 tokens."""
    rng = np.random.default_rng(seed)
    header, tail = random_ids(rng, 6, vocabulary), random_ids(rng, 5, vocabulary)
    passages = [random_ids(rng, length, vocabulary) for length in lengths]
    goals = [random_ids(rng, length, vocabulary) for length in targets]
    return coalition_requests(header, passages, tail, goals, orders)


def with_guest(own, guest):
    """Each of the coalitions with one more passage before its tail, for the first target only."""
    block = Segment("passage:guest:1", tuple(guest), "guest")
    return [
        Request(
            one.trace, "placebo", (*one.segments[:-1], block, one.segments[-1]), one.targets[:1], one.order
        )
        for one in own
    ]


def path_to(batch, index):
    """All tokens of a piece and of what it continues, from the start of the prompt."""
    piece = batch.pieces[index]
    before = () if piece.parent is None else path_to(batch, piece.parent)
    return before + piece.ids
