"""Pauses grow, are drawn at random, and are never shorter than the endpoint asks for."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.models.http.backoff import pause, retry_after
from boresight.models.http.limits import Limits

LIMITS = Limits(backoff=0.5, longest_pause=30.0)
NOW = datetime(2026, 1, 2, 3, 4, 0, tzinfo=UTC)


@given(st.integers(1, 50), st.none() | st.floats(0, 100))
def test_a_pause_lies_between_what_is_asked_and_that_plus_the_longest(attempt, asked):
    assert (asked or 0) <= pause(attempt, asked, LIMITS) <= (asked or 0) + 30


def test_the_longest_pause_of_an_attempt_doubles():
    assert [pause(n, None, LIMITS, uniform=lambda _, high: high) for n in (1, 2, 3, 9)] == [0.5, 1, 2, 30]


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "12"}, 12.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Fri, 02 Jan 2026 03:05:30 GMT"}, 90.0),
        ({"retry-after": "Fri, 02 Jan 2026 03:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_date(headers, seconds):
    assert retry_after(headers, NOW) == seconds
