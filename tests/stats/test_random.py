"""Draws depend on seed and purpose alone."""

import hashlib

import numpy as np
import pytest

from boresight.stats.random import rng_for


def test_the_same_purpose_gives_the_same_draws():
    assert (rng_for(7, "orders", "q1").random(5) == rng_for(7, "orders", "q1").random(5)).all()


def test_what_was_drawn_for_another_purpose_changes_nothing():
    alone = rng_for(7, "orders", "q2").random(3)
    rng_for(7, "orders", "q1").random(1000)
    assert (rng_for(7, "orders", "q2").random(3) == alone).all()


@pytest.mark.parametrize(
    "other",
    [(8, "a", "b"), (7, "a"), (7, "ab"), (7, "b", "a"), (7, "a", "b", ""), (7, 'a", "b'), (-7, "a", "b")],
)
def test_another_seed_or_purpose_gives_other_draws(other):
    assert rng_for(7, "a", "b").integers(1 << 62) != rng_for(*other).integers(1 << 62)


def test_the_seed_is_the_sha256_of_the_json_of_seed_and_purpose():
    digest = hashlib.sha256(b'[7, "orders", "q\\u00e9"]').digest()
    expected = np.random.Generator(np.random.PCG64(int.from_bytes(digest, "big")))
    assert rng_for(7, "orders", "qé").integers(1 << 62) == expected.integers(1 << 62)


def test_any_id_that_a_trace_may_have_is_a_purpose():
    for purpose in ("", "\ud800", "\0", "🧭", "x" * 100_000):
        assert 0 <= rng_for(0, purpose).random() < 1


def test_a_numpy_seed_is_the_same_seed():
    assert rng_for(np.int64(3), "a").random() == rng_for(3, "a").random()
