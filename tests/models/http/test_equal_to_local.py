"""Values over HTTP are those of the local path, whatever the shape of the server."""

import numpy as np
import pytest

from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.toy_models import toy_tokenizer

from .conftest import requests_for, values

FORMS = [("vllm", True), ("legacy", True), ("vllm", False)]


@pytest.mark.parametrize(("shape", "named"), FORMS, ids=["vllm-ids", "echo-ids", "vllm-chat"])
def test_values_equal_the_local_path(opened, local, trace, shape, named):
    generator, _ = opened(shape=shape, named=named)
    assert generator.capabilities().value_kind == "prompt_logprobs"
    expected = values(local, trace)
    assert expected.shape[1] > 3
    assert np.ptp(expected.sum(axis=1)) > 0.1
    np.testing.assert_allclose(values(generator, trace), expected, atol=1e-4)


def test_plain_lines_with_echo_equal_a_local_model_without_a_template(opened, model, trace):
    generator, _ = opened(shape="legacy")
    assert generator.describe()["prompts"] == "plain lines"
    bare = TransformersGenerator(model, toy_tokenizer(template=None), name="base")
    np.testing.assert_allclose(values(generator, trace), values(bare, trace), atol=1e-4)


def test_text_of_a_named_tokenizer_is_sent_where_ids_are_refused(opened, local, trace):
    generator, server = opened(shape="vllm", named=True, refuse_ids=True)
    assert generator.describe()["prompts"] == "text"
    np.testing.assert_allclose(values(generator, trace), values(local, trace), atol=1e-4)
    assert isinstance(server.received[-1]["prompt"], str)


def test_forced_tokens_equal_the_local_path_where_all_are_listed(opened, local, trace, tokenizer):
    generator, _ = opened(f"value=generated_logprobs&top={len(tokenizer)}", shape="vllm", named=True)
    scored = generator.score(requests_for(generator, trace, "Paris"))
    for mine, theirs in zip(scored, local.score(requests_for(local, trace, "Paris")), strict=True):
        np.testing.assert_allclose(mine.logprobs["answer"], theirs.logprobs["answer"], atol=1e-4)
        assert (mine.lower["answer"] == mine.upper["answer"]).all()


@pytest.mark.parametrize("named", [True, False])
def test_a_generated_answer_is_the_local_one(opened, local, trace, named):
    generator, _ = opened(named=named)
    mine = generator.generate(requests_for(generator, trace)[3], 6)
    theirs = local.generate(requests_for(local, trace)[3], 6)
    assert mine.text.strip() == theirs.text.strip()
    assert not named or mine.token_ids == theirs.token_ids
