from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import ByT5Tokenizer
from transformers.models.bert import modeling_bert

from boresight.explain.saliency import (
    METHODS,
    AttentionTimesGradient,
    Gradient,
    GradientTimesInput,
    RandomControl,
    TokenLime,
    TokenShapley,
    passage_side,
    removal_scores,
)
from boresight.models.attention_choice import attending
from boresight.testing.toy_models import toy_tokenizer
from boresight.trace import read_traces
from toy_encoders import tokenizer

QUERY, TEXT = "red small", "red blue green . small"


@pytest.fixture
def text(encoder):
    return passage_side(encoder, QUERY, {"p": TEXT})["p"]


def test_gradients_of_a_square_by_hand(squares):
    # x = (3, 0), (1, 2): gradient 2x
    assert Gradient().explain(squares).values == pytest.approx([6, 2 * 5**0.5, 0])
    assert GradientTimesInput().explain(squares).values == pytest.approx([18, 10, 0])


def test_shapley_of_an_additive_score_by_hand_and_lime_in_its_order(squares):
    shapley = TokenShapley().explain(squares)
    assert shapley.values == pytest.approx([9, 5, 0], abs=1e-5)
    assert (shapley.kind, shapley.baseline) == ("causal", "zero")
    lime = TokenLime().explain(squares).values  # a ridge on four coalitions: shrunk, in proportion
    assert lime[0] > lime[1] > lime[2] == 0


def test_shapley_values_sum_to_the_change_of_score(text):
    found = TokenShapley().explain(text)
    assert abs(found.gap) < 1e-5
    nothing = removal_scores(text, np.zeros((1, 5), dtype=bool), "unk")[0]
    assert found.change == pytest.approx(text.score - nothing)


def test_attention_times_gradient_is_the_derivative_of_scaling_attention(text, monkeypatch):
    """Attention paid to a token, scaled in all layers and heads, against a finite difference of the score."""
    scale = torch.ones(7, 1)
    plain = modeling_bert.eager_attention_forward

    def scaled(module, query, key, value, *more, **options):
        return plain(module, query, key, value * scale, *more, **options)

    def score(place, step):
        scale[place] = 1 + step
        with attending(text.path.model, "eager"):
            found = text.scores(text.path.embeddings()[None])[0]
        scale[place] = 1
        return found

    found = AttentionTimesGradient().explain(text)
    monkeypatch.setattr(modeling_bert, "eager_attention_forward", scaled)
    slopes = [(score(place, 0.02) - score(place, -0.02)) / 0.04 for place in text.text_places]
    own = found.values[text.text_places]
    assert own == pytest.approx(np.array(slopes) / 4, abs=2e-5)  # the mean over two layers and heads
    assert found.kind == "heuristic"


def test_attention_comes_by_layer_and_sums_to_one(text):
    assert np.count_nonzero(AttentionTimesGradient().explain(text).values) == 5
    own = text.path.embeddings()[None]
    _, before = text.path.outputs_and_attention(own)
    assert before[0].shape == (1, 2, 7, 7)
    assert before[0].sum(-1) == pytest.approx(torch.ones(1, 2, 7))


def test_attention_weights_leave_the_model_as_it_was(text):
    before = text.scores(text.path.embeddings()[None])
    kind = text.path.model.config._attn_implementation
    AttentionTimesGradient().explain(text)
    assert text.path.model.config._attn_implementation == kind
    assert np.array_equal(text.scores(text.path.embeddings()[None]), before)


def test_the_control_depends_on_text_and_seed_only(encoder, make_encoder, text):
    same = passage_side(make_encoder("cls"), "green", {"x": TEXT})["x"]
    assert np.array_equal(RandomControl().explain(text).values, RandomControl().explain(same).values)
    assert not np.array_equal(RandomControl(1).explain(text).values, RandomControl().explain(text).values)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_repeats_leaves_control_tokens_at_zero_and_survives_an_empty_text(encoder, text, name):
    found = METHODS[name].explain(text)
    assert np.array_equal(found.values, METHODS[name].explain(text).values)
    assert found.method == name
    assert found.values[[0, -1]].tolist() == [0, 0]
    assert not METHODS[name].explain(passage_side(encoder, QUERY, {"p": ""})["p"]).values.any()


def test_removed_tokens_are_scored_as_the_text_with_fillers(encoder, text):
    kept = np.array([[True] * 5, [True, False, True, True, False]])
    scores = removal_scores(text, kept, "mask")
    spelled = {"whole": TEXT, "less": "red [MASK] green . [MASK]"}
    assert scores == pytest.approx(list(encoder.score(QUERY, spelled).values()), abs=1e-6)


def test_deleted_tokens_are_scored_as_the_shorter_text(encoder, text):
    kept = np.array([[True, False, True, True, False], [False] * 5])
    spelled = {"less": "red green .", "none": ""}
    expected = list(encoder.score(QUERY, spelled).values())
    assert removal_scores(text, kept, "delete") == pytest.approx(expected, abs=1e-6)


def test_masks_of_another_length_are_refused(text):
    with pytest.raises(ValueError, match="5 tokens to remove"):
        removal_scores(text, np.ones((1, 4), dtype=bool))


def test_random_weights_change_the_saliency_and_not_the_encoder(encoder, text):
    twin = encoder.randomised(0)
    assert not np.allclose(twin.encode([TEXT]), encoder.encode([TEXT]))
    assert np.array_equal(twin.encode([TEXT]), encoder.randomised(0).encode([TEXT]))
    own, other = encoder.embedding_path(TEXT), twin.embedding_path(TEXT)
    assert torch.equal(own.embeddings(), other.embeddings())


TOKENIZERS = {
    "fast words": tokenizer,
    "fast bytes": toy_tokenizer,
    "slow bytes": lambda: ByT5Tokenizer(extra_ids=5),
}


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_spans_of_the_tokens_rebuild_hostile_texts(make_encoder, kind):
    encoder = make_encoder(words=TOKENIZERS[kind](), max_tokens=60)
    method = Gradient()
    for trace in read_traces(Path(__file__).parents[2] / "data" / "hostile.jsonl"):
        texts = {passage.id: passage.text for passage in trace.passages}
        for key, text in passage_side(encoder, trace.query, texts).items():
            found = method.explain(text)
            spans = [(one.start, one.end) for one in found.tokens if one.part == "text"]
            if not spans or spans[0][0] is None:  # a tokenizer that cannot be followed shows no span at all
                assert all(start is None for start, _ in spans)
                continue
            # tokens of one word share its span where only words can be placed
            joined = "".join(texts[key][start:end] for start, end in dict.fromkeys(spans))
            assert texts[key].startswith(joined)
            if not found.truncated:
                assert joined == texts[key]
