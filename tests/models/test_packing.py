"""A packed batch is a sequence of requests for everyone who does not know packs."""

from boresight.game.tree import lay_out
from boresight.models.packing import PackedBatch, PackLimits, Piece
from tree_helpers import random_game, request

LIMITS = PackLimits(100, 8, 4)


def test_it_reads_as_the_requests_in_their_order():
    made = random_game(0, lengths=(3, 4))
    batch = lay_out(made, LIMITS, made[:1])
    assert list(batch) == [*made, made[0]]
    assert (len(batch), batch[1], batch[-1], batch[1:3]) == (5, made[1], made[0], tuple(made[1:3]))


def test_its_tokens_are_those_of_all_pieces():
    pieces = (Piece((1, 2), 0, None), Piece((3,), 2, 0))
    assert PackedBatch((request((1, 2, 3), (4,)),), pieces, ()).tokens == 3


def test_an_engine_without_packs_scores_it_as_a_plain_sequence(make_generator):
    generator = make_generator(architecture="bloom")
    made = random_game(0, lengths=(3, 4))
    for packed, plain in zip(generator.score(lay_out(made, LIMITS)), generator.score(made), strict=True):
        assert packed.request is plain.request
        assert all((packed.logprobs[name] == row).all() for name, row in plain.logprobs.items())
