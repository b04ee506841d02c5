"""Toy tokenizers, tiny models and small traces for the models room."""

import numpy as np
import pytest
import torch

from boresight.models.seam import Request, Segment, Target
from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.toy_models import tiny_model, toy_tokenizer
from boresight.trace import Passage, Trace


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture
def trace():
    return Trace(
        id="q1",
        query="Where was Marie Curie born?",
        passages=(
            Passage("p1", "Marie Curie was born in Warsaw."),
            Passage("p2", "A capital city.", "Paris"),
        ),
        context=("p1", "p2"),
    )


@pytest.fixture
def make_generator():
    """A generator from a toy tokenizer (of the given options) and a tiny Llama that knows its vocabulary."""

    def make(kind="bytes", *, architecture="llama", **options):
        tokenizer = toy_tokenizer(kind, **options)
        model = tiny_model(architecture, vocabulary=len(tokenizer), window=4096)
        return TransformersGenerator(model, tokenizer, name="toy")

    return make


@pytest.fixture
def request_of():
    """A request from bare ids."""

    def make(prompt, *targets, players=()):
        segments = (Segment("header", tuple(prompt)), *(Segment(f"passage:{p}:1", (), p) for p in players))
        named = tuple(Target(f"t{i}", "recorded", "", tuple(ids), ()) for i, ids in enumerate(targets))
        return Request("q1", "passages", segments, named)

    return make


@pytest.fixture
def naive():
    """Log-probabilities of a target by one plain forward pass over prompt and target."""

    def score(model, prompt, target):
        with torch.no_grad():
            rows = model(torch.tensor([[*prompt, *target]])).logits[0].float().log_softmax(-1)
        return np.array([rows[len(prompt) - 1 + i, token] for i, token in enumerate(target)])

    return score
