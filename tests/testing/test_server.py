"""The test server speaks like real ones, and misbehaves as told, the same way every time."""

import json
from collections import Counter
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
import pytest

from boresight.models.fake import FakeGenerator
from boresight.testing.server import EndpointServer
from boresight.testing.server_backends import STRANGER_VALUES, ModelBackend, TableBackend
from boresight.testing.server_faults import Faults, FaultSource
from boresight.testing.toy_models import tiny_model, toy_tokenizer
from boresight.trace import Passage, Trace
from helpers import additive_table

TRACE = Trace(
    id="t",
    query="Where?",
    passages=(Passage("a", "text of a"), Passage("b", "text of b")),
    context=("a", "b"),
)
TABLE = additive_table({"a": 1.0, "b": -0.5})
PROMPT = "Answer the question briefly, using the passages.\nPassage 2: text of b\nQuestion: Where?\nAnswer:"


@pytest.fixture(scope="module")
def table():
    return TableBackend(FakeGenerator({"*": TABLE}), [TRACE])


@pytest.fixture(scope="module")
def model():
    tokenizer = toy_tokenizer()
    return ModelBackend(tiny_model("llama", vocabulary=len(tokenizer)), tokenizer)


def post(server, path, **body):
    headers = {"content-type": "application/json"}
    request = Request(server.url + path, json.dumps(body).encode(), headers)  # noqa: S310 - our own server
    with urlopen(request, timeout=5) as answer:  # noqa: S310
        return json.loads(answer.read())


def complete(server, prompt=PROMPT, **fields):
    body = {"prompt": prompt, "max_tokens": 2, "temperature": 0, **fields}
    return post(server, "/completions", **body)["choices"][0]


def test_the_legacy_shape_echoes_prompt_and_answer(table):
    with EndpointServer(table, shape="legacy") as server:
        choice = complete(server, f"{PROMPT} in Rome", echo=True, logprobs=1, max_tokens=1)
    found = choice["logprobs"]
    assert found["tokens"][-2:] == [" in", " Rome"]  # the answer ends there
    assert found["token_logprobs"][0] is None
    assert found["token_logprobs"][-2:] == TABLE["values"]["b"]
    assert [
        choice["text"][start:].startswith(text)
        for start, text in zip(found["text_offset"], found["tokens"], strict=True)
    ].count(False) == 0


def test_vllms_shape_lists_the_prompts_tokens_by_id(table):
    with EndpointServer(table) as server:
        field = complete(server, f"{PROMPT} in Rome", prompt_logprobs=0)["prompt_logprobs"]
    assert field[0] is None
    last = [next(iter(entry.values())) for entry in field[-2:]]
    assert [one["decoded_token"] for one in last] == [" in", " Rome"]
    assert [one["logprob"] for one in last] == TABLE["values"]["b"]


def test_the_legacy_shape_knows_no_field(table):
    with EndpointServer(table, shape="legacy") as server:
        assert "prompt_logprobs" not in complete(server, prompt_logprobs=0)


def test_chat_turns_are_answered_and_continued(table):
    messages = [{"role": "user", "content": PROMPT}, {"role": "assistant", "content": "in Rome"}]
    with EndpointServer(table) as server:
        asked = {"max_tokens": 5, "temperature": 0}
        first = post(server, "/chat/completions", messages=messages[:1], **asked)
        field = post(
            server,
            "/chat/completions",
            messages=messages,
            continue_final_message=True,
            prompt_logprobs=0,
            **asked,
        )["prompt_logprobs"]
    assert first["choices"][0]["message"]["content"] == " in Rome"
    assert first["choices"][0]["finish_reason"] == "stop"
    assert [next(iter(entry.values()))["logprob"] for entry in field[-2:]] == TABLE["values"]["b"]


def test_a_stranger_gets_words_with_numbers_of_their_own(table):
    with EndpointServer(table) as server:
        choice = complete(server, "Once upon a time", logprobs=3, max_tokens=8)
    assert choice["logprobs"]["token_logprobs"] == pytest.approx(STRANGER_VALUES)
    assert all(len(top) == 3 for top in choice["logprobs"]["top_logprobs"])


def test_a_model_gives_what_one_forward_pass_gives(model):
    ids = model.encode("the river in Paris")
    given = model.given(ids)
    assert len(given) == len(ids) - 1
    names, row = model.following(ids[:-1])
    assert given[-1] == pytest.approx(row[ids[-1]], abs=1e-5)
    assert np.exp(row).sum() == pytest.approx(1.0, abs=1e-4)
    assert len(names) == len(row)


def test_equal_seeds_draw_equal_answers(model):
    with EndpointServer(model) as server:
        drawn = [
            complete(server, "the river", temperature=1.0, seed=seed, max_tokens=6)["text"]
            for seed in (1, 1, 2)
        ]
    assert drawn[0] == drawn[1] != drawn[2]


@pytest.mark.parametrize(
    ("faults", "status"), [({"busy": 1.0, "retry_after": 3}, 429), ({"broken": 1.0}, 500)]
)
def test_statuses_are_given_as_told(table, faults, status):
    with EndpointServer(table, faults=Faults(**faults)) as server, pytest.raises(HTTPError) as error:
        complete(server)
    assert error.value.code == status
    assert error.value.headers.get("Retry-After") == ("3" if status == 429 else None)
    error.value.close()


def test_truncation_drops_the_first_tokens_in_silence(table):
    with EndpointServer(table, faults=Faults(truncate=4)) as server:
        answer = post(server, "/completions", prompt=PROMPT, max_tokens=1, temperature=0)
    assert answer["usage"]["prompt_tokens"] == 4


def test_off_by_one_moves_every_value_one_token_on(table):
    text = f"{PROMPT} in Rome"
    with EndpointServer(table, shape="legacy", faults=Faults(off_by_one=True)) as server:
        found = complete(server, text, echo=True, logprobs=1, max_tokens=1)["logprobs"]["token_logprobs"]
    assert found[:2] == [None, None]
    assert found[-1] == TABLE["values"]["b"][0]


def test_jitter_differs_from_call_to_call(table):
    with EndpointServer(table, shape="legacy", faults=Faults(jitter=0.1)) as server:
        first, second = (complete(server, echo=True, logprobs=1)["logprobs"]["token_logprobs"] for _ in "ab")
    assert first != second


def test_passing_faults_come_in_their_shares_and_repeat_with_their_seed():
    def drawn(seed):
        source = FaultSource(Faults(busy=0.2, hang=0.05, seed=seed))
        return [source.passing(b"body") for _ in range(2000)]

    counts = Counter(drawn(0))
    assert counts["busy"] == pytest.approx(400, abs=60)
    assert counts["hang"] == pytest.approx(100, abs=35)
    assert drawn(0) == drawn(0) != drawn(1)
