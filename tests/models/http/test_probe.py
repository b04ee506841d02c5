"""The probe believes nothing: each misbehaviour is found, in at most six calls."""

import pytest

from boresight.errors import ModelError
from boresight.models.http.generator import EndpointGenerator
from boresight.models.http.probe import MOST_CALLS
from boresight.testing.server_backends import ModelBackend
from boresight.testing.toy_models import toy_tokenizer

from .conftest import requests_for


def kind_and_notes(generator):
    described = generator.describe()
    return described["value_kind"], " | ".join(described["probe"]["notes"])


@pytest.mark.parametrize("shape", ["vllm", "legacy"])
@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("faults", [{}, {"ignore_echo": True}, {"null": True}, {"refuse_ids": True}])
def test_it_makes_at_most_six_calls(opened, shape, named, faults):
    _, server = opened(shape=shape, named=named, **faults)
    assert 0 < server.calls <= MOST_CALLS


def test_an_ignored_echo_leads_to_generated_tokens(opened):
    generator, _ = opened(shape="legacy", named=True, ignore_echo=True)
    kind, notes = kind_and_notes(generator)
    assert kind == "generated_logprobs"
    assert "the echo is ignored in silence" in notes


def test_without_a_tokenizer_an_ignored_echo_leads_to_new_answers(opened):
    generator, _ = opened(shape="legacy", ignore_echo=True)
    assert kind_and_notes(generator)[0] == "regenerate"


@pytest.mark.parametrize("shape", ["vllm", "legacy"])
def test_values_that_are_off_by_one_are_not_used(opened, shape):
    generator, _ = opened(shape=shape, named=True, off_by_one=True)
    kind, notes = kind_and_notes(generator)
    assert kind == "generated_logprobs"
    assert "null" in notes or "off by one" in notes


def test_null_log_probabilities_are_no_zeros(opened):
    generator, _ = opened(shape="legacy", named=True, null=True)
    kind, notes = kind_and_notes(generator)
    assert kind == "regenerate"
    assert "20 log-probabilities a token asked for, 0 came" in notes


@pytest.mark.parametrize("cap", [5, 20])
def test_a_cap_on_log_probabilities_is_seen(opened, cap):
    generator, _ = opened("top=40", shape="vllm", named=True, ignore_echo=True, cap=cap)
    kind, notes = kind_and_notes(generator)
    assert kind == "generated_logprobs"
    assert f"40 log-probabilities a token asked for, {cap} came" in notes


def test_a_server_that_cuts_prompts_off_is_refused(opened):
    with pytest.raises(ModelError, match=r"read 20 tokens of a prompt of \d+: it cuts prompts off"):
        opened(shape="vllm", named=True, truncate=20)


def test_a_vanished_system_turn_goes_into_the_users(opened, trace):
    generator, server = opened(shape="legacy", ignore_echo=True, drop_system=True)
    assert "the system turn vanishes" in kind_and_notes(generator)[1]
    generator.generate(requests_for(generator, trace)[3], 4)
    first, *rest = server.received[-1]["messages"]
    assert (first["role"], rest) == ("user", [])
    assert first["content"].startswith("Answer the question briefly, using the passages.\nPassage 1:")


def test_a_kept_system_turn_stays(opened, trace):
    generator, server = opened(shape="legacy", ignore_echo=True)
    generator.generate(requests_for(generator, trace)[3], 4)
    assert [one["role"] for one in server.received[-1]["messages"]] == ["system", "user"]


def test_without_counts_the_system_text_goes_to_the_user_to_be_safe(opened):
    generator, _ = opened(shape="legacy", ignore_echo=True, no_usage=True)
    assert generator.describe()["system_turn"] == "in the user's turn"


def test_jitter_is_no_reason_to_refuse_exact_values(opened):
    generator, _ = opened(shape="vllm", named=True, jitter=0.02)
    assert kind_and_notes(generator)[0] == "prompt_logprobs"


def test_a_kind_that_is_not_possible_is_refused_with_what_was_found(opened):
    with pytest.raises(ModelError, match=r"gives no prompt_logprobs: .*echo is ignored"):
        opened("value=prompt_logprobs", shape="legacy", named=True, ignore_echo=True)


def test_an_endpoint_that_has_neither_path_is_refused(opened):
    with pytest.raises(ModelError, match="neither to complete text nor to chat"):
        opened(refuse=("/v1/completions", "/v1/chat/completions"))


def test_text_to_which_the_server_adds_a_token_is_not_used(opened, model):
    other = ModelBackend(model, toy_tokenizer(bos=True))
    generator, _ = opened(named=True, behind=other, refuse_ids=True)
    kind, notes = kind_and_notes(generator)
    assert kind == "regenerate"
    assert "53 tokens were read of a prompt of 52, sent as text" in notes


def test_chat_alone_gives_new_answers_even_with_a_tokenizer(opened):
    generator, _ = opened(named=True, refuse=("/v1/completions",))
    assert kind_and_notes(generator)[0] == "regenerate"
    assert generator.describe()["prompts"] == "chat turns"


def test_completions_alone_get_plain_lines(opened):
    generator, _ = opened(refuse=("/v1/chat/completions",))
    assert kind_and_notes(generator)[0] == "prompt_logprobs"
    assert generator.describe()["prompts"] == "plain lines"


def test_a_second_generator_reads_the_stored_probe(opened, tmp_path):
    first, server = opened()
    before = server.calls
    spec = first.describe()["name"]
    second = EndpointGenerator.open(spec, probes=tmp_path / "probes")
    second.close()
    assert second.describe() == first.describe()
    assert server.calls == before
