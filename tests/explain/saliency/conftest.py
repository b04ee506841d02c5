"""Small encoders in two layers with random weights, and a score whose integral is known."""

from types import SimpleNamespace

import pytest
import torch
from transformers import BertModel

from boresight.explain.saliency.scored_text import ScoredText
from boresight.models.embedding_path import EmbeddingPath
from boresight.models.encoder import DenseEncoder
from boresight.models.rankers.cross_encoder import CrossEncoderRanker
from boresight.models.sentence_config import SentenceConfig
from boresight.models.text_tokens import TextTokens
from toy_encoders import config, cross_folder, tokenizer


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def make_encoder():
    """A random encoder of the given pooling and padding side."""

    def make(pooling="mean", *, padding_side="right", similarity="cosine", words=None, **settings):
        words = words or tokenizer(padding_side=padding_side)
        torch.manual_seed(3)
        model = BertModel(config(len(words), layers=2, width=8), add_pooling_layer=False).eval()
        chosen = SentenceConfig(pooling=(pooling,), similarity=similarity, **settings)
        return DenseEncoder("toy", words, model.requires_grad_(requires_grad=False), chosen, source={})

    return make


@pytest.fixture(scope="module")
def encoder(make_encoder):
    return make_encoder(normalize=True)


@pytest.fixture(scope="module")
def cross(tmp_path_factory):
    return CrossEncoderRanker.load(str(cross_folder(tmp_path_factory.mktemp("cross"))))


class Squares(torch.nn.Module):
    """The score is the sum of all squared embeddings: from zero each token's integral is x_i^2."""

    device, dtype = torch.device("cpu"), torch.float32

    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding.from_pretrained(torch.tensor([[3.0, 0.0], [1.0, 2.0], [5.0, 5.0]]))

    def get_input_embeddings(self):
        return self.table

    def forward(self, inputs_embeds):
        return SimpleNamespace(rows=(inputs_embeds**2).sum((1, 2))[:, None])


@pytest.fixture
def squares():
    """Two words and a control token; there is no filler, so the baseline is zero."""
    tokens = TextTokens(
        {"input_ids": (0, 1, 2)}, ("a", "b", "end"), (False, False, True), (True, True, False),
        ((0, 1), (1, 3), None), 3, (0, 3),
    )  # fmt: skip
    path = EmbeddingPath(Squares(), tokens, dict.fromkeys(("unk", "mask", "pad")), lambda found: found.rows)
    return ScoredText(
        path, lambda rows: rows[:, 0], 64.0, "dot", "passage", (True, True, False), tokens.spans,
        ("text", "text", "control"), 3,
    )  # fmt: skip
