"""Toy games with known answers."""

import numpy as np
import pytest


@pytest.fixture
def masks():
    """The bit mask of each coalition: the row of its value in a whole table."""
    return lambda coalitions: coalitions @ (1 << np.arange(coalitions.shape[1]))


@pytest.fixture
def rough_game():
    """A table of eight players, two tokens: unequal players with interactions of every order."""
    rng = np.random.default_rng(7)
    members = (np.arange(256)[:, None] >> np.arange(8)) & 1
    return members @ rng.normal(size=(8, 2)) + rng.normal(scale=0.5, size=(256, 2))
