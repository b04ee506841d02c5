"""Packs give what one-by-one scoring gives, on every listed architecture."""

import copy
import threading
from dataclasses import replace
from functools import cache
from itertools import permutations

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM

from boresight.errors import ScoringError, WindowError
from boresight.game import ContextGame
from boresight.game.tree import lay_out
from boresight.models import transformers_generator
from boresight.models.logprobs import TargetScorer
from boresight.models.packing import PackLimits
from boresight.models.transformers_generator import TransformersGenerator
from boresight.models.tree_scorer import TreeScorer
from boresight.models.tree_support import tree_scorer
from boresight.testing.toy_models import tiny_model, toy_tokenizer
from boresight.trace import Passage, Trace
from tree_helpers import random_game, random_ids, request, with_guest

VOCABULARY = 80
WINDOW = 16  # prompts below have up to 65 tokens
NATS = 1e-4
TIGHT = PackLimits(batch=10**6, tokens=7, predictions=3)  # cuts passages and answers in the middle
MIDDLE = PackLimits(batch=10**6, tokens=48, predictions=5)
WIDE = PackLimits(batch=10**6, tokens=10**6, predictions=10**6)

SLIDING = {  # architectures whose windows tiny_model leaves out
    "qwen2-sliding": {"use_sliding_window": True, "layer_types": ["sliding_attention", "full_attention"]},
    "qwen3-sliding": {"use_sliding_window": True, "layer_types": ["full_attention", "sliding_attention"]},
    "mixtral-sliding": {},
    "gemma2-both": {"layer_types": ["sliding_attention", "full_attention"]},
    "gemma3-both": {"layer_types": ["sliding_attention", "full_attention"]},
}
NAMES = (
    "llama", "mistral", "mixtral", "qwen2", "qwen3", "gemma2", "gemma3", "gpt2", "gpt_neox", "opt", "phi",
    *SLIDING,
)  # fmt: skip


def build(name, vocabulary=VOCABULARY):
    plain = tiny_model(name.partition("-")[0], vocabulary=vocabulary, sliding_window=WINDOW)
    if name not in SLIDING:
        return plain
    config = copy.deepcopy(plain.config)
    for field, value in {"sliding_window": WINDOW, **SLIDING[name]}.items():
        setattr(config, field, value)
    model = AutoModelForCausalLM.from_config(config).eval()
    model.load_state_dict(plain.state_dict())
    return model


@pytest.fixture(scope="module")
def models():
    return {name: build(name) for name in NAMES}


@pytest.fixture(scope="module")
def everything():
    """Coalitions, orders and closed book, each with targets of one and four tokens; then guests."""
    own = random_game(0)
    orders = random_game(0, orders=list(permutations(range(4)))[5::7])
    rng = np.random.default_rng(1)
    closed = request(random_ids(rng, 7), random_ids(rng, 1), random_ids(rng, 4), game="closed_book")
    return [*own, *orders, closed], with_guest(own, random_ids(rng, 19))


@pytest.fixture(scope="module")
def one_by_one(models, everything):
    """By architecture: log-probabilities by request and target, each from a plain call of the model alone."""

    @cache
    def score(name):
        return {
            (index, target.id): alone(models[name], one.prompt_ids, target.token_ids)
            for index, one in enumerate((*everything[0], *everything[1]))
            for target in one.targets
        }

    return score


def alone(model, prompt, target):
    with torch.no_grad():
        rows = model(torch.tensor([[*prompt, *target]])).logits[0].float().log_softmax(-1)
    return np.array([rows[len(prompt) - 1 + step, token] for step, token in enumerate(target)])


def scorer_of(model):
    scorer = tree_scorer(model, TargetScorer(model).cache)
    assert isinstance(scorer, TreeScorer), scorer
    return scorer


def counted(monkeypatch, model):
    """Rows of the input and of the logits, call by call."""
    calls = []
    forward = model.forward

    def watched(**given):
        output = forward(**given)
        calls.append((given["input_ids"].shape[1], output.logits.shape[1]))
        return output

    monkeypatch.setattr(model, "forward", watched)
    return calls


@pytest.mark.parametrize("limits", [TIGHT, MIDDLE, WIDE], ids=["tight", "middle", "wide"])
@pytest.mark.parametrize("name", NAMES)
def test_packs_equal_one_by_one_scoring(models, everything, one_by_one, name, limits):
    expected, scorer = one_by_one(name), scorer_of(models[name])
    batch = lay_out(everything[0], limits, everything[1])
    with pytest.MonkeyPatch.context() as patch:
        calls = counted(patch, models[name])
        rows = scorer.score(batch)
    assert len(calls) == len(batch.packs)  # the fast path, and nothing else
    assert max(size for size, _ in calls) <= limits.tokens
    assert rows.keys() == expected.keys()
    for key, row in expected.items():
        assert rows[key].dtype == np.float32
        assert rows[key] == pytest.approx(row, abs=NATS)


@pytest.mark.parametrize("name", ["llama", "gemma3-both"])
def test_eager_attention_gives_the_same(models, everything, one_by_one, name):
    model = models[name]
    model.set_attn_implementation("eager")
    try:
        rows = scorer_of(model).score(lay_out(everything[0], MIDDLE, everything[1]))
    finally:
        model.set_attn_implementation("sdpa")
    for key, row in one_by_one(name).items():
        assert rows[key] == pytest.approx(row, abs=NATS)


def test_packs_are_cut_inside_passages_and_answers(everything):
    """What the equality above is worth: the tight layout cuts what the wide one reads in one piece."""
    tight, wide = (lay_out(everything[0], limits) for limits in (TIGHT, WIDE))
    assert len(tight.pieces) > len(wide.pieces)
    assert max(len(pack.held) for pack in tight.packs) > 3
    assert any(ask.first > 0 for pack in tight.packs for ask in pack.asks)
    assert any(not pack.asks for pack in tight.packs)


def test_no_row_over_the_vocabulary_exists_that_nobody_asks_for(models, everything, monkeypatch):
    batch = lay_out(everything[0], TIGHT)
    scorer = scorer_of(models["llama"])
    calls = counted(monkeypatch, models["llama"])
    scorer.score(batch)
    assert max(kept for _, kept in calls) <= TIGHT.predictions


def test_half_precision_stays_within_its_rounding(everything, one_by_one, models):
    model = copy.deepcopy(models["llama"]).to(torch.bfloat16)
    rows = scorer_of(model).score(lay_out(everything[0], MIDDLE))
    gaps = [np.abs(rows[key] - row).max() for key, row in one_by_one("llama").items() if key in rows]
    assert 0 < max(gaps) < 0.1


def test_guests_change_no_bit_of_the_requests(models, everything):
    own, guests = everything
    scorer = scorer_of(models["llama"])
    for limits in (TIGHT, MIDDLE, WIDE):
        with_them, without = scorer.score(lay_out(own, limits, guests)), scorer.score(lay_out(own, limits))
        assert all(with_them[key].tobytes() == row.tobytes() for key, row in without.items())


HOSTILE = {
    "empty passages": random_game(2, lengths=(0, 5, 0)),
    "no passages": random_game(3, lengths=()),
    "prompts that begin each other": [request((5,) * size, (5, 5), (6,)) for size in (1, 2, 3, 9, 4)],
    "the same prompt many times": [request((1, 2, 3), (4, 5), (4,))] * 9,
    "a target that is the next passage": [request((1, 2), (3, 4)), request((1, 2, 3, 4), (5,))],
    "an empty target": [request((1, 2), (), (3,))],
}
SAME = random_ids(np.random.default_rng(4), 6)
HOSTILE["identical passages"] = [request((1, *SAME * times, 2), (3, 4)) for times in (0, 1, 2, 1, 3, 2)]


@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("limits", [PackLimits(10**6, 1, 1), TIGHT, WIDE], ids=["one", "tight", "wide"])
def test_hostile_requests_score_as_ever(models, case, limits):
    made, model = HOSTILE[case], models["llama"]
    rows = scorer_of(model).score(lay_out(made, limits))
    for index, one in enumerate(made):
        for target in one.targets:
            expected = alone(model, one.prompt_ids, target.token_ids)
            assert rows[index, target.id] == pytest.approx(expected, abs=NATS)


def test_three_hundred_requests_score_as_ever(models):
    rng = np.random.default_rng(5)
    made = [request(random_ids(rng, int(rng.integers(1, 30)), 4), random_ids(rng, 2)) for _ in range(300)]
    rows = scorer_of(models["gpt2"]).score(lay_out(made, PackLimits(10**6, 256, 40)))
    for index in range(0, 300, 13):
        expected = alone(models["gpt2"], made[index].prompt_ids, made[index].targets[0].token_ids)
        assert rows[index, "t0"] == pytest.approx(expected, abs=NATS)


def test_a_passage_of_three_thousand_tokens_runs_through_packs_of_1024():
    model = tiny_model("mistral", vocabulary=VOCABULARY, window=4096, sliding_window=50)
    made = random_game(6, lengths=(3000, 20), targets=(5,))
    batch = lay_out(made, PackLimits(8192, 1024, 400))
    assert any(not pack.asks for pack in batch.packs)
    rows = scorer_of(model).score(batch)
    for index, one in enumerate(made):
        expected = alone(model, one.prompt_ids, one.targets[0].token_ids)
        assert rows[index, "t0"] == pytest.approx(expected, abs=NATS)


@pytest.mark.parametrize("shared", [False, True], ids=["own configurations", "one configuration"])
def test_two_models_in_two_threads_do_not_disturb_each_other(shared):
    first = build("llama")
    second = AutoModelForCausalLM.from_config(first.config if shared else build("llama").config).eval()
    assert (first.config is second.config) == shared
    batch = lay_out(random_game(7), MIDDLE)
    scorers = [scorer_of(model) for model in (first, second)]
    calm = [scorer.score(batch) for scorer in scorers]
    found = {}

    def work(place):
        found[place] = [scorers[place].score(batch) for _ in range(4)]

    threads = [threading.Thread(target=work, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for place, expected in enumerate(calm):
        for rows in found[place]:
            assert all(rows[key] == pytest.approx(row, abs=NATS) for key, row in expected.items())
    assert [model.config._attn_implementation for model in (first, second)] == ["sdpa", "sdpa"]


# through the seam -----------------------------------------------------------------------------------------


@pytest.fixture
def small_packs(monkeypatch):
    """Packs of 48 tokens that predict at most 5."""
    monkeypatch.setitem(transformers_generator.PACK_TOKENS, "cpu", 48)
    monkeypatch.setattr(transformers_generator, "MAX_LOGIT_BYTES", 4 * 5 * len(toy_tokenizer()))


@pytest.fixture
def unequal():
    texts = ("Marie Curie was born in Warsaw.", "Paris", "", "The river and the bridge in the town, in 1867.")
    passages = tuple(Passage(f"p{place}", text) for place, text in enumerate(texts))
    return Trace("q", "Where?", passages, tuple(one.id for one in passages), answer="Warsaw, the capital")


@pytest.mark.parametrize("name", ["llama", "mistral", "gemma3-both", "gpt2"])
@pytest.mark.usefixtures("small_packs")
def test_a_table_through_packs_equals_one_through_plain_batches(unequal, monkeypatch, name):
    tokenizer = toy_tokenizer()
    model = build(name, len(tokenizer))
    tree, plain = (
        TransformersGenerator(model, tokenizer, name="toy", engine=engine) for engine in ("auto", "plain")
    )
    assert tree.describe()["engine"] == "tree: shared beginnings are read once, packs of 48 tokens"
    assert plain.describe()["engine"].startswith("plain (asked for)")
    expected = ContextGame(plain, unequal).table()
    for way in ("equal", "padded"):
        monkeypatch.setattr(TargetScorer, way, lambda *_: pytest.fail("the plain scorer was called"))
    found = ContextGame(tree, unequal).table()
    assert found.rows.keys() == expected.rows.keys()
    assert found.closed_book == pytest.approx(expected.closed_book, abs=NATS)
    for coalition, row in expected.rows.items():
        assert found.rows[coalition] == pytest.approx(row, abs=NATS)


@pytest.mark.usefixtures("small_packs")
def test_a_value_that_is_not_finite_in_a_pack_names_its_coalition(make_generator, request_of):
    generator = make_generator()
    made = [request_of([1, 2], [3], players=("p1",)), request_of([1, 4], [9], players=("p2",))]
    batch = lay_out(made, generator.capabilities().packs)
    with torch.no_grad():
        generator.model.get_input_embeddings().weight[4] = float("nan")
    with pytest.raises(ScoringError, match=r"coalition \{p2\}.* device cpu"):
        generator.score(batch)


@pytest.mark.usefixtures("small_packs")
def test_windows_unknown_ids_and_lack_of_memory_are_errors_in_words_in_packs_too(request_of, monkeypatch):
    model = tiny_model("gpt2", vocabulary=530, window=40)
    generator = TransformersGenerator(model, toy_tokenizer(), name="toy")
    packs = generator.capabilities().packs
    with pytest.raises(WindowError, match="41 tokens and toy takes 40"):
        generator.score(lay_out([request_of([1] * 39, [2, 3])], packs))
    with pytest.raises(ScoringError, match="knows ids below 530"):
        generator.score(lay_out([request_of([530], [2])], packs))

    def forward(**_):
        message = "DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"
        raise RuntimeError(message)

    monkeypatch.setattr(model, "forward", forward)
    with pytest.raises(ScoringError, match="memory on cpu does not suffice"):
        generator.score(lay_out([request_of([1], [2])], packs))
    assert model.config._attn_implementation == "sdpa"


@pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile", "ignore:.torch.jit")
@pytest.mark.parametrize("name", ["llama", "mistral", "qwen3-sliding"])
def test_the_sparse_masks_of_cuda_devices_give_the_same_values(name, models):
    """Uncompiled and on the CPU: masks and positions are those of a CUDA device, the kernel is not."""
    dense = tree_scorer(models[name], "cache")
    batch = lay_out(random_game(3), MIDDLE)
    with torch.compiler.set_stance("force_eager"):
        sparse = replace(dense, flex=True).score(batch)
    for key, row in dense.score(batch).items():
        np.testing.assert_allclose(sparse[key], row, atol=NATS)
    assert models[name].config._attn_implementation == "sdpa"
