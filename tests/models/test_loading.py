import json
import os
import pickle
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest
import torch
from huggingface_hub import errors as hub
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, BertConfig, BertLMHeadModel, T5Config, ViTConfig

from boresight.errors import ModelError, SpecError
from boresight.models import loading
from boresight.models.encoder import load_encoder
from boresight.models.loading import load_causal
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
    ("dtype", "native", "expected"),
    [
        ("fp32", {"avx512_bf16": True}, torch.float32),
        ("bf16", {}, torch.bfloat16),
        ("auto", {"avx512_bf16": True}, torch.bfloat16),
        ("auto", {"avx512_bf16": False}, torch.float32),
    ],
)
def test_weights_come_in_the_dtype_that_was_asked_for(saved, dtype, native, expected, monkeypatch):
    monkeypatch.setattr("boresight.models.device._processor", lambda: native)
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
        (hub_error(hub.RepositoryNotFoundError), "org/name is unknown to the hub, or private"),
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
    with pytest.raises(ModelError, match=r"lacks the weight model\.layers\.1\.mlp\.down_proj\.weight;"):
        load_causal(str(copied), **DEFAULTS)


def config(**changes):
    def change(folder):
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    return change


def file(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def pickled(folder):
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"a": Path("a")}))


WEIGHTS = "model.safetensors"
DAMAGE = {
    "empty weights": (file(WEIGHTS, b""), "cut short"),
    "cut weights": (file(WEIGHTS, struct.pack("<Q", 16) + b"{}"), "cut short"),
    "git-lfs pointer": (file(WEIGHTS, b"version https://git-lfs.github.com/spec/v1\n"), "git-lfs pointer"),
    "web page": (file(WEIGHTS, b"<!DOCTYPE html><html>not found</html>"), "is a web page"),
    "all ones": (file(WEIGHTS, b"\xff" * 200), "cut short"),
    "header is a list": (
        file(WEIGHTS, struct.pack("<Q", 2) + b"[]"),
        "header of model.safetensors is damaged",
    ),
    "header of strings": (file(WEIGHTS, struct.pack("<Q", 9) + b'{"a":"b"}'), "is damaged"),
    "tokenizer is a list": (file("tokenizer.json", b"[]"), "tokenizer.json is damaged"),
    "tokenizer is bytes": (file("tokenizer.json", b"\xff\xfe\x00"), "tokenizer.json is damaged"),
    "settings are a list": (file("tokenizer_config.json", b" []"), "tokenizer_config.json is damaged"),
    "settings are cut": (file("tokenizer_config.json", b"{nope"), "text files is damaged"),
    "config is a list": (file("config.json", b"[]"), "config.json is damaged"),
    "other shapes": (config(hidden_size=64), "does not fit its weights"),
    "no heads": (config(num_attention_heads=0), "ZeroDivisionError"),
    "odd heads": (config(num_attention_heads=3), "not a multiple"),
    "text for a number": (config(hidden_size="x"), "expected int"),
    "no window": (config(max_position_embeddings=None), "max_position_embeddings"),
    "pad out of range": (config(pad_token_id=10**6), "Padding_idx"),
    "unknown dtype": (config(dtype="float99"), "float99"),
    "unknown activation": (config(hidden_act="foo"), "'foo' is missing or unknown"),
    "pickle": (pickled, "code in weights is never run"),
}


@pytest.mark.filterwarnings("ignore")  # the libraries warn before they fail
@pytest.mark.parametrize(
    "load", [lambda folder: load_causal(folder, **DEFAULTS), load_encoder], ids=["causal", "encoder"]
)
@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_folder_is_one_sentence_that_says_what_is_wrong(copied, name, load):
    damage, words = DAMAGE[name]
    damage(copied)
    with pytest.raises(ModelError, match=words) as caught:
        load(str(copied))
    assert str(copied) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_in_order_still_loads_as_either(copied):
    assert load_causal(str(copied), **DEFAULTS).model.dtype == torch.float32
    with pytest.warns(UserWarning, match="mean pooling is assumed"):
        assert load_encoder(str(copied)).dimension == 32


def test_an_end_of_sequence_that_is_a_text_is_said(copied):
    (copied / "generation_config.json").write_text('{"eos_token_id": "x"}')
    with pytest.raises(ModelError, match="give 'x' as end of sequence"):
        TransformersGenerator.load(str(copied))


@pytest.mark.parametrize("architecture", ["BertModel", "BertForMaskedLM"])
def test_an_encoder_is_told_its_place(tmp_path, architecture):
    BertConfig(architectures=[architecture]).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match=r"is an encoder \(bert\).* use it as the retriever"):
        load_causal(str(tmp_path), **DEFAULTS)


def test_a_local_folder_is_loaded_and_used_without_any_network(saved):
    code = """
import socket, sys
def refuse(*_, **__):
    raise SystemExit("the network was asked")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
import boresight
from boresight.models.registry import load_generator
generator = load_generator(sys.argv[1], threads=1)
trace = boresight.Trace("q", "Where?", (boresight.Passage("p", "In Paris."),), ("p",))
audit = boresight.audit([trace], generator=generator, max_new_tokens=2, out=sys.argv[2])
print(len(audit.passages))
"""
    out = saved / "run"
    environment = {key: value for key, value in os.environ.items() if key != "HF_HUB_OFFLINE"}
    done = subprocess.run(
        [sys.executable, "-c", code, saved, out], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "1"


def test_an_empty_folder_is_one_sentence(tmp_path):
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load_causal(str(tmp_path), **DEFAULTS)
    assert "\n" not in str(caught.value)


def test_a_model_larger_than_the_free_memory_is_refused_with_both_numbers(saved, monkeypatch):
    monkeypatch.setattr(loading, "available_memory", lambda _: 1024)
    with pytest.raises(ModelError, match=r"needs 0\.0 GiB for its weights, but 0\.0 GiB are free on cpu"):
        load_causal(str(saved), **DEFAULTS)
