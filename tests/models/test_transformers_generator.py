import json
import pickle

import numpy as np
import pytest
import torch

from boresight.errors import ModelError, ScoringError, WindowError
from boresight.models.prompts import BORESIGHT
from boresight.models.seam import Capabilities
from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.toy_models import tiny_model, toy_tokenizer


def test_requests_come_back_in_their_order_whatever_their_lengths(make_generator, request_of, naive):
    generator = make_generator()
    requests = [request_of([5] * size, [7, 8, 9], [3]) for size in (4, 2, 4, 3, 2)]
    scored = generator.score(requests)
    assert [entry.request for entry in scored] == requests
    for entry in scored:
        for target in entry.request.targets:
            expected = naive(generator.model, entry.request.prompt_ids, target.token_ids)
            assert entry.logprobs[target.id] == pytest.approx(expected, abs=1e-5)
            assert entry.logprobs[target.id].dtype == np.float32


def test_each_target_is_scored_as_if_it_stood_alone(make_generator, request_of):
    generator = make_generator()
    together = generator.score([request_of([1, 2], [3, 4], [5])])[0].logprobs
    alone = [generator.score([request_of([1, 2], ids)])[0].logprobs["t0"] for ids in ([3, 4], [5])]
    assert together["t0"] == pytest.approx(alone[0], abs=1e-6)
    assert together["t1"] == pytest.approx(alone[1], abs=1e-6)


def test_a_coalition_scored_alone_and_in_a_batch_of_sixteen_is_the_same(make_generator, request_of):
    generator = make_generator()
    requests = [request_of([token] * 30, [7] * 5) for token in range(16)]
    for alone, batched in zip(requests, generator.score(requests), strict=True):
        assert generator.score([alone])[0].logprobs["t0"] == pytest.approx(batched.logprobs["t0"], abs=1e-5)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("pad", ["<pad>", "</s>", None])
def test_the_callers_padding_side_and_pad_token_change_nothing(request_of, pad, side):
    tokenizer = toy_tokenizer(pad=pad, padding_side=side)
    generator = TransformersGenerator(tiny_model("llama", vocabulary=530), tokenizer, name="toy")
    end = tokenizer.eos_token_id
    requests = [
        request_of([1, end, 2, end], [4, 5]),
        request_of([3] * 9, [4, 5]),
        request_of([end], [4, 5, 6]),
    ]
    for alone, together in zip(generator.score(requests), generator.score_together(requests), strict=True):
        assert together.logprobs["t0"] == pytest.approx(alone.logprobs["t0"], abs=1e-4)
    assert tokenizer.padding_side == side


def test_an_empty_target_has_no_values_and_a_batch_goes_on(make_generator, request_of):
    generator = make_generator()
    for score in (generator.score, generator.score_together):
        empty, full = score([request_of([1, 2], []), request_of([1, 2], [3])])
        assert empty.logprobs["t0"].shape == (0,)
        assert full.logprobs["t0"].shape == (1,)


def test_a_prompt_that_ends_inside_a_word_keeps_its_ids(make_generator, request_of):
    """A tokenizer would join "Ans" and "wer" into one token; they are scored as they were split."""
    generator = make_generator(words=("Ans", "wer", "Answer"))
    prompt, target = (generator.encode_target("q1", text)[0] for text in ("Ans", "wer"))
    joined = generator.encode_target("q1", "Answer")[0]
    assert (len(prompt), len(target), len(joined)) == (1, 1, 1)
    assert generator.score([request_of(prompt, target)])[0].logprobs["t0"].shape == (1,)


@pytest.mark.parametrize("kind", ["bytes", "words", "unigram"])
@pytest.mark.parametrize("text", ["  Paris \n", "Hello .", "a </think> b", "<|im_end|>"])
def test_a_recorded_target_is_stripped_and_its_control_tokens_are_split(make_generator, kind, text):
    generator = make_generator(kind)
    ids, spans = generator.encode_target("q1", text)
    expected = toy_tokenizer(kind)(text.strip(), add_special_tokens=False, split_special_tokens=True)[
        "input_ids"
    ]
    if "think" not in text:  # transformers splits flagged control tokens only
        assert list(ids) == expected
    assert not set(ids) & {
        generator._assembler.tokenizer.convert_tokens_to_ids(t) for t in ("</think>", "<|im_end|>")
    }
    assert "".join(text.strip()[low:high] for low, high in spans) == text.strip()


def test_end_of_turn_is_added_only_when_asked_for(make_generator):
    generator = make_generator()
    plain, _ = generator.encode_target("q1", "Paris")
    ended, spans = generator.encode_target("q1", "Paris", end=True)
    assert ended == (*plain, toy_tokenizer().convert_tokens_to_ids("<|im_end|>"))
    assert spans[-1] == (5, 5)


def test_asking_for_the_end_of_a_model_without_one_is_an_error():
    tokenizer = toy_tokenizer(template=None)
    tokenizer.eos_token = None
    generator = TransformersGenerator(tiny_model("llama", vocabulary=530), tokenizer, name="toy")
    with pytest.raises(ScoringError, match="no end-of-turn"):
        generator.encode_target("q1", "Paris", end=True)


def test_a_target_of_one_token_works_for_a_tokenizer_without_beginning_of_sequence(request_of):
    tokenizer = toy_tokenizer(template=None)
    tokenizer.bos_token = None
    generator = TransformersGenerator(tiny_model("llama", vocabulary=530), tokenizer, name="toy")
    ids, _ = generator.encode_target("q1", "Paris")
    assert len(ids) == 1
    assert generator.score([request_of([1], ids)])[0].logprobs["t0"].shape == (1,)


def test_a_value_that_is_not_finite_names_device_and_coalition(request_of):
    model = tiny_model("llama", vocabulary=530)
    generator = TransformersGenerator(model, toy_tokenizer(), name="toy")
    with torch.no_grad():
        model.lm_head.weight[9] = float("nan")
    with pytest.raises(ScoringError, match=r"trace 'q1', coalition \{p1, p3\}: .* device cpu"):
        generator.score([request_of([1, 2], [3], players=("p1", "p3"))])


def test_prompt_and_target_beyond_the_window_are_refused_with_both_numbers(request_of):
    generator = TransformersGenerator(
        tiny_model("gpt2", vocabulary=530, window=8), toy_tokenizer(), name="toy"
    )
    assert generator.score([request_of([1] * 6, [2, 3])])
    with pytest.raises(WindowError, match="9 tokens and toy takes 8"):
        generator.score([request_of([1] * 6, [2, 3, 4])])


def test_a_lack_of_memory_is_a_failed_trace_and_other_faults_are_not_hidden(
    make_generator, request_of, monkeypatch
):
    generator = make_generator()

    def fail(message):
        def forward(**_):
            raise RuntimeError(message)

        monkeypatch.setattr(generator.model, "forward", forward)

    fail("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")
    with pytest.raises(ScoringError, match="memory on cpu does not suffice for 2 prompt tokens"):
        generator.score([request_of([1, 2], [3])])
    fail("something else")
    with pytest.raises(RuntimeError, match="something else"):
        generator.score([request_of([1, 2], [3])])


def test_an_empty_prompt_is_refused(make_generator, request_of):
    with pytest.raises(ScoringError, match="prompt is empty"):
        make_generator().score([request_of([], [3])])


@pytest.mark.parametrize(
    ("model_window", "tokenizer_window", "expected"), [(64, 4096, 64), (64, 32, 32), (64, int(1e30), 64)]
)
def test_the_window_is_the_smaller_sane_one(trace, model_window, tokenizer_window, expected):
    tokenizer = toy_tokenizer(window=tokenizer_window)
    model = tiny_model("llama", vocabulary=530, window=model_window)
    generator = TransformersGenerator(model, tokenizer, name="toy")
    assert generator.prepare(trace, BORESIGHT).window == expected
    assert generator.describe()["window"] == expected


def test_a_model_with_relative_positions_has_no_window_of_its_own(trace):
    generator = TransformersGenerator(
        tiny_model("bloom", vocabulary=530), toy_tokenizer(window=int(1e30)), name="toy"
    )
    assert generator.prepare(trace, BORESIGHT).window is None


def test_the_description_is_json_and_names_what_matters(make_generator):
    described = json.loads(json.dumps(make_generator().describe(), allow_nan=False))
    assert described["architecture"] == "LlamaForCausalLM"
    assert (described["dtype"], described["device"]) == ("float32", "cpu")
    assert described["template"]["kind"] == "chat"
    assert described["segmentation"]["equal"]
    assert described == pickle.loads(pickle.dumps(make_generator().describe()))  # noqa: S301
    assert not {"weights_sha256", "package"} & set(described)  # no carrier's folder
    assert described["engine"].startswith("tree")
    capabilities = make_generator().capabilities()
    assert capabilities == Capabilities(packs=capabilities.packs)
    assert capabilities.packs.tokens == 1024


def test_the_callers_tokenizer_is_never_changed(trace, request_of):
    tokenizer = toy_tokenizer(padding_side="right")
    before = (tokenizer.backend_tokenizer.to_str(), tokenizer.padding_side, tokenizer.pad_token)
    generator = TransformersGenerator(tiny_model("llama", vocabulary=530), tokenizer, name="toy")
    generator.prepare(trace, BORESIGHT)
    generator.score_together([request_of([1], [2]), request_of([1, 2], [3])])
    generator.generate(request_of([1, 2]), 3)
    assert (tokenizer.backend_tokenizer.to_str(), tokenizer.padding_side, tokenizer.pad_token) == before


def test_an_encoder_decoder_is_refused():
    from transformers import T5Config, T5ForConditionalGeneration

    model = T5ForConditionalGeneration(
        T5Config(vocab_size=32, d_model=8, d_ff=8, num_layers=1, num_heads=1, d_kv=8)
    )
    with pytest.raises(ModelError, match="encoder-decoder"):
        TransformersGenerator(model, toy_tokenizer(), name="toy")


def test_a_model_that_looks_ahead_is_refused():
    from transformers import BertConfig, BertLMHeadModel

    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 1}
    config = BertConfig(vocab_size=32, initializer_range=0.2, **sizes)
    with pytest.raises(ModelError, match="looks ahead"):
        TransformersGenerator(BertLMHeadModel(config), toy_tokenizer(), name="toy")


def test_scoring_twice_gives_the_same_bits(make_generator, request_of):
    generator = make_generator()
    requests = [request_of([3] * 20, [4] * 6)] * 2
    first, second = (generator.score(requests)[0].logprobs["t0"] for _ in range(2))
    assert first.tobytes() == second.tobytes()
