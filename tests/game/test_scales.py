"""Value scales are finite views of the same rows."""

import numpy as np
import pytest

from boresight.game.scales import CERTAIN, log_odds, nats, on_scale, probability


def test_probability_of_a_half():
    assert probability(np.log([0.5])) == pytest.approx([0.5])


def test_log_odds_of_three_quarters():
    assert log_odds(np.log([0.75])) == pytest.approx([np.log(3)])


def test_log_odds_stay_finite_at_certainty_and_beyond_rounding():
    odds = log_odds(np.float32([0.0, 1e-8, CERTAIN]))
    assert np.isfinite(odds).all()
    assert odds == pytest.approx([24 * np.log(2)] * 3, rel=1e-6)


def test_a_long_answer_stays_finite_on_every_scale():
    row = np.full(300, -90.0, np.float32)
    for scale in ("nats", "probability", "log_odds"):
        assert np.isfinite(on_scale(row, scale).sum())
    assert on_scale(row, "nats").sum() == -27_000


def test_nats_are_the_stored_numbers_in_double_precision():
    stored = np.float32([-0.1])
    assert nats(stored).dtype == np.float64
    assert nats(stored)[0] == float(stored[0])
