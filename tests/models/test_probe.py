"""What is asked of a model before it is used."""

import pytest
import torch
from transformers import BertConfig, BertLMHeadModel

from boresight.errors import ModelError, ScoringError
from boresight.models.probe import require_causal
from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.toy_models import ARCHITECTURES, table_lm, tiny_model, toy_tokenizer


def bert(spread, *, decoder=False):
    torch.manual_seed(0)
    sizes = {"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = BertConfig(vocab_size=600, initializer_range=spread, is_decoder=decoder, **sizes)
    return BertLMHeadModel(config).eval()


@pytest.mark.parametrize(
    ("spread", "dtype"),
    [
        *((spread, torch.float32) for spread in (0.005, 0.02, 0.2)),
        (0.05, torch.bfloat16),
        (0.2, torch.float16),
    ],
)
def test_an_encoder_is_found_out_however_small_its_weights(spread, dtype):
    with pytest.raises(ModelError, match="looks ahead"):
        require_causal(bert(spread).to(dtype), "b")
    require_causal(bert(spread, decoder=True).to(dtype), "b")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_causal_model_passes_in_every_precision(name, dtype):
    require_causal(tiny_model(name, vocabulary=64).to(dtype), name)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_a_vocabulary_of_a_few_tokens_is_enough(size):
    require_causal(table_lm([[1 / size] * size] * size), "tiny")
    require_causal(tiny_model("llama", vocabulary=size), "tiny")


@pytest.mark.parametrize("window", [1, 4])
def test_a_window_of_a_few_tokens_is_enough(window):
    require_causal(tiny_model("gpt2", vocabulary=64, window=window), "short")


@pytest.mark.parametrize("value", ["nan", "inf"])
@pytest.mark.parametrize("layer", ["model.embed_tokens", "lm_head", "model.layers.1.mlp.down_proj"])
def test_weights_that_give_no_numbers_are_refused_with_the_real_reason(layer, value):
    model = tiny_model("llama", vocabulary=530)
    with torch.no_grad():
        model.get_submodule(layer).weight[1] = float(value)
    with pytest.raises(ModelError, match="toy gives NaN or infinity on device cpu in float32"):
        TransformersGenerator(model, toy_tokenizer(), name="toy")


def test_a_model_that_cannot_run_is_one_sentence(monkeypatch):
    model = tiny_model("llama", vocabulary=64)
    monkeypatch.delattr(model, "lm_head")
    with pytest.raises(ModelError, match="toy cannot read a short text"):
        require_causal(model, "toy")


def test_a_tokenizer_larger_than_the_model_is_refused_with_both_numbers():
    with pytest.raises(ModelError, match=r"tokenizer of toy knows \d{3} tokens and the model 100"):
        TransformersGenerator(tiny_model("llama", vocabulary=100), toy_tokenizer(), name="toy")


def test_added_tokens_beyond_the_model_are_let_pass_until_a_prompt_holds_one(request_of):
    tokenizer = toy_tokenizer()
    generator = TransformersGenerator(tiny_model("llama", vocabulary=len(tokenizer)), tokenizer, name="toy")
    tokenizer.add_special_tokens({"additional_special_tokens": ["<image>"]})
    model = tiny_model("llama", vocabulary=len(tokenizer) - 1)
    generator = TransformersGenerator(model, tokenizer, name="toy")
    image = tokenizer.convert_tokens_to_ids("<image>")
    assert generator.score([request_of([1, 2], [3])])
    for request in (request_of([1, image], [3]), request_of([1], [3, image])):
        with pytest.raises(ScoringError, match=rf"token '<image>' has id {image}, and toy knows ids below"):
            generator.score([request])
    with pytest.raises(ScoringError, match="has id"):
        generator.generate(request_of([1, image]), 2)
