"""Two streams compared, against hand-computed numbers and plain forward passes."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon
from scipy.special import rel_entr

from boresight.errors import WindowError
from boresight.models import stream_scorer
from boresight.models.attention_choice import attending
from boresight.models.criterion import apart, fusion_layer, met, weighted_embedding
from boresight.models.seam import Request, Segment, Target
from boresight.models.streams import (
    AGREE,
    APART,
    CONTRASTIVE,
    CRITERION_KINDS,
    HIT_WITH,
    HIT_WITHOUT,
    JS,
    KL,
    L1,
    LAYER,
    MET,
    STREAM_KINDS,
    TOP_WITH,
    TOP_WITHOUT,
    ComparesStreams,
)
from boresight.models.two_streams import TwoStreams
from boresight.testing.toy_models import ARCHITECTURES, table_lm, tiny_model, toy_tokenizer

WITH, WITHOUT = (0.5, 0.3, 0.2), (0.2, 0.6, 0.2)


def two(with_passages=WITH, without=WITHOUT, token=0, alpha=0.5):
    rows = [torch.tensor([row]).log() for row in (with_passages, without)]
    return TwoStreams.of_logits(*rows, torch.tensor([token]), alpha)


def value(kind, **options):
    return float(two(**options).values(frozenset({kind}))[kind][0])


def pair(prompt, without, target, passage=()):
    """Two requests over one target; the passage stands first in its prompt."""
    targets = (Target("answer", "recorded", "", tuple(target), ()),)
    blocks = (Segment("passage:p1:1", tuple(passage), "p1"), Segment("tail", tuple(prompt)))
    return (
        Request("q1", "passages", blocks, targets),
        Request("q1", "closed_book", (Segment("closed_book", tuple(without)),), targets),
    )


@pytest.fixture
def generator_of():
    from boresight.models.transformers_generator import TransformersGenerator

    def make(model):
        return TransformersGenerator(model, toy_tokenizer(), name="toy")

    return make


@pytest.fixture(scope="module")
def big():
    """Large enough for the tokenizer of the generator."""
    return tiny_model("llama", vocabulary=len(toy_tokenizer()))


def test_the_contrast_is_normalised_over_the_whole_vocabulary():
    """By hand: 0.5^1.5 / 0.2^0.5 = 0.7906, 0.3^1.5 / 0.6^0.5 = 0.2121, 0.2; log(0.7906 / 1.2027)."""
    assert value(CONTRASTIVE) == pytest.approx(-0.4196, abs=5e-5)


@given(st.floats(0, 5), st.integers(0, 2))
def test_equal_streams_have_no_contrast(alpha, token):
    found = value(CONTRASTIVE, without=WITH, token=token, alpha=alpha)
    assert found == pytest.approx(math.log(WITH[token]), abs=1e-5)


def test_distances_equal_those_of_scipy():
    assert value(KL) == pytest.approx(rel_entr(WITH, WITHOUT).sum(), abs=1e-6)
    assert value(JS) == pytest.approx(jensenshannon(WITH, WITHOUT) ** 2, abs=1e-6)
    assert value(L1) == pytest.approx(0.6, abs=1e-6)


def test_certainty_and_choices_by_hand():
    found = {kind: value(kind) for kind in (TOP_WITH, TOP_WITHOUT, HIT_WITH, HIT_WITHOUT, AGREE)}
    expected = {TOP_WITH: 0.5, TOP_WITHOUT: 0.6, HIT_WITH: 1.0, HIT_WITHOUT: 0.0, AGREE: 0.0}
    assert found == pytest.approx(expected, abs=1e-6)


EMBED = torch.tensor([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [1.0, 1.0]])


def test_a_distribution_is_the_weighted_sum_of_its_three_likeliest_embeddings():
    row = torch.tensor([[0.4, 0.3, 0.1, 0.2]]).log()
    assert weighted_embedding(row, EMBED)[0].tolist() == pytest.approx([0.6, 0.5])


def test_both_sides_of_the_criterion_by_hand():
    """w_p = (0.6, 0.5), w_q = (0.1, 0.5); ranks 3 to 7 of the attention are tokens 2, 1, 2, 2, 2."""
    p, q = torch.tensor([[0.4, 0.3, 0.1, 0.2]]).log(), torch.tensor([[0.1, 0.5, 0.35, 0.05]]).log()
    seen = torch.tensor([0, 3, 0, 2, 1, 2, 2, 2, 0])
    attention = torch.tensor([[0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1]])
    length = math.hypot(0.6, 0.5)
    assert float(met(p, attention, seen, EMBED)[0]) == pytest.approx(0.5 / length)
    w_q = (0.1 - 0.35, 0.5)
    expected = (0.6 * w_q[0] + 0.5 * w_q[1]) / (length * math.hypot(*w_q))
    assert float(apart(p, q, EMBED)[0]) == pytest.approx(expected)


def test_fusion_starts_one_layer_before_the_first_that_moves_more_with_passages():
    still = [0.1] * 31
    assert fusion_layer(still, still) == 20  # of 32, where none moves more
    assert fusion_layer([*[0.9] * 10, *[0.1] * 4, 0.2, *[0.3] * 16], still) == 14  # layers to 10 do not count
    assert fusion_layer([0.2], [0.1]) == 0  # two layers


def test_rows_under_a_known_table_by_hand(generator_of):
    """After token 0 the table says 0.5, 0.3, 0.2, after token 1 0.2, 0.6, 0.2."""
    rest = [0.0] * (len(toy_tokenizer()) - 3)
    tiny = 1e-12
    rows = [[*WITH, *(tiny for _ in rest)], [*WITHOUT, *(tiny for _ in rest)]]
    table = rows + [[1 / (len(rest) + 3)] * (len(rest) + 3)] * (len(rest) + 1)
    found = generator_of(table_lm(table)).compare(*pair([0], [1], [0, 1]), STREAM_KINDS - CRITERION_KINDS)
    row = found["answer"]
    assert row[CONTRASTIVE] == pytest.approx([-0.4196, math.log(0.3)], abs=1e-4)  # then both follow token 0
    assert row[L1] == pytest.approx([0.6, 0.0], abs=1e-5)
    assert row[HIT_WITH].tolist() == [1.0, 0.0]
    assert row[AGREE].tolist() == [0.0, 1.0]


def random_ids(seed, *lengths):
    rng = np.random.default_rng(seed)
    return [tuple(int(token) for token in rng.integers(0, 80, length)) for length in lengths]


def by_hand(model, one, other, target, passage):
    """Everything from two whole passes: distances, and the criterion at every layer."""
    with torch.no_grad(), attending(model, "eager"):
        looks = {"output_attentions": True, "output_hidden_states": True}
        ours = model(torch.tensor([[*one, *target[:-1]]]), **looks)
        theirs = model(torch.tensor([[*other, *target[:-1]]]), **looks)
    p, q = (output.logits[0, -len(target) :].log_softmax(-1) for output in (ours, theirs))
    embed = model.get_input_embeddings().weight.detach()
    left = []
    for layer in ours.attentions:
        rows = layer[0].mean(0)[-len(target) :, : len(passage)]
        left.append(met(p, rows, torch.tensor(passage), embed).numpy())
    return (p.exp() - q.exp()).abs().sum(-1).numpy(), left, apart(p, q, embed).numpy()


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_every_architecture_equals_whole_passes(name):
    """The passage is longer than the sliding window of the architectures that have one."""
    model = tiny_model(name, vocabulary=80)
    passage, tail, closed, target = random_ids(1, 40, 9, 7, 6)
    one, other = pair(tail, closed, target, passage)
    scorer = stream_scorer.StreamScorer(model, stream_scorer_base(model))
    row = scorer.compare(one, other, STREAM_KINDS, 0.5)["answer"]
    l1, left, right = by_hand(model, passage + tail, closed, target, passage)
    assert row[L1] == pytest.approx(l1, abs=1e-5)
    assert row[APART] == pytest.approx(right, abs=1e-5)
    assert row[MET] == pytest.approx(left[int(row[LAYER][0])], abs=1e-5)


def stream_scorer_base(model):
    from boresight.models.logprobs import TargetScorer

    return TargetScorer(model)


def test_slices_change_nothing(big, generator_of, monkeypatch):
    passage, tail, closed, target = random_ids(2, 20, 5, 6, 7)
    requests = pair(tail, closed, target, passage)
    whole = generator_of(big).compare(*requests, STREAM_KINDS)["answer"]
    monkeypatch.setattr(stream_scorer, "MAX_ATTENTION_BYTES", 1)  # one token at a time
    sliced = generator_of(big).compare(*requests, STREAM_KINDS)["answer"]
    assert set(whole) == STREAM_KINDS
    for kind in STREAM_KINDS:
        assert sliced[kind] == pytest.approx(whole[kind], abs=2e-5)


def test_the_target_row_equals_the_scores_of_the_engine(big, generator_of):
    """With an alpha of 0 the contrast is the plain log-probability."""
    generator = generator_of(big)
    one, other = pair(*random_ids(3, 5, 6, 7), random_ids(4, 20)[0])
    plain = generator.score([one])[0].logprobs["answer"]
    assert generator.compare(one, other, frozenset({CONTRASTIVE}), 0.0)["answer"][
        CONTRASTIVE
    ] == pytest.approx(plain, abs=1e-5)


def test_without_attention_the_criterion_is_absent_and_the_rest_is_there(big, generator_of, monkeypatch):
    passage, tail, closed, target = random_ids(5, 20, 5, 6, 3)
    requests = pair(tail, closed, target, passage)
    monkeypatch.setattr("boresight.models.logprobs.steps_agree", lambda *_: False)
    monkeypatch.setattr(stream_scorer, "steps_close", lambda *_: False)
    assert set(generator_of(big).compare(*requests, STREAM_KINDS)["answer"]) == STREAM_KINDS - CRITERION_KINDS


def test_a_prompt_with_fewer_than_four_passage_tokens_has_no_criterion(big, generator_of):
    passage, tail, closed, target = random_ids(6, 3, 5, 6, 3)
    found = generator_of(big).compare(*pair(tail, closed, target, passage), STREAM_KINDS)["answer"]
    assert set(found) == STREAM_KINDS - CRITERION_KINDS


def test_an_empty_target_has_empty_rows(big, generator_of):
    found = generator_of(big).compare(*pair([1], [2], []), frozenset({KL}))
    assert found["answer"][KL].shape == (0,)


def test_the_model_attends_as_before_afterwards(big, generator_of):
    own = big.config._attn_implementation
    passage, tail, closed, target = random_ids(7, 20, 5, 6, 3)
    generator_of(big).compare(*pair(tail, closed, target, passage), STREAM_KINDS)
    assert big.config._attn_implementation == own


def test_different_targets_are_refused(big, generator_of):
    one, other = pair([1], [2], [3])
    changed = dataclasses.replace(other, targets=())
    with pytest.raises(ValueError, match="same targets"):
        generator_of(big).compare(one, changed, STREAM_KINDS)


def test_a_prompt_longer_than_the_window_is_refused(big, generator_of):
    with pytest.raises(WindowError, match="prompt and target have 601 tokens"):
        generator_of(big).compare(*pair([1] * 600, [2], [3]), STREAM_KINDS)


def test_a_transformers_generator_compares_streams(big, generator_of):
    assert isinstance(generator_of(big), ComparesStreams)
