import json
import struct
from types import SimpleNamespace

import huggingface_hub
import pytest
import torch
from huggingface_hub import errors as hub
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, BertConfig, BertLMHeadModel, T5Config, ViTConfig

from boresight.errors import ModelError, SpecError
from boresight.models import loading
from boresight.models.loading import available_memory, load_causal, weight_bytes
from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.toy_models import tiny_model, toy_tokenizer

DEFAULTS = {"dtype": "fp32", "device": "cpu", "revision": None}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    tokenizer = toy_tokenizer()
    tiny_model("llama", vocabulary=len(tokenizer)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def copied(saved, tmp_path):
    for file in saved.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def test_a_saved_model_scores_as_it_did_in_memory(saved, request_of):
    model = tiny_model("llama", vocabulary=len(toy_tokenizer()))
    in_memory = TransformersGenerator(model, toy_tokenizer(), name="toy")
    loaded = TransformersGenerator.load(str(saved), name="again")
    request = request_of([1, 2, 3], [4, 5])
    first, second = (one.score([request])[0].logprobs["t0"] for one in (in_memory, loaded))
    assert first == pytest.approx(second, abs=1e-6)
    assert loaded.describe()["name"] == "again"
    assert loaded.describe()["template"] == in_memory.describe()["template"]


@pytest.mark.parametrize(
    ("dtype", "expected"), [("fp32", torch.float32), ("bf16", torch.bfloat16), ("auto", torch.float32)]
)
def test_weights_come_in_the_dtype_that_was_asked_for(saved, dtype, expected):
    assert load_causal(str(saved), **DEFAULTS | {"dtype": dtype}).model.dtype == expected


def test_threads_are_set_only_when_asked_for(saved, monkeypatch):
    asked = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    TransformersGenerator.load(str(saved))
    TransformersGenerator.load(str(saved), threads=1)
    assert asked == [1]


def test_an_unknown_dtype_lists_the_known_ones(saved):
    with pytest.raises(SpecError, match="fp32, bf16, fp16, auto"):
        load_causal(str(saved), **DEFAULTS | {"dtype": "int3"})


def test_a_model_that_is_not_here_while_offline_says_what_to_do(monkeypatch):
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(
        ModelError, match="nobody/nothing is not on this machine and the hub cannot be reached"
    ):
        load_causal("nobody/nothing", **DEFAULTS)


def hub_error(kind):
    response = SimpleNamespace(headers={}, request=None, status_code=403)
    return kind("no", response=response)


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (hub_error(hub.GatedRepoError), "is gated: accept its terms .* `hf auth login`"),
        (hub_error(hub.RepositoryNotFoundError), "the hub has no model org/name"),
        (hub_error(hub.RevisionNotFoundError), "no such revision"),
    ],
)
def test_what_the_hub_refuses_is_said_with_the_way_out(monkeypatch, cause, words):
    def refuse(*_, **__):
        raise OSError("a long page of text") from cause

    monkeypatch.setattr(AutoConfig, "from_pretrained", refuse)
    with pytest.raises(ModelError, match=words):
        load_causal("org/name", **DEFAULTS)


def test_code_that_comes_with_a_checkpoint_is_never_run(copied):
    config = json.loads((copied / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForCausalLM": "own.Own"}}
    (copied / "config.json").write_text(json.dumps(config))
    (copied / "own.py").write_text("raise SystemExit('ran')")
    with pytest.raises(ModelError, match="code of its own"):
        load_causal(str(copied), **DEFAULTS)


def test_an_architecture_that_transformers_does_not_know_is_said(copied):
    (copied / "config.json").write_text('{"model_type": "not-invented-yet"}')
    with pytest.raises(ModelError, match="not-invented-yet"):
        load_causal(str(copied), **DEFAULTS)


def test_an_encoder_decoder_is_refused(tmp_path):
    T5Config().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="encoder-decoder"):
        load_causal(str(tmp_path), **DEFAULTS)


def test_an_encoder_with_a_language_head_is_refused(tmp_path):
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 1}
    model = BertLMHeadModel(BertConfig(vocab_size=530, initializer_range=0.2, **sizes))
    model.save_pretrained(tmp_path)
    toy_tokenizer().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="looks ahead"):
        load_causal(str(tmp_path), **DEFAULTS)


def test_a_vision_model_is_no_causal_language_model(tmp_path):
    ViTConfig().save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=r"\(vit\) is not a causal language model"):
        load_causal(str(tmp_path), **DEFAULTS)


def test_a_checkpoint_without_all_its_weights_is_refused(copied):
    weights = load_file(copied / "model.safetensors")
    del weights["model.layers.1.mlp.down_proj.weight"]
    save_file(weights, copied / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"lacks 1 weights \(model.layers.1.mlp.down_proj.weight"):
        load_causal(str(copied), **DEFAULTS)


@pytest.mark.parametrize("content", [b"", b"\x10\x00\x00\x00\x00\x00\x00\x00{}"])
def test_damaged_weights_are_one_sentence(copied, content):
    (copied / "model.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match="cannot be loaded"):
        load_causal(str(copied), **DEFAULTS)


def test_an_empty_folder_is_one_sentence(tmp_path):
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load_causal(str(tmp_path), **DEFAULTS)
    assert "\n" not in str(caught.value)


def test_a_model_larger_than_the_free_memory_is_refused_with_both_numbers(saved, monkeypatch):
    monkeypatch.setattr(loading, "available_memory", lambda _: 1024)
    with pytest.raises(ModelError, match=r"needs 0\.0 GiB for its weights, but 0\.0 GiB are free on cpu"):
        load_causal(str(saved), **DEFAULTS)


def test_weight_bytes_are_read_from_the_header_alone(tmp_path):
    header = json.dumps(
        {
            "__metadata__": {"format": "pt"},
            "a": {"dtype": "BF16", "shape": [3, 5], "data_offsets": [0, 30]},
            "b": {"dtype": "F32", "shape": [], "data_offsets": [30, 34]},
        }
    ).encode()
    file = tmp_path / "model.safetensors"
    file.write_bytes(struct.pack("<Q", len(header)) + header)  # the data itself is not there
    assert weight_bytes(file, "float32") == 16 * 4
    assert weight_bytes(file, "bfloat16") == 16 * 2
    assert weight_bytes(file, "auto") == 15 * 2 + 4


def test_free_memory_is_a_sane_number_of_bytes():
    free = available_memory("cpu")
    assert free is None or 2**20 < free < 2**50
