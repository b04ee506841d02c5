"""An endpoint's spec holds what may change a number, and never a secret."""

import pytest

from boresight.errors import SpecError
from boresight.models.http.limits import Key, Limits, find_key
from boresight.models.http.spec import EndpointSpec, parse_endpoint


def test_a_spec_names_address_and_model():
    spec = parse_endpoint("openai:http://localhost:8000#org/model:free")
    assert (spec.url, spec.model) == ("http://localhost:8000/v1", "org/model:free")
    assert spec.name == "openai:http://localhost:8000/v1#org/model:free"


def test_a_path_stays_as_it_is():
    assert parse_endpoint("openai:https://host/api/v2/#m").url == "https://host/api/v2"


def test_options_have_the_types_of_their_fields():
    spec = parse_endpoint("openai:http://h#m?tokenizer=hf:org/name&samples=8&temperature=0.5&window=4096")
    assert spec == EndpointSpec(
        "http://h/v1", "m", tokenizer="hf:org/name", samples=8, temperature=0.5, window=4096
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("openai:http://h", "names no model"),
        ("openai:h#m", "must begin with http"),
        ("openai:http://h#m?speed=3", "no option 'speed'; there are encoder, key_env,"),
        ("openai:http://h#m?samples=many", "samples must be a number, not 'many'"),
        ("openai:http://h#m?samples=0", "samples must be at least 1"),
        ("openai:http://h#m?temperature=0", "temperature must lie above 0"),
        ("openai:http://h#m?value=guess", "value must be one of prompt_logprobs"),
    ],
)
def test_a_wrong_spec_is_one_sentence(text, words):
    with pytest.raises(SpecError, match=words):
        parse_endpoint(text)


@pytest.mark.parametrize("text", ["openai:http://me:sk-secret@h#m", "openai:http://h?key=sk-secret#m"])
def test_an_address_with_a_secret_is_refused_without_repeating_it(text):
    with pytest.raises(SpecError, match="BORESIGHT_API_KEY") as refused:
        parse_endpoint(text)
    assert "sk-secret" not in str(refused.value)


def test_a_providers_key_goes_to_that_provider_alone():
    environment = {"OPENAI_API_KEY": "sk-1"}
    ours = find_key(parse_endpoint("openai:https://api.openai.com/v1#m"), environment)
    assert ours.header() == "Bearer sk-1"
    assert find_key(parse_endpoint("openai:http://localhost:1#m"), environment) is None


def test_a_named_variable_must_be_set():
    with pytest.raises(SpecError, match="should be in GATEWAY_KEY, which is not set"):
        find_key(parse_endpoint("openai:http://h#m?key_env=GATEWAY_KEY"), {"BORESIGHT_API_KEY": "x"})


def test_a_key_shows_itself_to_nobody():
    key = Key(" sk-secret\n", "BORESIGHT_API_KEY")
    assert "secret" not in f"{key!r} {key}"
    with pytest.raises(SpecError) as refused:
        Key("sk secret", "BORESIGHT_API_KEY")
    assert "secret" not in str(refused.value)


def test_limits_come_from_the_environment():
    environment = {"BORESIGHT_HTTP_MAX_CALLS": "7", "BORESIGHT_HTTP_TIMEOUT": "2.5"}
    assert Limits.from_environment(environment) == Limits(max_calls=7, timeout=2.5)


@pytest.mark.parametrize("text", ["many", "0", "-1"])
def test_a_limit_that_is_no_number_above_zero_is_refused(text):
    with pytest.raises(SpecError, match="BORESIGHT_HTTP_ATTEMPTS must be"):
        Limits.from_environment({"BORESIGHT_HTTP_ATTEMPTS": text})
