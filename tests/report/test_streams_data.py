"""The page shows both streams token by token where they were stored, and nothing where they were not."""

import numpy as np
import pytest

from boresight.api import audit
from boresight.models.transformers_generator import TransformersGenerator
from boresight.report.html.data import report_data
from boresight.testing.toy_models import tiny_model, toy_tokenizer
from helpers import make_trace


@pytest.fixture(scope="module")
def generator():
    tokenizer = toy_tokenizer("bytes")
    model = tiny_model("llama", vocabulary=len(tokenizer), window=4096)
    return TransformersGenerator(model, tokenizer, name="toy")


@pytest.fixture
def shown(generator, tmp_path):
    """The first trace of an audit's page."""

    def made(*, redact=False, **settings):
        audit([make_trace("t0", ("a", "b"))], generator=generator, out=tmp_path / "run", **settings)
        return report_data(tmp_path / "run", redact=redact)["traces"][0]

    return made


def test_probabilities_are_those_of_the_stored_rows(shown):
    trace = shown(measures="stream_kl,context_gain")
    streams = trace["streams"]
    for name, total in (("with", "grand"), ("without", "closed")):
        assert len(streams[name]) == len(trace["pieces"])
        low, high = (np.array(streams[name]) + half for half in (-0.5, 0.5))  # cells are whole thousandths
        product = np.exp(trace[total])
        assert np.prod(low.clip(0) / 1000) <= product <= np.prod(high / 1000)


def test_each_token_has_a_label_and_the_layer_is_named(shown):
    trace = shown(measures="stream_kl,context_gain")
    assert len(trace["streams"]["labels"]) == len(trace["pieces"])
    assert set(trace["streams"]["labels"]) <= {"same", "benefit", "detriment"}
    assert trace["streams"]["layer"] in (0, 1)


def test_a_run_that_did_not_compare_streams_shows_none(shown):
    assert shown(measures="context_gain")["streams"] is None


def test_a_closed_book_that_was_not_scored_is_absent(shown):
    assert shown(measures="stream_kl")["streams"]["without"] is None


def test_a_redacted_page_keeps_the_numbers_and_no_text(shown):
    trace = shown(measures="stream_kl,context_gain", redact=True)
    assert trace["pieces"] == [None] * len(trace["streams"]["with"])
