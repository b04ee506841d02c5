"""Tokenizers and causal models small enough to build in a test: two layers, random or known weights.

They are real ``transformers`` objects, so that everything that works on them works on real checkpoints.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

TokenizerKind = Literal["bytes", "words", "unigram"]

_BEGIN, _END, _UNKNOWN = "<s>", "</s>", "<unk>"

_CHATML_TURN = (
    "{% for m in messages %}"
    "{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}"
    "{% endfor %}"
)
_CHATML_PROMPT = "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
_ALTERNATE = (
    "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}"
    "{% endif %}{% endfor %}"
)
_NO_SYSTEM = (
    "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
)
_GEMMA_TURN = (
    "{% for m in messages %}"
    "{{ '<start_of_turn>' + ('model' if m['role'] == 'assistant' else 'user') + '\n' }}"
    "{{ m['content'] | trim + '<end_of_turn>\n' }}"
    "{% endfor %}"
)

TEMPLATES: Mapping[str, str] = MappingProxyType(
    {
        # a system turn like any other
        "chatml": _CHATML_TURN + _CHATML_PROMPT,
        # BOS is part of the template
        "bos": "{{ bos_token }}" + _CHATML_TURN + _CHATML_PROMPT,
        # refuses a system turn, and turns that do not alternate; holds BOS
        "gemma": "{{ bos_token }}"
        + _NO_SYSTEM
        + _ALTERNATE
        + _GEMMA_TURN
        + "{% if add_generation_prompt %}{{ '<start_of_turn>model\n' }}{% endif %}",
        # markers that are plain words, with blanks around the content
        "inst": "{{ bos_token }}"
        + _NO_SYSTEM
        + _ALTERNATE
        + "{% for m in messages %}{% if m['role'] == 'user' %}{{ '[INST] ' + m['content'] + ' [/INST]' }}"
        + "{% else %}{{ ' ' + m['content'] + eos_token }}{% endif %}{% endfor %}",
        # leaves a system turn out without a word
        "silent": "{% for m in messages %}{% if m['role'] != 'system' %}"
        "{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>\n' }}{% endif %}{% endfor %}"
        + _CHATML_PROMPT,
        # thinks unless it is told not to
        "thinking": _CHATML_TURN
        + _CHATML_PROMPT
        + "{% if add_generation_prompt and enable_thinking is defined and enable_thinking is false %}"
        + "{{ '<think>\n\n</think>\n\n' }}{% endif %}",
        # opens its reasoning in the prompt, whatever it is told
        "opened": _CHATML_TURN
        + _CHATML_PROMPT
        + "{% if add_generation_prompt %}{{ '<think>\n' }}{% endif %}",
    }
)

CONTROL = ("<|im_start|>", "<|im_end|>", "<start_of_turn>", "<end_of_turn>")
UNFLAGGED_CONTROL = (
    "<think>",
    "</think>",
)  # added tokens that are not flagged special, as in real tokenizers
# fmt: off
WORDS = (
    "the", "a", "of", "in", "is", "was", "and", "to", "it", "on", "at", "answer", "question",
    "passage", "document", "using", "passages", "briefly", "user", "assistant", "system", "model",
    "river", "town", "bridge", "Paris", "Warsaw", "Marie", "Curie", "born", "where", "who", "which",
    "when", "city", "capital", "year", "one", "two",
)
# fmt: on

ARCHITECTURES = (
    "llama",
    "mistral",
    "qwen2",
    "qwen3",
    "gemma2",
    "gemma3",
    "gpt2",
    "gpt_neox",
    "opt",
    "phi",
    "mixtral",
    "bloom",
)


def toy_tokenizer(
    kind: TokenizerKind = "bytes",
    *,
    template: str | None = "chatml",
    bos: bool = False,
    pad: str | None = "<pad>",
    padding_side: str = "left",
    words: Sequence[str] = WORDS,
    window: int = 4096,
) -> Any:
    """A fast tokenizer, built in memory.

    Args:
        kind: ``bytes`` (byte-level BPE that knows some words), ``words`` (word level, with an unknown token)
            or ``unigram`` (with the blank prefix of SentencePiece, and ``</s>`` in the vocabulary itself).
        template: Name in ``TEMPLATES``, a Jinja template of your own, or None for a base model.
        bos: Whether the tokenizer itself puts ``<s>`` before a text.
        pad: Pad token; None for none, ``</s>`` to share the end of sequence.
        padding_side: ``left`` or ``right``.
        words: Words that are one token.
        window: ``model_max_length``.

    Returns:
        A ``PreTrainedTokenizerFast``; beginning and end are ``<s>`` and ``</s>``.
    """
    from tokenizers import AddedToken, processors
    from transformers import PreTrainedTokenizerFast

    engine = _ENGINES[kind](words)
    engine.add_special_tokens(["<s>", "</s>", *([pad] if pad else []), *CONTROL])
    engine.add_tokens([AddedToken(text, special=False, normalized=False) for text in UNFLAGGED_CONTROL])
    if bos:
        begin = [("<s>", engine.token_to_id("<s>"))]
        engine.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=begin)
    return PreTrainedTokenizerFast(
        tokenizer_object=engine,
        bos_token=_BEGIN,
        eos_token=_END,
        pad_token=pad,
        unk_token=None if kind == "bytes" else _UNKNOWN,
        chat_template=TEMPLATES.get(template, template) if template else None,
        padding_side=padding_side,
        model_max_length=window,
        clean_up_tokenization_spaces=False,
    )


def _bytes_engine(words: Sequence[str]) -> Any:
    """Byte-level BPE: 256 bytes, and merges that build each word letter by letter."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {letter: index for index, letter in enumerate(alphabet)}
    merges: dict[tuple[str, str], None] = {}
    for word in (form for plain in words for form in (plain, f"Ġ{plain}")):
        for end in range(1, len(word)):
            merges.setdefault((word[:end], word[end]))
            vocabulary.setdefault(word[: end + 1], len(vocabulary))
    # A whole word is looked up before merges are tried, else "is" would break "Paris" apart.
    engine = Tokenizer(models.BPE(vocab=vocabulary, merges=list(merges), ignore_merges=True))
    engine.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    engine.decoder = decoders.ByteLevel()
    return engine


def _words_engine(words: Sequence[str]) -> Any:
    """Word level: whatever is no known word is ``<unk>``."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    vocabulary = {
        word: index for index, word in enumerate(dict.fromkeys([*words, *".,:?!0123456789", _UNKNOWN]))
    }
    engine = Tokenizer(models.WordLevel(vocabulary, unk_token=_UNKNOWN))
    engine.pre_tokenizer = pre_tokenizers.Whitespace()
    return engine


def _unigram_engine(words: Sequence[str]) -> Any:
    """Unigram with the blank prefix of SentencePiece; the vocabulary itself holds ``</s>``."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = [chr(code) for code in (10, *range(33, 127))]
    pieces = dict.fromkeys(["<unk>", "<s>", "</s>", "▁", *letters, *words, *(f"▁{word}" for word in words)])
    scores = [(piece, -1.0 if len(piece) > 1 else -4.0) for piece in pieces]
    engine = Tokenizer(models.Unigram(scores, unk_id=0, byte_fallback=False))
    engine.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    engine.decoder = decoders.Metaspace(prepend_scheme="first", split=False)
    return engine


_ENGINES: Mapping[str, Callable[[Sequence[str]], Any]] = MappingProxyType(
    {"bytes": _bytes_engine, "words": _words_engine, "unigram": _unigram_engine}
)


def tiny_model(
    architecture: str,
    seed: int = 0,
    *,
    vocabulary: int = 512,
    std: float = 0.2,
    window: int = 512,
    sliding_window: int = 16,
) -> Any:
    """A random causal model of two layers.

    Args:
        architecture: A name in ``ARCHITECTURES``.
        seed: Seed of the weights; torch's own generator is left as it was.
        vocabulary: Size of the vocabulary.
        std: Standard deviation of the weights; wide, so that outputs differ clearly.
        window: Most positions.
        sliding_window: Attention span of the architectures that have one.

    Returns:
        The model in evaluation mode, fp32, on the CPU.

    Raises:
        ValueError: If the architecture is unknown.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    if architecture not in ARCHITECTURES:
        raise ValueError(f"unknown architecture {architecture!r}; choose one of {', '.join(ARCHITECTURES)}")
    kind = "gemma3_text" if architecture == "gemma3" else architecture
    config = AutoConfig.for_model(kind, **_settings(kind, vocabulary, window, sliding_window))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = AutoModelForCausalLM.from_config(config)
        with torch.no_grad():
            for weights in model.parameters():
                if weights.dim() > 1:
                    weights.normal_(0.0, std)
    return model.eval()


def _settings(kind: str, vocabulary: int, window: int, sliding_window: int) -> dict[str, Any]:
    """Configuration of one architecture, two layers and 32 dimensions."""
    base: dict[str, Any] = {
        "vocab_size": vocabulary,
        "bos_token_id": None,
        "eos_token_id": None,
        "pad_token_id": None,
    }
    if kind == "gpt2":
        return base | {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": window}
    if kind == "bloom":
        return base | {"hidden_size": 32, "n_layer": 2, "n_head": 2}
    common = base | {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "max_position_embeddings": window,
    }
    if kind == "opt":
        return common | {"ffn_dim": 64, "word_embed_proj_dim": 32}
    if kind == "gpt_neox":
        return common | {"intermediate_size": 64}
    extra = {"intermediate_size": 64, "num_key_value_heads": 1, "head_dim": 16}
    per_kind: dict[str, dict[str, Any]] = {
        "mistral": {"sliding_window": sliding_window},
        "mixtral": {"sliding_window": None, "num_local_experts": 4, "num_experts_per_tok": 2},
        "gemma2": {"sliding_window": sliding_window, "query_pre_attn_scalar": 16},
        "gemma3_text": {"sliding_window": sliding_window, "query_pre_attn_scalar": 16},
        "phi": {"partial_rotary_factor": 0.5},
    }
    return common | extra | per_kind.get(kind, {})


def table_lm(table: Sequence[Sequence[float]]) -> Any:
    """A causal model whose next-token probabilities are a table: a Llama with weights set by hand.

    Args:
        table: Row t holds the probabilities after token t; shape (V, V), positive, rows summing to 1.

    Returns:
        The model in evaluation mode, fp32; it answers every prompt from the last token alone.
    """
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    size = len(table)
    width = 2 * size  # even, as rotary positions need
    config = LlamaConfig(
        vocab_size=size,
        hidden_size=width,
        intermediate_size=2,
        num_hidden_layers=1,
        num_attention_heads=1,
        max_position_embeddings=512,
        rms_norm_eps=1e-12,
        tie_word_embeddings=False,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=None,
    )
    model = LlamaForCausalLM(config)
    with torch.no_grad():
        layer = model.model.layers[0]
        layer.self_attn.o_proj.weight.zero_()  # attention adds nothing
        layer.mlp.down_proj.weight.zero_()  # nor does the feed-forward block
        model.model.embed_tokens.weight.copy_(torch.eye(size, width))
        model.model.norm.weight.fill_(width**-0.5)  # undoes the norm of a one-hot vector
        model.lm_head.weight.zero_()
        model.lm_head.weight[:, :size] = torch.tensor(table, dtype=torch.float32).log().T
    return model.eval()
