import pytest
import torch

from boresight.testing.toy_models import (
    ARCHITECTURES,
    CONTROL,
    TEMPLATES,
    UNFLAGGED_CONTROL,
    WORDS,
    table_lm,
    tiny_model,
    toy_tokenizer,
)

KINDS = ("bytes", "words", "unigram")


@pytest.mark.parametrize("kind", KINDS)
def test_every_word_is_one_token(kind):
    tokenizer = toy_tokenizer(kind)
    assert all(len(tokenizer(word, add_special_tokens=False)["input_ids"]) == 1 for word in WORDS)


@pytest.mark.parametrize("kind", KINDS)
def test_control_tokens_are_one_token_and_only_some_are_flagged(kind):
    tokenizer = toy_tokenizer(kind)
    for text in (*CONTROL, *UNFLAGGED_CONTROL):
        token = tokenizer.convert_tokens_to_ids(text)
        assert tokenizer.added_tokens_decoder[token].special == (text in CONTROL)


def test_byte_level_text_comes_back_as_it_was():
    tokenizer = toy_tokenizer()
    text = "Zürich 😀  the river\n\x00"
    assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


@pytest.mark.parametrize("bos", [True, False])
def test_the_tokenizer_adds_its_beginning_only_if_told_to(bos):
    tokenizer = toy_tokenizer(bos=bos)
    assert (tokenizer("the")["input_ids"][0] == tokenizer.bos_token_id) == bos


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_renders_a_question(template):
    turns = [{"role": "user", "content": "the river"}]
    text = toy_tokenizer(template=template).apply_chat_template(
        turns, tokenize=False, add_generation_prompt=True
    )
    assert text.count("the river") == 1


def test_an_own_template_and_none_are_taken():
    assert toy_tokenizer(template="{{ 'x' }}").chat_template == "{{ 'x' }}"
    assert toy_tokenizer(template=None).chat_template is None


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_tiny_model_is_small_causal_and_decided_by_its_seed(architecture):
    ids = torch.arange(24)[None]
    before = torch.random.get_rng_state()
    first, again, other = (tiny_model(architecture, seed) for seed in (0, 0, 1))
    assert torch.equal(torch.random.get_rng_state(), before)
    with torch.no_grad():
        logits, same, different = (model(ids).logits for model in (first, again, other))
        changed = first(torch.cat([ids[:, :-1], ids[:, :1]], 1)).logits
    assert sum(weights.numel() for weights in first.parameters()) < 200_000
    assert torch.equal(logits, same)
    assert not torch.allclose(logits, different)
    assert torch.allclose(logits[:, :-1], changed[:, :-1], atol=1e-5)
    assert float(logits.std()) > 0.1  # wide enough for differences to be seen


@pytest.mark.parametrize("architecture", ["mistral", "gemma2", "gemma3"])
def test_a_sliding_window_really_hides_early_tokens(architecture):
    """Two layers of window 4 see at most seven tokens, so the first of sixteen cannot reach the last."""
    model = tiny_model(architecture, sliding_window=4)
    wide = tiny_model(architecture, sliding_window=400)
    ids = torch.arange(16)[None]
    changed = torch.cat([torch.tensor([[99]]), ids[:, 1:]], 1)
    with torch.no_grad():
        hidden = [torch.equal(one(ids).logits[:, -1], one(changed).logits[:, -1]) for one in (model, wide)]
    assert hidden[1] is False
    if architecture == "mistral":  # the others have full layers in between
        assert hidden[0] is True


def test_an_unknown_architecture_lists_the_known_ones():
    with pytest.raises(ValueError, match="llama, mistral"):
        tiny_model("gpt9")


def test_a_table_model_answers_with_its_table_whatever_came_before():
    table = [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.25, 0.25, 0.5]]
    model = table_lm(table)
    with torch.no_grad():
        rows = model(torch.tensor([[2, 0, 1, 2]])).logits.softmax(-1)[0]
    assert rows.numpy() == pytest.approx(
        torch.tensor([table[2], table[0], table[1], table[2]]).numpy(), abs=1e-6
    )
