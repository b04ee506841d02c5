"""The client tries again what may pass, refuses what will not, and never speaks of the key."""

import sys
import traceback
from contextlib import contextmanager

import httpx
import pytest

from boresight.errors import CallError, ModelError
from boresight.models.http.client import Client
from boresight.models.http.errors import RefusedError, TryAgainError
from boresight.models.http.limits import Key, Limits
from boresight.models.http.usage import Meter, Usage
from boresight.testing.server import EndpointServer
from boresight.testing.server_faults import Faults

BODY = {"model": "m", "prompt": "Hello there", "max_tokens": 1, "temperature": 0}
SECRET = "sk-very-secret-123"  # noqa: S105 - made up


@contextmanager
def asking(backend, *, limits=None, key=None, server_key=None, **faults):
    pauses = []
    with EndpointServer(backend, faults=Faults(**faults), key=server_key) as server:
        client = Client(
            server.url,
            key=key,
            limits=limits or Limits(attempts=4),
            trust_environment=False,
            sleep=pauses.append,
        )
        yield client, server, pauses
        client.close()


def test_tries_end_after_the_allowed_number(backend):
    with asking(backend, broken=1.0) as (client, server, pauses):
        with pytest.raises(CallError, match=r"failed at attempt 4: status 500 \(told to be broken\)"):
            client.ask("completions", BODY, dict)
        assert (server.calls, len(pauses)) == (4, 3)
        assert client.meter.spent == Usage(calls=4, retries=3, failed=1)


def test_pauses_are_never_shorter_than_retry_after(backend):
    with asking(backend, busy=1.0, retry_after=7) as (client, _, pauses):
        with pytest.raises(CallError, match="status 429"):
            client.ask("completions", BODY, dict)
        own = [seconds for seconds in pauses if seconds >= 7]
        assert len(own) >= 3


def test_an_endpoint_that_asks_for_too_long_a_pause_is_given_up(backend):
    with asking(backend, busy=1.0, retry_after=3600) as (client, server, pauses):
        with pytest.raises(CallError, match="asks to wait 3,600 seconds"):
            client.ask("completions", BODY, dict)
        assert (server.calls, pauses) == (1, [])


def test_a_wrong_answer_is_asked_for_once_more(backend):
    def unhappy(_):
        raise TryAgainError("nonsense", content=True)

    with asking(backend) as (client, server, _):
        with pytest.raises(CallError, match="nonsense"):
            client.ask("completions", BODY, unhappy)
        assert server.calls == 2


def test_a_refused_request_is_not_tried_again(backend):
    with asking(backend, refuse_ids=True) as (client, server, _):
        with pytest.raises(RefusedError, match=r"status 400 \(prompt must be a string\)"):
            client.ask("completions", {**BODY, "prompt": [1, 2]}, dict)
        assert server.calls == 1


def test_a_server_that_is_not_there_is_a_failed_call():
    client = Client("http://127.0.0.1:9/v1", limits=Limits(attempts=2), sleep=lambda _: None)
    with pytest.raises(CallError, match=r"the connection broke \(ConnectError\)"):
        client.ask("completions", BODY, dict)
    client.close()


def test_the_key_is_sent_and_accepted(backend):
    with asking(backend, key=Key(SECRET, "BORESIGHT_API_KEY"), server_key=SECRET) as (client, _, _):
        assert client.ask("completions", BODY, dict)["choices"]


def test_a_refused_key_is_named_by_its_variable_and_stands_in_no_error(backend):
    with asking(backend, key=Key(SECRET, "BORESIGHT_API_KEY"), server_key="other") as (client, server, _):
        with pytest.raises(ModelError, match="refuses the key in BORESIGHT_API_KEY") as refused:
            client.ask("completions", BODY, dict)
        assert server.calls == 1
        assert SECRET not in "".join(traceback.format_exception(refused.value))
        assert SECRET not in repr(vars(client))


def test_a_missing_key_is_asked_for(backend):
    wanted = pytest.raises(ModelError, match=r"wants a key .* set BORESIGHT_API_KEY")
    with asking(backend, server_key=SECRET) as (client, _, _), wanted:
        client.ask("completions", BODY, dict)


def test_a_failed_call_of_many_leaves_the_others(backend):
    with asking(backend) as (client, _, _):

        def fails():
            raise CallError("gone")

        assert [type(one) for one in client.ask_all([lambda: 1, fails, lambda: 2])] == [int, CallError, int]


def test_every_call_is_told_of_before_it_is_sent(backend):
    with asking(backend) as (client, server, _):
        seen = []
        client.meter.on_call = lambda: seen.append(server.calls)
        client.ask("completions", BODY, dict)
        client.ask("completions", BODY, dict)
        assert seen == [0, 1]


def test_a_resumed_count_starts_where_it_stood():
    meter = Meter(Limits(), Usage(calls=5, prompt_tokens=10))
    meter.start(retry=False)
    meter.answered({"prompt_tokens": 3, "completion_tokens": None})
    assert meter.spent == Usage(calls=6, prompt_tokens=13)


def answering(status, **answer):
    """A client whose server always says the same."""
    client = Client("http://h/v1", limits=Limits(attempts=2), sleep=lambda _: None)
    client._http.close()
    transport = httpx.MockTransport(lambda _: httpx.Response(status, **answer))
    client._http = httpx.Client(base_url="http://h/v1/", transport=transport)
    return client


def test_a_spent_quota_is_not_waited_for():
    client = answering(429, json={"error": {"code": "insufficient_quota", "message": "pay"}})
    with pytest.raises(ModelError, match=r"no quota left for this key \(pay\)"):
        client.ask("completions", BODY, dict)


@pytest.mark.parametrize("answer", [{"text": "<html>"}, {"json": [1]}, {"content": b"\xff"}])
def test_an_answer_that_is_no_object_is_tried_again_and_then_failed(answer):
    with pytest.raises(CallError, match="failed at attempt 2: the answer is no JSON object"):
        answering(200, **answer).ask("completions", BODY, dict)


def test_a_redirect_is_not_followed():
    with pytest.raises(RefusedError, match="status 302"):
        answering(302, headers={"location": "http://elsewhere"}).ask("completions", BODY, dict)


def test_a_servers_words_are_cut_and_keys_in_them_hidden():
    client = answering(400, json={"error": "sk-abc123 is " + "long " * 100})
    with pytest.raises(RefusedError) as refused:
        client.ask("completions", BODY, dict)
    assert "abc123" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_a_missing_httpx_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(ModelError, match=r'pip install "boresight\[http\]"'):
        Client("http://h/v1")
