"""An audit through an endpoint that fails and hangs, killed twice, ends with the values of a calm one."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from boresight.models.fake import FakeGenerator
from boresight.store.values import ValueStore
from boresight.testing.server import EndpointServer
from boresight.testing.server_backends import TableBackend
from boresight.testing.server_faults import Faults
from boresight.trace import read_traces
from helpers import additive_table, make_trace, write_jsonl

SCRIPT = Path(__file__).parent / "disturbed_audit.py"
TRACES = 4
DISTURBED = Faults(busy=0.1, broken=0.05, cut=0.05, hang=0.05, seed=3)


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    made = [
        make_trace(f"t{n}", query=f"Where is number {n}?", answer="in Rome" if n % 2 else None)
        for n in range(TRACES)
    ]
    return write_jsonl(tmp_path_factory.mktemp("input") / "traces.jsonl", made)


@pytest.fixture(scope="module")
def backend(traces):
    weights = {"a": 1.0, "b": -0.5, "c": 0.25}
    tables = {f"t{n}": additive_table({k: w + n / 10 for k, w in weights.items()}) for n in range(TRACES)}
    return TableBackend(FakeGenerator(tables), read_traces(traces).traces)


def run(server, traces, folder, kill_after=()):
    """Start the audit, kill it after so many calls, start it again, until it ends by itself."""
    for calls in (*kill_after, None):
        arguments = [f"openai:{server.url}#toy", traces, folder / "run", folder / "probes"]
        process = subprocess.Popen(
            [sys.executable, str(SCRIPT), *map(str, arguments)], stderr=subprocess.PIPE
        )
        begun = server.calls
        while calls is not None and server.calls < begun + calls and process.poll() is None:
            time.sleep(0.002)
        if calls is not None:
            assert process.poll() is None, process.stderr.read().decode()
            process.kill()
        _, errors = process.communicate()
        assert process.returncode == (0 if calls is None else -9), errors.decode()
    return stored(folder / "run")


def told(folder):
    """How many calls the run says that it made."""
    return json.loads((folder / "run.json").read_text())["counts"]["calls"]


def stored(folder):
    rows = [row for index in range(TRACES) for row in ValueStore(folder / "values").read(index)]
    return [
        (row.trace, row.game, row.target, row.coalition, row.repeat, row.logprobs.tolist()) for row in rows
    ]


def test_failing_hanging_and_killed_it_ends_with_the_same_values(traces, backend, tmp_path):
    for name in ("calm", "wild"):
        (tmp_path / name).mkdir()
    with EndpointServer(backend) as calm:
        undisturbed = run(calm, traces, tmp_path / "calm")
    with EndpointServer(backend, faults=DISTURBED) as wild:
        disturbed = run(wild, traces, tmp_path / "wild", kill_after=(12, 25))
    assert len(undisturbed) >= TRACES * 8
    assert disturbed == undisturbed
    assert wild.calls > 1.2 * calm.calls
    # Every call is told of before it is sent, so a kill may leave some that never arrived: one a thread.
    assert told(tmp_path / "calm" / "run") == calm.calls - PROBE
    assert 0 <= told(tmp_path / "wild" / "run") - (wild.calls - probe_calls(wild)) <= 2 * THREADS


PROBE, THREADS = 5, 4
OPENINGS = ("The five towns", "Name some towns")


def probe_calls(server):
    return sum(any(opening in str(body) for opening in OPENINGS) for body in server.received)
