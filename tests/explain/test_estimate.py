"""How an estimate shows itself."""

import pickle

import numpy as np
import pytest

from boresight.explain.shapley import Estimate, attribute


@pytest.fixture
def sampled():
    return attribute(lambda coalitions: coalitions.sum(axis=1) * 0.25, 30, seed=1)


def test_repr_is_one_short_line(sampled):
    assert repr(sampled) == (
        f"<Estimate of shapley by kriging: 30 players, {sampled.calls:,} calls, interval: 95 percent>"
    )
    assert "3 players, 7 tokens, 8 calls" in repr(attribute(lambda c: np.zeros((len(c), 7)), 3))


def test_html_has_one_row_a_player_and_says_what_it_leaves_out(sampled):
    html = sampled._repr_html_()
    assert html.count("<tr>") == 1 + 20
    assert "<td>0</td><td>0.25</td><td>0.25</td><td>0.25</td>" in html
    assert "and 10 more players" in html


def test_html_sums_tokens_without_an_interval():
    found = attribute(lambda c: c.sum(axis=1)[:, None] * [1.0, 2.0], 14)
    assert found.low.shape == (14, 2)
    assert "<td>0</td><td>3</td><td></td><td></td>" in found._repr_html_()


def test_html_escapes_text():
    found = Estimate("<b>", "&", np.zeros(1), None, None, 2, {"interval": "<script>"}, 1)
    html = found._repr_html_()
    assert "&lt;b&gt; by &amp;" in html
    assert "&lt;script&gt;" in html
    assert "<script>" not in html


def test_an_estimate_cannot_be_changed_and_can_be_pickled(sampled):
    with pytest.raises(AttributeError):
        sampled.calls = 0
    assert pickle.loads(pickle.dumps(sampled)).values.tolist() == sampled.values.tolist()  # noqa: S301
