"""Faithfulness of the retriever's saliency, as measures of an audit."""

import io

import pytest
from rich.console import Console

import boresight as bs
from boresight.models.encoder import load_encoder
from boresight.models.fake import FakeGenerator
from boresight.models.rankers.bm25 import Bm25Ranker
from boresight.report.saliency_text import looks_view
from helpers import additive_table
from toy_encoders import dense_folder

TEXTS = {"a": "the copper bridge stands", "b": "a bridge of stone"}
PASSAGES = [{"id": key, "text": one} for key, one in TEXTS.items()]
TRACE = {"id": "t", "query": "copper bridge", "passages": PASSAGES}
GENERATOR = FakeGenerator({"t": additive_table({"a": 1.0, "b": 0.5})})
NAMES = ["saliency_aipc", "saliency_comprehensiveness_over_random"]


def audit(ranker, explain=("retriever",), **settings):
    return bs.audit(
        [TRACE], generator=GENERATOR, retriever=ranker, explain=list(explain), measures=NAMES, **settings
    )


def render(view):
    screen = Console(file=io.StringIO(), width=80)
    screen.print(view)
    return screen.file.getvalue()


@pytest.fixture
def encoder(tmp_path):
    return load_encoder(str(dense_folder(tmp_path / "model")))


def test_the_mean_over_the_passages_is_a_measure_of_the_trace(encoder):
    run = audit(encoder)
    found = run.measures.loc[("t", "saliency_aipc", "answer")]
    assert found["state"] == "defined"
    assert -1 <= found["value"] <= 1
    assert found["chance"] == 0


def test_curves_are_stored_and_a_resumed_run_scores_none_anew(encoder, tmp_path):
    out = tmp_path / "run"
    audit(encoder, out=out)
    before = (out / "explanations.jsonl").read_bytes()
    assert b'"curves"' in before
    audit(encoder, out=out)
    assert (out / "explanations.jsonl").read_bytes() == before


def test_without_explanations_the_measure_says_how_to_get_it(encoder):
    found = audit(encoder, explain=()).measures.loc[("t", "saliency_aipc", "answer")]
    assert found["state"] == "undefined"
    assert "--explain retriever" in found["reason"]


def test_exact_arithmetic_has_nothing_to_test():
    found = audit(Bm25Ranker.fit(TEXTS)).measures.loc[("t", "saliency_aipc", "answer")]
    assert found["state"] == "undefined"


def test_unasked_curves_cost_nothing(encoder, tmp_path):
    settings = {"retriever": encoder, "explain": ["retriever"], "out": tmp_path / "run"}
    run = bs.audit([TRACE], generator=GENERATOR, **settings)
    assert b'"curves"' not in (run.folder / "explanations.jsonl").read_bytes()


def test_the_terminal_shows_the_mean_that_was_asked_for(encoder):
    said = render(looks_view(audit(encoder)))
    assert "faithful to its scores: aipc" in said
    without = bs.audit([TRACE], generator=GENERATOR, retriever=encoder, explain=["retriever"])
    assert "faithful" not in render(looks_view(without))
