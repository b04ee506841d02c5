"""The layout reads every shared beginning once, loses no token, and keeps to its limits."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from boresight.game.tree import branches, lay_out, tree_of, tree_tokens
from boresight.models.packing import Ask, Pack, PackLimits, Piece
from boresight.models.seam import Request, Segment
from tree_helpers import coalition_requests, path_to, random_game, request, with_guest

WIDE = PackLimits(10**6, 10**6, 10**6)

# A few distinct tokens, so that beginnings are shared by chance in all ways: empty and identical passages,
# prompts that begin other prompts, targets that begin other targets.
runs = st.lists(st.integers(0, 2), max_size=6).map(tuple)
goals = st.lists(st.integers(0, 2), min_size=1, max_size=6).map(tuple)
calm = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
limits = st.builds(PackLimits, st.just(10**6), st.integers(1, 20), st.integers(1, 6))


@st.composite
def games(draw):
    """Coalitions and some orders of up to three passages, and prompts of their own."""
    passages = draw(st.lists(runs, max_size=3))
    header, tail = draw(runs), draw(goals)
    targets = draw(st.lists(goals, min_size=1, max_size=2))
    places = list(permutations(range(len(passages))))
    orders = draw(st.lists(st.sampled_from(places), max_size=2))
    others = [request(prompt, *targets) for prompt in draw(st.lists(goals, max_size=3))]
    own = coalition_requests(header, passages, tail, targets)
    return own + coalition_requests(header, passages, tail, targets, orders) + others


def layouts():
    """Requests, limits, and what the layout makes of them; some with guests."""
    return st.builds(
        lambda own, limit, guest: (own, guest, lay_out(own, limit, guest), limit),
        games(),
        limits,
        st.one_of(st.just(()), games().map(lambda made: tuple(made[:4]))),
    )


def predictions(batch):
    """Request, target and place in the target of every prediction, with all that its token has read."""
    for pack in batch.packs:
        for ask in pack.asks:
            piece = batch.pieces[ask.piece]
            before = path_to(batch, ask.piece)[: piece.position]
            for step, token in enumerate(ask.ids):
                read = before + piece.ids[: ask.start + step + 1]
                yield (ask.request, ask.target, ask.first + step), token, read


@calm
@given(layouts())
def test_every_target_token_is_asked_for_once_behind_exactly_its_own_prompt(made):
    own, guests, batch, _ = made
    found = list(predictions(batch))
    expected = {
        (index, target.id, place): (token, one.prompt_ids + target.token_ids[:place])
        for index, one in enumerate((*own, *guests))
        for target in one.targets
        for place, token in enumerate(target.token_ids)
    }
    assert len(found) == len(expected)
    assert {key: (token, read) for key, token, read in found} == expected


@calm
@given(layouts())
def test_positions_count_from_the_start_of_the_prompt(made):
    *_, batch, _ = made
    for index, piece in enumerate(batch.pieces):
        assert piece.position + len(piece.ids) == len(path_to(batch, index))
        assert piece.ids


@calm
@given(layouts())
def test_no_pack_exceeds_its_limits(made):
    *_, batch, limit = made
    for pack in batch.packs:
        assert sum(len(batch.pieces[index].ids) for index in pack.pieces) <= limit.tokens
        predicting = {(ask.piece, ask.start + step) for ask in pack.asks for step in range(len(ask.ids))}
        assert len(predicting) <= limit.predictions
        assert {ask.piece for ask in pack.asks} <= set(pack.pieces)


@calm
@given(layouts())
def test_what_a_pack_continues_is_kept_or_stands_before_it_inside(made):
    *_, batch, _ = made
    there: set[int] = set()
    for pack in batch.packs:
        assert set(pack.held) <= there
        for place, index in enumerate(pack.pieces):
            parent = batch.pieces[index].parent
            while parent is not None:
                assert parent in (*pack.held, *pack.pieces[:place])
                parent = batch.pieces[parent].parent
        there = {*pack.held, *pack.pieces}
    computed = [index for pack in batch.packs for index in pack.pieces]
    assert sorted(computed) == list(range(len(batch.pieces)))


@calm
@given(layouts())
def test_nothing_is_kept_that_no_later_token_sees(made):
    *_, batch, _ = made
    needed: set[int] = set()
    for pack in reversed(batch.packs):
        for index in pack.pieces:
            parent = batch.pieces[index].parent
            while parent is not None:
                needed.add(parent)
                parent = batch.pieces[parent].parent
        needed -= set(pack.pieces)
        assert set(pack.held) == needed


@calm
@given(games(), limits)
def test_each_shared_beginning_is_read_once(made, limit):
    assert lay_out(made, limit).tokens == tree_tokens(made) == len(_prefixes(made))


def _prefixes(requests):
    """The tree by definition: every different beginning of what must be read is one token."""
    inputs = [one.prompt_ids + target.token_ids[:-1] for one in requests for target in one.targets]
    return {ids[: end + 1] for ids in inputs for end in range(len(ids))}


@calm
@given(games(), limits, games())
def test_packs_of_the_requests_are_the_same_with_and_without_guests(own, limit, guests):
    together = iter(_contents(lay_out(own, limit, guests)))
    assert all(pack in together for pack in _contents(lay_out(own, limit)))  # in the same order


def _contents(batch):
    """Packs without the numbers of their pieces: what is kept, computed and asked."""
    return [
        (
            [path_to(batch, index) for index in pack.held],
            [(path_to(batch, index), batch.pieces[index].ids) for index in pack.pieces],
            [replace(ask, piece=pack.pieces.index(ask.piece)) for ask in pack.asks],
        )
        for pack in batch.packs
    ]


@calm
@given(games(), limits)
def test_the_layout_knows_token_ids_only_not_names(made, limit):
    again = [
        replace(one, segments=tuple(Segment("other", part.ids) for part in one.segments)) for one in made
    ]
    first, second = lay_out(made, limit), lay_out(again, limit)
    assert (first.pieces, first.packs) == (second.pieces, second.packs)


@calm
@given(games(), st.integers(1, 60))
def test_branches_cover_each_request_once_within_the_limit(made, most):
    groups = branches(made, most)
    assert sorted(index for group in groups for index in group) == list(range(len(made)))
    for group in groups:
        members = [made[index] for index in group]
        longest = max((one.prompt_ids for one in members), key=len)
        one_prompt = all(one.prompt_ids == longest[: one.prompt_length] for one in members)
        assert tree_tokens(members) <= most or one_prompt


def test_tree_tokens_by_hand():
    """1 2 are read once, then 3 4 and 5; behind 5 the first token of the target 7 8."""
    assert tree_tokens([request((1, 2, 3, 4), (9,)), request((1, 2, 5), (7, 8))]) == 2 + 2 + 1 + 1


def test_a_layout_by_hand():
    """Two prompts share 1 2; the second ends in a target of two tokens, of which the first is read."""
    batch = lay_out([request((1, 2, 3), (9,)), request((1, 2, 5), (7, 8))], PackLimits(100, 4, 100))
    assert batch.pieces == (Piece((1, 2), 0, None), Piece((3,), 2, 0), Piece((5,), 2, 0), Piece((7,), 3, 2))
    assert batch.packs == (
        Pack((), (0, 1, 2), (Ask(0, "t0", 0, (9,), 1, 0), Ask(1, "t0", 0, (7,), 2, 0))),
        Pack((0, 2), (3,), (Ask(1, "t0", 1, (8,), 3, 0),)),
    )


def test_a_long_piece_is_cut_where_the_pack_ends():
    batch = lay_out([request(range(10), (9,))], PackLimits(100, 4, 100))
    assert [piece.ids for piece in batch.pieces] == [(0, 1, 2, 3), (4, 5, 6, 7), (8, 9)]
    assert [pack.held for pack in batch.packs] == [(), (0,), (0, 1)]


@pytest.mark.parametrize("lengths", [(), (7,), (3, 5, 2, 11)])
def test_all_coalitions_cost_one_passage_segment_a_non_empty_coalition_and_one_tail_each(lengths):
    """Passage j continues the 2^j coalitions of those before it: 2^n - 1 segments; then 2^n tails."""
    start, passages = 20, []
    for length in lengths:
        passages.append(tuple(range(start, start + length)))
        start += length
    made = coalition_requests((1, 2, 3), passages, (5, 6), [(7, 8, 9, 10)])
    segments = sum(length << place for place, length in enumerate(lengths))
    assert tree_tokens(made) == 3 + segments + (1 << len(lengths)) * (2 + 4 - 1)
    assert sum(1 << place for place in range(len(lengths))) == (1 << len(lengths)) - 1


def test_permutations_share_their_beginnings():
    """Three passages of 4 tokens in all orders: 3 + 3*2 + 3*2*1 segments, 6 tails of 2, targets of 1."""
    passages = [tuple(range(start, start + 4)) for start in (10, 20, 30)]
    made = coalition_requests((1,), passages, (5, 6), [(7,)], list(permutations(range(3))))
    assert tree_tokens(made) == 1 + 15 * 4 + 6 * 2


def test_two_targets_ride_on_one_tail():
    one, both = (random_game(0, targets=lengths) for lengths in ((4,), (4, 6)))
    assert tree_tokens(both) == tree_tokens(one) + 16 * 5


def test_a_token_that_many_targets_read_counts_once_against_the_limit():
    """Six requests with two targets each ask the last token of one prompt; then comes a run without asks."""
    prompt = (1, 2, 3)
    made = [request((*prompt, 4, 5, token), (7,)) for token in (8, 9)]
    made += [request(prompt, (7, 7), (8, 8))] * 6
    packs = lay_out(made, PackLimits(100, 100, 1)).packs
    assert max(len(pack.asks) for pack in packs) == 12
    assert len(lay_out([request(prompt, (7, 7, 7))] * 6, PackLimits(100, 100, 3)).packs) == 1


def test_guests_follow_right_behind_the_pack_that_they_continue():
    own = random_game(0, lengths=(6, 7, 8), targets=(3,))
    guests = with_guest(own, range(60, 70))
    limit = PackLimits(10**6, 24, 10**6)
    batch = lay_out(own, limit, guests)
    mixed = [{ask.request >= len(own) for ask in pack.asks} for pack in batch.packs]
    assert {True, False} not in mixed
    assert mixed.index({True}) < max(place for place, kinds in enumerate(mixed) if kinds == {False})
    again = 4 * 8  # the last passage stands in one run with the tail behind it
    assert batch.tokens - lay_out(own, limit).tokens <= 8 * (10 + 5 + 2) + again


def test_a_guest_never_cuts_what_the_requests_read():
    """The guest leaves the run 1 2 3 4 in its middle, so it reads its beginning again."""
    own = [request((1, 2, 3, 4), (9,))]
    batch = lay_out(own, WIDE, [request((1, 2, 5), (9,))])
    assert [piece.ids for piece in batch.pieces] == [(1, 2, 3, 4), (1, 2, 5)]
    assert [piece.parent for piece in batch.pieces] == [None, None]


def test_a_guest_that_is_one_of_the_requests_reads_its_last_run_again():
    own = [request((1, 2, 3), (9,)), request((1, 2, 4), (9,))]
    batch = lay_out(own, WIDE, own[1:])
    assert [piece.ids for piece in batch.pieces] == [(1, 2), (3,), (4,), (4,)]
    assert batch.pieces[3].parent == 0


def test_requests_and_guests_without_a_target_read_nothing():
    nothing = Request("q", "passages", (Segment("header", (1, 2)),), ())
    assert lay_out([nothing], WIDE).packs == ()
    batch = lay_out([request((1, 2, 3), (9,))], WIDE, [nothing])
    assert (len(batch), batch.tokens) == (2, 3)


@pytest.mark.parametrize(
    "prompts",
    [
        [(1,) * size for size in range(1, 301)],
        [(1,) * size for size in range(300, 0, -1)],
        [(1, 2, 3)] * 300,
        [tuple(range(3000))],
    ],
    ids=["growing", "shrinking", "identical", "long"],
)
def test_hostile_prompts_are_laid_out_in_full(prompts):
    made = [request(prompt, (5, 6)) for prompt in prompts]
    batch = lay_out(made, PackLimits(8192, 1024, 400))
    assert Counter(key for key, *_ in predictions(batch)) == Counter(
        (index, "t0", place) for index in range(len(made)) for place in range(2)
    )
    assert sorted(index for group in branches(made, 500) for index in group) == list(range(len(made)))


def test_children_stand_in_the_order_of_their_first_appearance():
    root = tree_of([request((2, 1), (0,)), request((1, 1), (0,)), request((2, 2), (0,))])
    assert list(root.children) == [2, 1]
    assert [node.ids for node, _ in root.walk()] == [(2,), (1,), (2,), (1, 1)]


def test_the_layout_needs_no_torch():
    code = "import sys, boresight.game.tree, boresight.game.batches; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
