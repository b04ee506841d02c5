"""Weights have an identity of their own."""

import torch

from boresight.models.fingerprint import weights_fingerprint
from boresight.testing.toy_models import tiny_model


def test_the_same_weights_have_the_same_fingerprint():
    assert weights_fingerprint(tiny_model("llama", 0)) == weights_fingerprint(tiny_model("llama", 0))


def test_other_weights_have_another():
    assert weights_fingerprint(tiny_model("llama", 0)) != weights_fingerprint(tiny_model("llama", 1))


def test_one_training_step_changes_it():
    model = tiny_model("llama", 0)
    before = weights_fingerprint(model)
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(1.0001)
    assert weights_fingerprint(model) != before
