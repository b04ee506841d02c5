"""Only models whose packs were found to give their own single scores run packs; the reason is on record."""

import copy

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from boresight.models import tree_scorer as scorer_module
from boresight.models import tree_support
from boresight.models.logprobs import TargetScorer
from boresight.models.transformers_generator import TransformersGenerator
from boresight.models.tree_attention import View, view_of
from boresight.models.tree_scorer import TreeScorer
from boresight.models.tree_support import tree_scorer, windows
from boresight.testing.toy_models import ARCHITECTURES, tiny_model, toy_tokenizer

VOCABULARY = 530
LISTED = tree_support.ONE_MASK | tree_support.ONE_WINDOW | tree_support.MASK_BY_LAYER


def found(model):
    return tree_scorer(model, TargetScorer(model).cache)


def engine_of(model):
    return TransformersGenerator(model, toy_tokenizer(), name="toy").describe()["engine"]


@pytest.fixture
def llama():
    return tiny_model("llama", vocabulary=VOCABULARY)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("name", [name for name in ARCHITECTURES if name != "bloom"])
def test_listed_architectures_are_found_fit_in_every_precision(name, dtype):
    assert isinstance(found(tiny_model(name, vocabulary=80).to(dtype)), TreeScorer)


def test_every_listed_architecture_has_a_tiny_model_that_proves_it():
    assert {tiny_model(name).config.model_type for name in ARCHITECTURES} - {"bloom"} == LISTED


def test_an_unlisted_architecture_is_scored_plainly():
    assert engine_of(tiny_model("bloom", vocabulary=VOCABULARY)) == (
        "plain (the tree engine is not tested with bloom): equal lengths share a batch, nothing is padded"
    )


@pytest.mark.parametrize("implementation", ["flash_attention_2", "flex_attention", "paged|sdpa"])
def test_attention_that_takes_no_masks_is_scored_plainly(llama, implementation):
    generator = TransformersGenerator(llama, toy_tokenizer(), name="toy")
    llama.config._attn_implementation_internal = implementation
    engine = generator.describe()["engine"]
    assert engine.startswith(f"plain (the tree engine takes no masks with {implementation} attention)")


def test_a_model_without_a_cache_is_scored_plainly(llama):
    assert tree_scorer(llama, None) == "LlamaForCausalLM takes no cache"


def test_asked_for_plain_nothing_is_checked(llama, monkeypatch):
    monkeypatch.setattr(tree_support, "_gap", lambda *_: pytest.fail("it was checked"))
    generator = TransformersGenerator(llama, toy_tokenizer(), name="toy", engine="plain")
    assert generator.describe()["engine"].startswith("plain (asked for)")
    assert generator.capabilities().packs is None


def test_a_model_that_cannot_run_packs_is_scored_plainly(llama, monkeypatch):
    forward = llama.forward

    def refuse(attention_mask=None, **given):
        if attention_mask is not None:
            raise NotImplementedError
        return forward(**given)

    generator = TransformersGenerator(llama, toy_tokenizer(), name="toy")
    monkeypatch.setattr(llama, "forward", refuse)
    engine = generator.describe()["engine"]
    assert engine.startswith("plain (the start-up check failed: it cannot run packs)")
    assert llama.config._attn_implementation == "sdpa"


def without(*names):
    """A model whose call drops some of its arguments."""

    def spoil(model):
        forward = model.forward
        model.forward = lambda **given: forward(**{key: given[key] for key in given if key not in names})

    return spoil


def not_a_number(model):
    with torch.no_grad():
        model.model.norm.weight[0] = float("nan")


@pytest.mark.parametrize(
    "spoil",
    [without("attention_mask"), without("position_ids"), without("cache", "past_key_values"), not_a_number],
    ids=["ignores masks", "counts positions itself", "forgets its cache", "no number"],
)
def test_a_model_that_disagrees_with_itself_is_scored_plainly(llama, spoil):
    generator = TransformersGenerator(llama, toy_tokenizer(), name="toy")
    spoil(llama)
    assert generator.describe()["engine"].startswith("plain (the start-up check failed: ")
    assert generator.capabilities().packs is None


def columns_for_positions(view):
    ahead = len(view.columns) - len(view.rows)
    columns = torch.arange(len(view.columns))
    return View(view.blocks, view.visible, columns[ahead:], columns)


def siblings_seen(view):
    ahead = len(view.columns) - len(view.rows)
    return View(view.blocks, torch.ones_like(view.visible).tril(ahead), view.rows, view.columns)


@pytest.mark.parametrize("mistake", [columns_for_positions, siblings_seen])
@pytest.mark.parametrize("name", ["llama", "mistral", "gemma2", "gpt2"])
def test_the_check_would_find_a_mistake_of_ours(monkeypatch, name, mistake):
    monkeypatch.setattr(scorer_module, "view_of", lambda *given: mistake(view_of(*given)))
    model = tiny_model(name, vocabulary=VOCABULARY)
    model.set_attn_implementation("eager")  # whose only guard is the mask
    assert str(found(model)).startswith("the start-up check failed")


def test_a_window_that_is_left_out_would_be_found():
    model = tiny_model("mistral", vocabulary=VOCABULARY)
    cache = TargetScorer(model).cache
    batch = tree_support._check_batch(VOCABULARY)
    model.config.sliding_window = 8
    blind = TreeScorer(model, cache, {"": None}).score(batch)
    gap = torch.from_numpy(blind[1, "t"]) - tree_support._alone(model, batch[1])
    assert float(gap.abs().max()) > tree_support._limit(model)


def test_a_window_longer_than_the_check_is_shortened_so_that_leaving_it_out_shows(monkeypatch):
    model = tiny_model("mistral", vocabulary=VOCABULARY, sliding_window=256)
    assert isinstance(found(model), TreeScorer)
    monkeypatch.setattr(tree_support, "windows", lambda _: {"": None})
    assert str(found(model)).startswith("the start-up check failed: packed and single scores differ")


def test_the_check_leaves_configuration_and_weights_as_they_were():
    model = tiny_model("gemma3", vocabulary=VOCABULARY)
    before = (
        copy.deepcopy(model.config.to_dict()),
        {key: one.clone() for key, one in model.state_dict().items()},
    )
    assert isinstance(found(model), TreeScorer)
    assert model.config.to_dict() == before[0]
    assert all(torch.equal(one, before[1][key]) for key, one in model.state_dict().items())


def test_the_check_holds_a_branch_inside_a_pack_and_a_pack_that_keeps_some_of_it():
    batch = tree_support._check_batch(50_000)
    first, second = batch.packs
    parents = [batch.pieces[index].parent for index in first.pieces]
    assert len(parents) != len(set(parents))
    assert 0 < len(second.held) < len(first.pieces)
    for ask in (*first.asks, *second.asks):
        spelled, piece = (), ask.piece
        while piece is not None:
            spelled, piece = batch.pieces[piece].ids + spelled, batch.pieces[piece].parent
        wanted = batch[ask.request]
        assert spelled == wanted.prompt_ids + wanted.targets[0].token_ids[:-1]


@pytest.mark.parametrize("vocabulary", [2, 7, 32])
def test_the_check_knows_ids_of_small_vocabularies_only(vocabulary):
    pieces = tree_support._check_batch(vocabulary).pieces
    assert max(max(piece.ids) for piece in pieces) < vocabulary


def test_windows_are_those_of_the_layers_that_use_them():
    assert windows(tiny_model("llama")) == {"": None}
    assert windows(tiny_model("mistral")) == {"": 16}
    assert windows(tiny_model("qwen3")) == {"full_attention": None}
    assert windows(tiny_model("gemma2")) == {"sliding_attention": 16, "full_attention": None}


def test_a_window_that_the_model_ignores_is_ignored(llama):
    """Llama attends to everything, whatever its configuration says."""
    llama.config.sliding_window = 8
    assert windows(llama) == {"": None}
    assert isinstance(found(llama), TreeScorer)


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("bloom", {"n_head": 2, "n_layer": 2}),  # positions from the mask
        ("falcon", {"alibi": True}),
        ("mpt", {"d_model": 32, "n_heads": 2, "n_layers": 2}),  # a bias by column
        ("falcon_mamba", {"state_size": 8}),
        ("roberta", {"is_decoder": True}),  # positions that start behind the padding id
        ("phi3", {"sliding_window": 16}),  # a window that the table would leave out
        ("llama4_text", {"attention_chunk_size": 16, "num_local_experts": 2}),  # chunks instead of a window
    ],
)
def test_the_check_alone_would_turn_unfit_architectures_away(monkeypatch, kind, settings):
    """As if somebody had listed them."""
    monkeypatch.setattr(tree_support, "ONE_MASK", tree_support.ONE_MASK | {kind})
    sizes = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2}
    sizes |= {"num_key_value_heads": 1, "intermediate_size": 64, "pad_token_id": 0}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **sizes | settings)).eval()
        with torch.no_grad():
            for weights in model.parameters():
                if weights.dim() > 1:
                    weights.normal_(0, 0.2)
    assert isinstance(found(model), str)
