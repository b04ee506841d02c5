"""A cache is trusted only where steps behind it give what one pass gives."""

import numpy as np
import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from boresight.models import logprobs
from boresight.models.cache_check import steps_agree
from boresight.models.logprobs import Step, TargetScorer
from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.toy_models import ARCHITECTURES, tiny_model, toy_tokenizer

VOCABULARY = 64
SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "intermediate_size": 64,
    "pad_token_id": 0,
}
FORGETFUL = {
    # starts its recurrent state anew with every call of more than one token
    "bamba": {"attn_layer_indices": [1], "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8}
    | {"mamba_n_groups": 1, "mamba_expand": 2, "attn_rotary_emb": 8},
    # gives no cache back
    "recurrent_gemma": {
        "lru_width": 32,
        "attention_window_size": 16,
        "block_types": ["recurrent", "attention"],
    },
    # the model ignores the window, its cache does not
    "llama": {"sliding_window": 32},
}


def build(kind, **settings):
    config = AutoConfig.for_model(kind, **SIZES | settings)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(config).eval()
        with torch.no_grad():
            for weights in model.parameters():
                if weights.dim() > 1:
                    weights.normal_(0, 0.15)
    return model


@pytest.fixture
def few_logits(monkeypatch):
    monkeypatch.setattr(logprobs, "MAX_LOGIT_BYTES", 4 * 4 * VOCABULARY)


@pytest.mark.parametrize("kind", FORGETFUL)
@pytest.mark.usefixtures("few_logits")
def test_a_model_whose_steps_differ_is_scored_in_one_pass(kind, naive):
    model = build(kind, **FORGETFUL[kind])
    scorer = TargetScorer(model)
    assert not scorer.takes_steps
    assert scorer.steps(79, 40) == [Step(0, 79, 40)]
    rng = np.random.default_rng(0)
    rows = [tuple(int(token) for token in rng.integers(3, VOCABULARY, 40)) for _ in range(4)]
    prompts, targets = rows[:2], rows[2:]
    for prompt, target, row in zip(prompts, targets, scorer.equal(prompts, targets), strict=True):
        assert row.numpy() == pytest.approx(naive(model, prompt, target), abs=1e-4)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_ordinary_architectures_may_run_in_steps_in_either_precision(name):
    model = tiny_model(name, vocabulary=VOCABULARY)
    assert TargetScorer(model).takes_steps
    assert TargetScorer(model.to(torch.bfloat16)).takes_steps


def test_looking_leaves_the_configuration_as_it_was():
    model = tiny_model("mistral", vocabulary=VOCABULARY, sliding_window=16)
    steps_agree(model, "past_key_values")
    assert model.config.sliding_window == 16


def test_how_long_targets_are_scored_is_on_record():
    sound, forgetful = (
        TransformersGenerator(model, toy_tokenizer(), name="toy").describe()["long_targets"]
        for model in (
            tiny_model("llama", vocabulary=530),
            build("llama", vocab_size=530, sliding_window=32),
        )
    )
    assert sound == "in steps behind a cached prompt"
    assert forgetful == "in one pass"
