from itertools import pairwise

import pytest
import torch
from transformers import GenerationConfig

from boresight.errors import ModelError, ScoringError, WindowError
from boresight.models.greedy import GreedyDecoder
from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.toy_models import table_lm, tiny_model, toy_tokenizer


def chain(tokenizer, *texts):
    """A model that writes the texts' tokens one after another, each token following from the one before."""
    ids = [token for text in texts for token in tokenizer(text, add_special_tokens=False)["input_ids"]]
    assert len(set(ids)) == len(ids), "a chain repeats no token"
    size = len(tokenizer)
    table = torch.full((size, size), 1e-4)
    for here, following in pairwise(ids):
        table[here, following] = 1.0
    return table_lm((table / table.sum(1, keepdim=True)).tolist()), ids


def answer(tokenizer, *texts, tokens=32, start=1):
    model, ids = chain(tokenizer, *texts)
    generator = TransformersGenerator(model, tokenizer, name="toy")
    return GreedyDecoder(model, tokenizer, generator._assembler.end_of_turn).answer(
        tuple(ids[:start]), tokens
    ), ids


def test_an_answer_is_exactly_the_generated_ids_without_end_of_turn():
    found, ids = answer(toy_tokenizer(), "Paris", " city", " of", "<|im_end|>")
    assert found.token_ids == tuple(ids[1:-1])
    assert found.text == " city of"
    assert found.finished
    assert found.offsets == ((0, 5), (5, 8))


@pytest.mark.parametrize("end", ["</s>", "<|im_end|>", "<end_of_turn>"])
def test_an_answer_ends_at_every_end_that_checkpoint_tokenizer_or_template_name(end):
    tokenizer = toy_tokenizer()
    model, ids = chain(tokenizer, "Paris", " city", end, " of", " town")
    model.generation_config.eos_token_id = [tokenizer.convert_tokens_to_ids("<end_of_turn>")]
    end_of_turn = tokenizer.convert_tokens_to_ids("<|im_end|>")
    found = GreedyDecoder(model, tokenizer, end_of_turn).answer((ids[0],), 8)
    assert (found.text, found.finished) == (" city", True)


def test_an_answer_that_meets_the_token_limit_is_not_finished():
    found, _ = answer(toy_tokenizer(), "Paris", " city", " of", "<|im_end|>", tokens=2)
    assert (found.text, found.finished) == (" city of", False)


def test_an_answer_can_be_empty():
    found, _ = answer(toy_tokenizer(), "Paris", "<|im_end|>")
    assert (found.text, found.token_ids, found.offsets, found.finished) == ("", (), (), True)


def test_tokens_that_share_an_emoji_have_spans_that_rebuild_the_text():
    found, _ = answer(toy_tokenizer(), "Paris", " 🙂", " town", "<|im_end|>")
    assert found.text == " 🙂 town"
    assert "".join(found.text[low:high] for low, high in found.offsets) == found.text
    assert len(found.offsets) == len(found.token_ids)


def test_reasoning_that_the_model_writes_is_split_off():
    found, ids = answer(
        toy_tokenizer(), "Paris", "<think>", "\n", " river", "</think>", " ", " city", "<|im_end|>"
    )
    assert found.thoughts == "river"
    assert found.text == " city"
    assert found.token_ids == (ids[-2],)


def test_reasoning_that_is_not_closed_in_time_is_an_error():
    with pytest.raises(ScoringError, match="never closes it"):
        answer(toy_tokenizer(), "Paris", "<think>", " river", " town", tokens=2)


def test_reasoning_tags_that_the_model_does_not_know_are_its_answer():
    tokenizer = toy_tokenizer()
    model, ids = chain(tokenizer, "Paris", "<think>", " river", " town")
    found = GreedyDecoder(model, tokenizer, None, ()).answer((ids[0],), 2)
    assert (found.text, found.thoughts) == ("<think> river", None)


def test_a_tag_inside_an_answer_is_part_of_it():
    found, _ = answer(toy_tokenizer(), "Paris", " river", "<think>", " town", "<|im_end|>")
    assert (found.text, found.thoughts) == (" river<think> town", None)


def test_an_end_of_sequence_that_is_no_number_is_refused():
    tokenizer = toy_tokenizer()
    model = tiny_model("llama", vocabulary=len(tokenizer))
    model.generation_config.eos_token_id = ["x"]
    with pytest.raises(ModelError, match="'x' as end of sequence"):
        GreedyDecoder(model, tokenizer, None)


def test_settings_of_the_checkpoint_do_not_reach_greedy_answers():
    tokenizer = toy_tokenizer()
    model = tiny_model("llama", vocabulary=len(tokenizer))
    prompt = (1, 2, 3)
    plain = GreedyDecoder(model, tokenizer, None).answer(prompt, 12)
    inherited = GenerationConfig(
        do_sample=True,
        temperature=5.0,
        repetition_penalty=9.0,
        no_repeat_ngram_size=1,
        suppress_tokens=list(plain.token_ids),
    )
    model.generation_config = inherited
    assert GreedyDecoder(model, tokenizer, None).answer(prompt, 12) == plain
    assert model.generation_config is inherited


@pytest.mark.parametrize("pad", ["</s>", None, "<pad>"])
def test_a_prompt_that_holds_the_pad_token_is_read_in_full(pad):
    """With end of sequence as pad token, masks that are guessed from ids would hide part of the prompt."""
    tokenizer = toy_tokenizer(pad=pad)
    model = tiny_model("llama", vocabulary=len(tokenizer))
    prompt = (4, tokenizer.eos_token_id, 9, tokenizer.eos_token_id)
    ids = list(prompt)
    with torch.no_grad():
        for _ in range(6):
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
    assert list(GreedyDecoder(model, tokenizer, None).answer(prompt, 6).token_ids) == ids[4:]


def test_the_prompt_must_leave_room_in_the_window(request_of):
    tokenizer = toy_tokenizer()
    generator = TransformersGenerator(
        tiny_model("gpt2", vocabulary=len(tokenizer), window=8), tokenizer, name="toy"
    )
    assert len(generator.generate(request_of([3] * 6), 99).token_ids) <= 2
    with pytest.raises(WindowError, match="has 8 tokens and toy takes 8"):
        generator.generate(request_of([3] * 8), 99)


def test_an_error_names_the_trace(request_of):
    tokenizer = toy_tokenizer()
    model, ids = chain(tokenizer, "Paris", "<think>", " river", " town")
    with pytest.raises(ScoringError, match="trace 'q1'"):
        TransformersGenerator(model, tokenizer, name="toy").generate(request_of(ids[:1]), 2)
