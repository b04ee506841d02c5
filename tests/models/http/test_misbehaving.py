"""What goes wrong while scoring is tried again, or missing and counted; it never becomes a number."""

import time

import numpy as np
import pytest

from boresight.errors import CallError, ScoringError
from boresight.models.http.errors import CapError
from boresight.models.http.limits import Limits
from boresight.testing.server_faults import Faults, FaultSource

from .conftest import FAST, requests_for, values


def told(server, **faults):
    """From now on the server misbehaves so."""
    server.source = FaultSource(Faults(**faults))
    server.answerer._source, server.answerer._faults = server.source, server.source.faults


@pytest.mark.parametrize("fault", ["busy", "broken", "cut"])
def test_a_fault_that_passes_changes_no_value(opened, local, trace, fault):
    generator, server = opened(named=True)
    told(server, **{fault: 0.5})
    np.testing.assert_allclose(values(generator, trace), values(local, trace), atol=1e-4)
    assert generator.usage.retries > 0
    assert generator.usage.failed == 0
    assert generator.usage.calls == server.calls


def test_a_hanging_call_is_given_up_and_tried_again(opened, local, trace):
    generator, server = opened(named=True, limits=Limits(timeout=0.3, backoff=0.001))
    told(server, hang=0.4)
    np.testing.assert_allclose(values(generator, trace), values(local, trace), atol=1e-4)
    assert generator.usage.retries > 0


def test_a_call_that_never_succeeds_is_counted_as_missing(opened, trace):
    generator, server = opened(named=True)
    requests = requests_for(generator, trace)
    told(server, broken=1.0)
    with pytest.raises(
        CallError, match=r"trace 'q1', coalition \{\}: 5 of 5 values are missing; .*status 500"
    ):
        generator.score(requests)
    assert generator.usage.failed == 5
    assert isinstance(CallError(""), ScoringError)  # the run fails the trace and goes on


@pytest.mark.parametrize("shape", ["vllm", "legacy"])
def test_null_values_are_missing_and_no_zeros(opened, trace, shape):
    generator, server = opened(shape=shape, named=True)
    told(server, null=True)
    with pytest.raises(CallError, match="a log-probability is null"):
        generator.score(requests_for(generator, trace))


def test_an_echo_that_stops_midway_is_missing(opened, trace):
    generator, server = opened(shape="legacy", named=True)
    told(server, ignore_echo=True)
    with pytest.raises(CallError, match=r"1 values came for \d+ tokens"):
        generator.score(requests_for(generator, trace))


@pytest.mark.parametrize("named", [True, False])
def test_a_prompt_that_is_cut_is_missing(opened, trace, named):
    generator, server = opened(named=named)
    requests = requests_for(generator, trace)
    told(server, truncate=30)
    with pytest.raises(CallError, match=r"the server (read 30 tokens of|did not read all of the text)"):
        generator.score(requests)


def test_new_answers_to_a_prompt_cut_by_half_are_missing(opened, trace):
    generator, server = opened("max_new=8", shape="legacy", ignore_echo=True)
    told(server, truncate=30, ignore_echo=True)
    with pytest.raises(CallError, match="it cuts long prompts off"):
        generator.score(requests_for(generator, trace))


def test_a_system_turn_that_vanishes_later_is_missing(opened, trace):
    generator, server = opened()
    requests = requests_for(generator, trace)
    told(server, drop_system=True)
    with pytest.raises(CallError, match="did not read all of the text 'Answer the question"):
        generator.score(requests)


def test_jitter_shows_in_the_floor(opened, trace):
    generator, server = opened(named=True)
    requests = requests_for(generator, trace)
    told(server, jitter=0.05)
    one, again = generator.score(requests), generator.score_together(requests)
    moved = [abs(a.logprobs["answer"] - b.logprobs["answer"]).max() for a, b in zip(one, again, strict=True)]
    assert 0.01 < max(moved) < 0.5
    assert generator.capabilities().has_floor


def test_what_retry_after_asks_is_waited(opened, trace):
    generator, server = opened(named=True)
    told(server, busy=0.6, retry_after=0.2, seed=1)
    begin = time.monotonic()
    generator.score(requests_for(generator, trace)[:1])
    assert generator.usage.retries > 0
    assert time.monotonic() - begin >= 0.2


@pytest.mark.parametrize(("cap", "word"), [("max_calls", "calls"), ("max_tokens", "tokens")])
def test_a_cap_ends_the_work_and_says_how_to_go_on(opened, trace, cap, word):
    generator, server = opened(
        named=True, limits=Limits(concurrency=1, **{cap: 4 if cap == "max_calls" else 250})
    )
    with pytest.raises(CapError, match=rf"the cap of \d+ {word} is reached.*run the same command again"):
        generator.score(requests_for(generator, trace))
    assert cap != "max_calls" or server.calls == 4


def test_no_more_calls_run_at_once_than_allowed(opened, backend, trace):
    from threading import Lock

    lock, running, most = Lock(), [0], [0]
    plain = backend.given

    def counted(ids):
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        time.sleep(0.02)
        with lock:
            running[0] -= 1
        return plain(ids)

    backend.given = counted
    try:
        generator, _ = opened(named=True, limits=Limits(concurrency=2))
        generator.score(requests_for(generator, trace))
    finally:
        del backend.given
    assert most[0] == 2
    assert FAST.concurrency == 8
