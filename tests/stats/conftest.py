"""How often simulated intervals hold the truth, with the limits that chance allows."""

import numpy as np
import pytest


@pytest.fixture
def check_coverage():
    def check(intervals, truth, expected, *, slack=0.0):
        """Coverage of all intervals, within four binomial standard errors and a slack of what is expected."""
        hits = [interval.low is not None and interval.low <= truth <= interval.high for interval in intervals]
        margin = 4 * np.sqrt(expected * (1 - expected) / len(hits)) + slack
        assert np.mean(hits) == pytest.approx(expected, abs=margin)

    return check
