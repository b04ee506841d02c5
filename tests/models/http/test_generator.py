"""An endpoint keeps the seam's promises beyond its numbers."""

import cloudpickle
import pytest

from boresight.errors import CallError, ScoringError, WindowError
from boresight.models.registry import load_generator
from boresight.testing.server_faults import Faults, FaultSource

from .conftest import requests_for


def test_the_registry_opens_an_endpoint(opened, monkeypatch, tmp_path):
    monkeypatch.setenv("BORESIGHT_CACHE", str(tmp_path))
    first, _ = opened()
    generator = load_generator(first.describe()["name"])
    assert generator.describe() == first.describe()
    assert list((tmp_path / "endpoints").iterdir())
    generator.close()


def test_a_prompt_without_room_in_the_window_is_refused(opened, trace):
    generator, server = opened("window=20", named=True)
    before = server.calls
    with pytest.raises(WindowError, match=r"the prompt has \d+ tokens and openai:.* takes 20"):
        generator.generate(requests_for(generator, trace)[3], 8)
    assert server.calls == before


def test_an_answer_that_fails_names_its_trace(opened, trace):
    generator, server = opened(named=True)
    request = requests_for(generator, trace)[3]
    server.source = FaultSource(Faults(broken=1.0))
    with pytest.raises(CallError, match=r"trace 'q1': .*status 500"):
        generator.generate(request, 8)


def test_reasoning_that_never_ends_is_no_answer(opened, trace, monkeypatch):
    generator, server = opened()
    request = requests_for(generator, trace)[3]
    plain = server.answerer.answer

    def thinking(path, body, data):
        answer = plain(path, body, data)
        answer["choices"][0]["message"]["content"] = "<think>hm"
        return answer

    monkeypatch.setattr(server.answerer, "answer", thinking)
    with pytest.raises(ScoringError, match="trace 'q1': the answer opens <think> and never closes it"):
        generator.generate(request, 8)


@pytest.mark.parametrize(
    ("options", "named", "calls"),
    [("", True, 1), ("value=generated_logprobs", True, None), ("value=regenerate&samples=3", False, 3)],
)
def test_the_calls_of_a_request_are_known_beforehand(opened, trace, options, named, calls):
    generator, server = opened(options, named=named)
    request = requests_for(generator, trace)[3]
    before = server.calls
    generator.score([request])
    assert server.calls - before == generator.calls_for(request)
    assert calls is None or generator.calls_for(request) == calls


def test_the_record_holds_no_key_and_plain_values_only(opened):
    import json

    described = opened()[0].describe()
    assert json.loads(json.dumps(described)) == described
    assert described["kind"] == "endpoint"


def test_the_prompt_can_be_read(opened, trace):
    generator, _ = opened()
    text = generator.decode(requests_for(generator, trace)[3].prompt_ids)
    assert text.startswith("<system>\nAnswer the question briefly, using the passages.\n<user>\nPassage 1:")


def test_scored_rows_can_be_sent_elsewhere(opened, trace):
    generator, _ = opened(named=True)
    scored = generator.score(requests_for(generator, trace))
    again = cloudpickle.loads(cloudpickle.dumps(scored))
    assert [one.logprobs["answer"].tolist() for one in again] == [
        one.logprobs["answer"].tolist() for one in scored
    ]
