"""Turn a GGUF file of the Llama family into a folder that ``transformers`` loads.

Quantised blocks are unpacked to fp32 once by the ``gguf`` library; later loads read plain safetensors.
``transformers`` can read GGUF itself, but needs ``accelerate`` for it and splits digits unlike the original
tokenizer of SmolLM2, so the few renamings are written down here.

Sources: the GGUF specification, https://github.com/ggml-org/ggml/blob/master/docs/gguf.md; the row order of
query and key weights, ``LlamaModel.permute`` in llama.cpp's ``convert_hf_to_gguf.py``; the pre-tokenizer
``smollm``, ``llama-vocab.cpp`` there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from gguf import GGUFReader, dequantize
from safetensors import SafetensorError
from safetensors.numpy import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from boresight.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

_OUTSIDE_BLOCKS = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
_IN_BLOCK = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_CONTROL, _USER_DEFINED = 3, 4  # token types of the GGUF specification


def convert_gguf(source: Path, folder: Path) -> None:
    """Write config, generation config, tokenizer and fp32 safetensors of a GGUF file.

    Args:
        source: The GGUF file.
        folder: An existing folder for the results.

    Raises:
        ModelError: If the file is no GGUF, is of another model family, or lacks a tensor or an entry.
        OSError: If the results cannot be written.
    """
    fields, tensors = _read(source)
    _require(fields, "general.architecture", "llama", source)
    _require(fields, "tokenizer.ggml.model", "gpt2", source)
    _require(fields, "tokenizer.ggml.pre", "smollm", source)
    try:
        config = _config(fields, tied="output.weight" not in tensors)
        tokenizer = _tokenizer(fields)
    except KeyError as problem:
        raise ModelError(
            f"{source.name} lacks the GGUF entry {problem}, so it cannot be converted."
        ) from None
    _save_weights(tensors, config, folder, source)
    config.save_pretrained(folder)
    _generation_config(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _read(source: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    try:
        reader = GGUFReader(source)
    except (ValueError, IndexError, KeyError) as problem:  # what the library raises for other or cut files
        raise ModelError(f"{source.name} is not a readable GGUF file ({problem}).") from problem
    fields = {name: field.contents() for name, field in reader.fields.items()}
    return fields, {tensor.name: tensor for tensor in reader.tensors}


def _require(fields: dict[str, Any], key: str, wanted: str, source: Path) -> None:
    if fields.get(key) != wanted:
        raise ModelError(
            f"{source.name} has {key} = {fields.get(key)!r}, and only {wanted!r} can be converted; "
            "give a safetensors model instead."
        )


def _config(fields: dict[str, Any], *, tied: bool) -> Any:
    heads = fields["llama.attention.head_count"]
    width = fields["llama.embedding_length"]
    # Single precision in the file: its shortest decimal form is the number that was meant (1e-05).
    epsilon = float(str(np.float32(fields["llama.attention.layer_norm_rms_epsilon"])))
    return LlamaConfig(
        architectures=["LlamaForCausalLM"],
        dtype="float32",
        vocab_size=len(fields["tokenizer.ggml.tokens"]),
        hidden_size=width,
        intermediate_size=fields["llama.feed_forward_length"],
        num_hidden_layers=fields["llama.block_count"],
        num_attention_heads=heads,
        num_key_value_heads=fields["llama.attention.head_count_kv"],
        head_dim=fields.get("llama.attention.key_length", width // heads),
        max_position_embeddings=fields["llama.context_length"],
        rms_norm_eps=epsilon,
        rope_parameters={"rope_type": "default", "rope_theta": fields["llama.rope.freq_base"]},
        tie_word_embeddings=tied,
        bos_token_id=fields["tokenizer.ggml.bos_token_id"],
        eos_token_id=fields["tokenizer.ggml.eos_token_id"],
        pad_token_id=fields["tokenizer.ggml.padding_token_id"],
    )


def _generation_config(config: Any) -> Any:
    return GenerationConfig(
        bos_token_id=config.bos_token_id, eos_token_id=config.eos_token_id, pad_token_id=config.pad_token_id
    )


def _save_weights(tensors: dict[str, Any], config: Any, folder: Path, source: Path) -> None:
    weights = {_our_name(name): _unpack(tensor, config) for name, tensor in tensors.items()}
    for name, shape in _expected_shapes(config):
        found = weights[name].shape if name in weights else None
        if found != shape:
            raise ModelError(
                f"{source.name} has {name} of shape {found}, and its own settings ask for {shape}."
            )
    try:
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    except SafetensorError as problem:  # the library's own name for a full disk
        raise OSError(str(problem)) from problem


def _our_name(name: str) -> str:
    if name in _OUTSIDE_BLOCKS:
        return _OUTSIDE_BLOCKS[name]
    head, block, part, *suffix = name.split(".")
    if head != "blk" or part not in _IN_BLOCK:
        raise ModelError(
            f"The GGUF tensor {name} belongs to no plain Llama model, so it cannot be converted."
        )
    return ".".join(["model.layers", block, _IN_BLOCK[part], *suffix])


def _unpack(tensor: Any, config: Any) -> NDArray[np.float32]:
    weight: NDArray[np.float32] = np.asarray(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32)
    if ".attn_q." in tensor.name:
        return _unpermute(weight, config.num_attention_heads)
    if ".attn_k." in tensor.name:
        return _unpermute(weight, config.num_key_value_heads)
    return np.ascontiguousarray(weight)


def _unpermute(weight: NDArray[np.float32], heads: int) -> NDArray[np.float32]:
    """Undo llama.cpp's interleaving of the two rotary halves of each head.

    Args:
        weight: Shape (heads * head_dim, width), rows of a head interleaved as (half_dim, 2).
        heads: Query or key heads.

    Returns:
        The same rows with each head's first half before its second half.
    """
    rows, *rest = weight.shape
    pairs = weight.reshape(heads, rows // heads // 2, 2, *rest)
    return np.ascontiguousarray(pairs.swapaxes(1, 2).reshape(weight.shape))


def _expected_shapes(config: Any) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Name and shape of each weight that a model of this config loads."""
    with torch.device("meta"):  # shapes only: no memory, no random numbers drawn
        model = LlamaForCausalLM(config)
    for name, parameter in model.named_parameters():  # a tied output layer appears once
        yield name, tuple(parameter.shape)


def _tokenizer(fields: dict[str, Any]) -> Any:
    tokens = fields["tokenizer.ggml.tokens"]
    merges = [tuple(pair.split(" ")) for pair in fields["tokenizer.ggml.merges"]]
    backend = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    # Each digit alone, then GPT-2's pattern: what llama.cpp calls "smollm".
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    backend.decoder = decoders.ByteLevel()
    _add_control_tokens(backend, tokens, fields["tokenizer.ggml.token_type"])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend,
        bos_token=tokens[fields["tokenizer.ggml.bos_token_id"]],
        eos_token=tokens[fields["tokenizer.ggml.eos_token_id"]],
        unk_token=tokens[fields["tokenizer.ggml.unknown_token_id"]],
        pad_token=tokens[fields["tokenizer.ggml.padding_token_id"]],
        chat_template=fields.get("tokenizer.chat_template"),
        model_max_length=fields["llama.context_length"],
        clean_up_tokenization_spaces=False,
    )


def _add_control_tokens(backend: Any, tokens: list[str], types: list[int]) -> None:
    for token, kind in zip(tokens, types, strict=True):
        if kind == _CONTROL:
            backend.add_special_tokens([AddedToken(token, special=True, normalized=False)])
        elif kind == _USER_DEFINED:
            backend.add_tokens([AddedToken(token, special=False, normalized=False)])
