"""Nasty passages and damaged weights, for every ranker that reads text with a model."""

import math
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from boresight.errors import ModelError
from boresight.models.rankers.bm25 import Bm25Ranker
from boresight.models.rankers.cross_encoder import CrossEncoderRanker
from boresight.models.rankers.maxsim import MaxSimRanker
from boresight.models.rankers.sparse import SparseRanker
from boresight.trace import read_traces
from toy_encoders import cross_folder, dense_folder, late_folder, sparse_folder

KINDS = {
    "sparse": (SparseRanker, sparse_folder),
    "plain maxsim": (MaxSimRanker, dense_folder),
    "maxsim": (MaxSimRanker, late_folder),
    "cross-encoder": (CrossEncoderRanker, cross_folder),
}


@pytest.mark.parametrize("kind", [*KINDS, "bm25"])
def test_hostile_passages_all_get_a_finite_score(kind, tmp_path):
    traces = list(read_traces(Path(__file__).parents[2] / "data" / "hostile.jsonl"))
    for trace in traces:
        texts = {passage.id: passage.text for passage in trace.passages}
        if kind == "bm25":
            ranker = Bm25Ranker.fit(texts)
        elif trace is traces[0]:
            loader, make = KINDS[kind]
            ranker = loader.load(str(make(tmp_path / "model")))
        scores = ranker.score(trace.query, texts)
        assert list(scores) == list(texts)
        assert all(math.isfinite(score) for score in scores.values())


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_give_nan_are_refused_and_not_sorted(kind, tmp_path):
    loader, make = KINDS[kind]
    folder = make(tmp_path / "model")
    path = folder / "model.safetensors"
    weights = {
        name: tensor * torch.nan if "LayerNorm" in name else tensor
        for name, tensor in load_file(path).items()
    }
    save_file(weights, path, metadata={"format": "pt"})
    with pytest.raises(ModelError, match="gave NaN or infinity on cpu"):
        loader.load(str(folder)).score("red", {"p": "blue"})
