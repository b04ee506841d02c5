"""Scoring, against plain forward passes of every tiny architecture."""

import numpy as np
import pytest
import torch

from boresight.models import logprobs
from boresight.models.logprobs import Step, TargetScorer
from boresight.testing.toy_models import ARCHITECTURES, table_lm, tiny_model

VOCABULARY = 80
TABLE = [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.25, 0.25, 0.5]]


def random_ids(seed, *lengths):
    rng = np.random.default_rng(seed)
    return [tuple(int(token) for token in rng.integers(0, VOCABULARY, length)) for length in lengths]


@pytest.fixture(scope="module")
def models():
    return {name: tiny_model(name, vocabulary=VOCABULARY) for name in ARCHITECTURES}


@pytest.fixture
def few_logits(monkeypatch):
    """Room for the logits of four positions only."""
    monkeypatch.setattr(logprobs, "MAX_LOGIT_BYTES", 4 * 4 * VOCABULARY)


def test_each_target_token_is_scored_by_the_position_before_it():
    """Hand-computed: after 0 come 1, 2, 0 with probabilities 0.3, 0.3, 0.25."""
    scorer = TargetScorer(table_lm(TABLE))
    (row,) = scorer.equal([(2, 0)], [(1, 2, 0)])
    assert row.exp().numpy() == pytest.approx([0.3, 0.3, 0.25], abs=1e-6)


def test_a_single_token_target_is_scored_by_the_prompts_last_token():
    (row,) = TargetScorer(table_lm(TABLE)).equal([(1,)], [(1,)])
    assert row.exp().numpy() == pytest.approx([0.6], abs=1e-6)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_batch_equals_naive_scoring_one_by_one(models, naive, name):
    """Prompts are longer than the sliding window of the architectures that have one."""
    model = models[name]
    prompts, targets = random_ids(0, *[40] * 16), random_ids(1, *[9] * 16)
    rows = TargetScorer(model).equal(prompts, targets)
    for prompt, target, row in zip(prompts, targets, rows, strict=True):
        assert row.numpy() == pytest.approx(naive(model, prompt, target), abs=1e-5)


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_padded_rows_of_unequal_lengths_equal_naive_scoring(models, naive, name):
    """Bloom counts positions from its mask, the others from position ids."""
    model = models[name]
    prompts, targets = random_ids(2, 7, 40, 23), random_ids(3, 9, 1, 4)
    for pad in (0, VOCABULARY - 1):
        rows = TargetScorer(model).padded(prompts, targets, pad)
        for prompt, target, row in zip(prompts, targets, rows, strict=True):
            assert row.numpy() == pytest.approx(naive(model, prompt, target), abs=1e-4)


@pytest.mark.parametrize("name", ARCHITECTURES)
@pytest.mark.usefixtures("few_logits")
def test_steps_behind_a_cached_prompt_equal_naive_scoring(models, naive, name):
    model = models[name]
    prompts, targets = random_ids(4, 40, 40), random_ids(5, 9, 9)
    scorer = TargetScorer(model)
    assert scorer.takes_steps
    assert len(scorer.steps(48, 9)) > 2
    for rows in (scorer.equal(prompts, targets), scorer.padded(prompts, targets, 0)):
        for prompt, target, row in zip(prompts, targets, rows, strict=True):
            assert row.numpy() == pytest.approx(naive(model, prompt, target), abs=1e-4)


@pytest.mark.usefixtures("few_logits")
def test_steps_cover_every_column_once_and_keep_each_target_position():
    scorer = TargetScorer(tiny_model("llama", vocabulary=VOCABULARY))
    assert scorer.steps(12, 4) == [Step(0, 12, 4)]
    assert scorer.steps(14, 6) == [Step(0, 9, 1), Step(9, 13, 4), Step(13, 14, 1)]


@pytest.mark.usefixtures("few_logits")
def test_a_big_batch_runs_fewer_rows_at_a_time_before_it_runs_in_steps(monkeypatch):
    model = tiny_model("llama", vocabulary=VOCABULARY)
    scorer = TargetScorer(model)
    assert [scorer.rows_at_once(40, kept) for kept in (1, 2, 3, 5)] == [4, 2, 1, 1]
    prompts, targets = random_ids(8, *[10] * 3), random_ids(9, *[2] * 3)
    whole = [
        TargetScorer(model).equal([prompt], [target])[0]
        for prompt, target in zip(prompts, targets, strict=True)
    ]
    sizes = []
    forward = model.forward
    monkeypatch.setattr(
        model, "forward", lambda **given: sizes.append(given["input_ids"].shape) or forward(**given)
    )
    rows = scorer.equal(prompts, targets)
    assert sizes == [(2, 11), (1, 11)]
    for row, alone in zip(rows, whole, strict=True):
        assert row.numpy() == pytest.approx(alone.numpy(), abs=1e-5)


@pytest.mark.usefixtures("few_logits")
def test_a_model_that_cannot_select_positions_runs_its_prompt_in_steps_too(naive):
    model = tiny_model("llama", vocabulary=VOCABULARY)
    prompts, targets = random_ids(6, 10), random_ids(7, 3)
    scorer = TargetScorer(model)
    scorer._accepts -= {"logits_to_keep"}
    assert scorer.steps(12, 3) == [Step(0, 4, 0), Step(4, 8, 0), Step(8, 10, 1), Step(10, 12, 2)]
    (row,) = scorer.equal(prompts, targets)
    assert row.numpy() == pytest.approx(naive(model, prompts[0], targets[0]), abs=1e-5)


def test_a_big_vocabulary_never_makes_a_big_logit_tensor(monkeypatch):
    """150,000 words, a 4,000-token prompt and a 600-token target: 2.6 GiB of logits if all were kept."""
    model = tiny_model("llama", vocabulary=150_000, window=8192)
    scorer = TargetScorer(model)
    assert scorer.takes_steps
    sizes = []
    forward = model.lm_head.forward
    monkeypatch.setattr(
        model.lm_head, "forward", lambda hidden: sizes.append(hidden.shape[1]) or forward(hidden)
    )
    rows = scorer.equal([(5,) * 4000], [(7,) * 600])
    assert max(sizes) * 150_000 * 4 <= 256 * 2**20
    assert sum(sizes) == 600
    assert rows[0].shape == (600,)


def test_a_long_answer_stays_finite():
    (row,) = TargetScorer(table_lm(TABLE)).equal([(0,)], [(2, 1) * 150])
    assert row.shape == (300,)
    total = float(row.double().sum())
    assert total == pytest.approx(np.log(0.2) + 150 * np.log(0.25) + 149 * np.log(0.3), rel=1e-6)
    assert np.exp(np.float32(total)) == 0.0  # what a product of probabilities would have become


def test_scoring_takes_no_mask_and_no_padding(monkeypatch):
    model = tiny_model("llama", vocabulary=VOCABULARY)
    seen = []
    forward = model.forward
    scorer = TargetScorer(model)
    monkeypatch.setattr(model, "forward", lambda **inputs: seen.append(sorted(inputs)) or forward(**inputs))
    scorer.equal([(1, 2)], [(3, 4)])
    assert seen == [["input_ids", "logits_to_keep", "use_cache"]]


class TwoDevices(torch.nn.Module):
    """Embeddings live on one device, logits come from another."""

    def __init__(self):
        super().__init__()
        self.embeddings = torch.nn.Embedding(4, 2, device="meta")
        self.config = None
        self.seen = None

    def get_input_embeddings(self):
        return self.embeddings

    def get_output_embeddings(self):
        return self.embeddings

    def forward(self, input_ids):
        self.seen = input_ids.device.type
        return type("Output", (), {"logits": torch.zeros(*input_ids.shape, 4)})


def test_inputs_follow_the_embeddings_and_targets_follow_the_logits(monkeypatch):
    model = TwoDevices()
    moved = []
    monkeypatch.setattr(
        logprobs,
        "_pick",
        lambda logits, targets: moved.append((logits.device.type, targets.device.type)) or torch.zeros(1, 2),
    )
    TargetScorer(model).equal([(1,)], [(2, 3)])
    assert model.seen == "meta"
    assert moved == [("cpu", "meta")]


def test_targets_on_another_device_are_moved_to_the_logits():
    logits = torch.zeros(1, 1, 4, device="meta")
    assert logprobs._pick(logits, torch.tensor([[2]])).device.type == "meta"
