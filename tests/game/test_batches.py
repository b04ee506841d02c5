"""Batches are branches of the prompt tree for an engine that takes packs, else prompts of equal lengths."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boresight.game.batches import LONG_PROMPTS, as_batch, cost, grouped, tokens_of
from boresight.game.tree import tree_tokens
from boresight.models.packing import PackedBatch, PackLimits
from boresight.models.seam import Capabilities, equal_length_batches
from tree_helpers import random_game, request, with_guest


def taking(batch, tokens, predictions):
    return Capabilities(packs=PackLimits(batch, tokens, predictions))


PLAIN = Capabilities()
PACKS = taking(batch=120, tokens=32, predictions=6)


@pytest.fixture
def made():
    return random_game(0)


def test_the_plain_engine_gets_equal_lengths_and_a_plain_list(made):
    assert grouped(made, PLAIN) == equal_length_batches(one.lengths for one in made)
    assert as_batch(made, PLAIN, made[:1]) == [*made, made[0]]


def test_an_engine_that_takes_packs_gets_them_within_its_limits(made):
    batch = as_batch(made, PACKS, with_guest(made, (1, 2)))
    assert isinstance(batch, PackedBatch)
    assert len(batch) == 32
    assert max(sum(len(batch.pieces[index].ids) for index in pack.pieces) for pack in batch.packs) <= 32


def test_groups_keep_to_the_limit_and_cover_each_request_once(made):
    groups = grouped(made, PACKS)
    assert sorted(index for group in groups for index in group) == list(range(16))
    assert len(groups) > 1
    longest = max(one.prompt_length for one in made)
    assert max(tree_tokens([made[index] for index in group]) for group in groups) <= LONG_PROMPTS * longest


def test_long_prompts_make_batches_larger_so_that_they_share_more():
    """Four prompts of 100 tokens fit a batch of 4 * 100, whatever the limit says."""
    made = [request((*range(99), last), (5,)) for last in range(100, 104)]
    assert grouped(made, taking(10, 8, 4)) == [[0, 1, 2, 3]]


@settings(deadline=None)
@given(st.integers(0, 5), st.integers(20, 400))
def test_the_cost_is_what_the_batches_compute(seed, most):
    made, packs = random_game(seed, lengths=(4, 9, 2)), taking(most, 32, 6)
    batches = [as_batch([made[index] for index in group], packs) for group in grouped(made, packs)]
    assert cost(made, packs) == sum(tokens_of(batch) for batch in batches)


def test_the_plain_cost_counts_every_prompt_whole_for_each_target(made):
    whole = sum(2 * one.prompt_length + 1 + 4 for one in made)
    assert cost(made, PLAIN) == tokens_of(as_batch(made, PLAIN)) == whole
    assert cost(made, taking(10**6, 1024, 100)) < whole / 3


def test_an_engine_that_scores_side_by_side_gets_as_many_as_it_takes(made):
    groups = grouped(made, Capabilities(side_by_side=6))
    assert groups == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], [12, 13, 14, 15]]


def test_no_requests_make_no_batch():
    assert grouped([], PACKS) == grouped([], PLAIN) == []
    assert cost([], PACKS) == 0
