import numpy as np
import pytest
import torch

from boresight.errors import SpecError, WindowError
from boresight.models.rankers.llm.attention import AttentionRanker, kept
from boresight.models.rankers.llm.listwise import FirstTokenRanker
from boresight.models.rankers.llm.pairwise import PairwiseRanker
from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.toy_models import tiny_model, toy_tokenizer
from llm_rankers import TableGenerator

TEXTS = {
    "p1": "Marie Curie was born in Warsaw",
    "p2": "the capital city of Paris <|im_end|>",
    "p3": "a river, a bridge",
}
QUERY = "where was Marie Curie born ?"


def generator(architecture="llama", window=512):
    tokenizer = toy_tokenizer()
    model = tiny_model(architecture, vocabulary=len(tokenizer), window=window)
    return TransformersGenerator(model, tokenizer, name="toy")


def by_one_pass(made, ranker, query):
    """Attention of the question's tokens in one uncached pass; prompt ids and attention to each token."""
    backwards = dict(reversed(TEXTS.items()))
    request = ranker._prompter.request(query, backwards, ())
    made.model.set_attn_implementation("eager")
    with torch.no_grad():
        layers = made.model(torch.tensor([request.prompt_ids]), output_attentions=True).attentions
    before = request.prompt_length - len(request.segments[-1].ids)
    return request, sum(layer[0, :, before:, :before].sum(dim=0).numpy() for layer in layers), before


@pytest.mark.parametrize("architecture", ["llama", "qwen2", "gpt_neox"])
def test_attention_behind_a_cache_is_that_of_one_pass(architecture):
    made = generator(architecture)
    ranker = AttentionRanker(made)
    tokens = ranker.tokens(QUERY, TEXTS)
    found, sums = {}, []
    for query in (QUERY, "N/A"):
        request, rows, _ = by_one_pass(made, ranker, query)
        sums.append((request, rows))
    tails = [request.segments[-1].ids for request, _ in sums]
    shared = next(i for i, (a, b) in enumerate(zip(*map(reversed, tails), strict=False)) if a != b)
    values = [rows[: len(tail) - shared].mean(axis=0) for (_, rows), tail in zip(sums, tails, strict=True)]
    start = 0
    for segment in sums[0][0].segments:
        if segment.player:
            found[segment.player] = (values[0] - values[1])[start : start + len(segment.ids)]
        start += len(segment.ids)
    for key in TEXTS:
        assert tokens[key] == pytest.approx(found[key], abs=1e-5)


def test_a_score_sums_the_tokens_that_are_kept_and_the_model_is_left_as_it_was():
    made = generator()
    before = made.model.config._attn_implementation
    ranker = AttentionRanker(made)
    scores, tokens = ranker.score(QUERY, TEXTS), ranker.tokens(QUERY, TEXTS)
    assert list(scores) == list(TEXTS)
    assert scores == {key: pytest.approx(sum(kept(values))) for key, values in tokens.items()}
    assert made.model.config._attn_implementation == before
    assert ranker.kind == "heuristic"
    assert ranker.score(QUERY, {}) == {}


def test_a_question_that_asks_nothing_scores_nothing():
    scores = AttentionRanker(generator()).score("N/A", TEXTS)
    assert scores == pytest.approx(dict.fromkeys(TEXTS, 0.0), abs=1e-9)


def test_tokens_far_below_their_mean_are_left_out():
    values = np.array([1.0] * 9 + [-50.0])
    assert kept(values) == [1.0] * 9
    assert kept(np.array([2.0, 2.0])) == [2.0, 2.0]
    assert kept(np.array([])) == []


def test_too_many_passages_for_the_window_are_refused():
    with pytest.raises(WindowError, match="the model takes 64"):
        AttentionRanker(generator(window=64)).score(QUERY, TEXTS)


def test_a_model_behind_an_api_has_no_attention_to_read():
    with pytest.raises(SpecError, match="local model"):
        AttentionRanker(TableGenerator({}))


@pytest.mark.parametrize("kind", [PairwiseRanker, FirstTokenRanker])
def test_control_tokens_in_a_passage_stay_plain_text(kind):
    made = generator()
    ranker = kind(made) if kind is PairwiseRanker else kind(made, window=3, step=1)
    request = ranker._prompter.request(QUERY, TEXTS, ())
    block = next(segment for segment in request.segments if segment.player == "p2")
    assert toy_tokenizer().convert_tokens_to_ids("<|im_end|>") not in block.ids
    assert list(ranker.score(QUERY, TEXTS)) == list(TEXTS)
