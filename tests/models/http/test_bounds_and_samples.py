"""Tokens outside the top-k have bounds, new answers have intervals, and both say so."""

import numpy as np
import pytest

from boresight.errors import ScoringError
from boresight.models.prompts import BORESIGHT
from boresight.models.seam import Target

from .conftest import requests_for, target_for, values


@pytest.fixture(scope="module")
def text():
    return "Paris of the river"


@pytest.mark.parametrize("cap", [5, 20])
def test_a_true_value_lies_within_its_bounds(opened, local, trace, text, cap):
    generator, _ = opened("top=40", shape="legacy", named=True, ignore_echo=True, cap=cap)
    bounded = 0
    exact = local.score(requests_for(local, trace, text))
    for mine, theirs in zip(generator.score(requests_for(generator, trace, text)), exact, strict=True):
        low, high, true = mine.lower["answer"], mine.upper["answer"], theirs.logprobs["answer"]
        known = np.isfinite(low)
        np.testing.assert_allclose(mine.logprobs["answer"][known], true[known], atol=1e-4)
        assert (true <= high + 1e-4).all()
        assert (mine.logprobs["answer"] == high).all()
        bounded += int((~known).sum())
    assert bounded > 0
    assert mine.value_kind == "generated_logprobs"


def test_one_call_a_target_token(opened, trace, text):
    generator, server = opened(shape="legacy", named=True, ignore_echo=True)
    request = requests_for(generator, trace, text)[0]
    before = server.calls
    generator.score([request])
    assert server.calls - before == len(request.targets[0].token_ids)


def test_new_answers_give_a_similarity_with_an_interval(opened, trace):
    generator, server = opened("samples=5&max_new=8", shape="legacy", ignore_echo=True)
    request = requests_for(generator, trace)[3]
    before = server.calls
    scored = generator.score([request])[0]
    assert server.calls - before == 5
    assert len({body["seed"] for body in server.received[before:]}) == 5
    value, low, high = (kind["answer"] for kind in (scored.logprobs, scored.lower, scored.upper))
    assert value.shape == (1,)
    assert -1 <= low <= value <= high <= 1
    assert scored.value_kind == generator.capabilities().value_kind == "regenerate"
    assert generator.describe()["similarity"] == {"name": "letters"}


def test_new_answers_repeat_with_their_seeds_and_the_floor_draws_others(opened, trace):
    generator, _ = opened("samples=2&max_new=8", shape="legacy", ignore_echo=True)
    requests = requests_for(generator, trace)
    first, again, other = (
        np.stack([one.logprobs["answer"] for one in score(requests)])
        for score in (generator.score, generator.score, generator.score_together)
    )
    assert (first == again).all()
    assert (first != other).any()


def test_a_target_equal_to_every_answer_has_similarity_one(opened, trace):
    generator, _ = opened("temperature=0.000001&max_new=5", shape="legacy", ignore_echo=True)
    request = requests_for(generator, trace)[3]
    answer = generator.generate(request, 5).text
    assert values(generator, trace, answer)[3] == pytest.approx(1.0, abs=1e-6)


def test_an_empty_answer_has_nothing_in_common():
    from boresight.models.http.sampled_values import SampledValues

    assert SampledValues._similarity(None, " \n", "Warsaw") == 0.0


def test_targets_of_one_prompt_share_the_answers(opened, trace):
    generator, server = opened("samples=2&max_new=8", shape="legacy", ignore_echo=True)
    request = requests_for(generator, trace)[3]
    other = Target("reference:0", "reference", "Paris", *generator.encode_target("q1", "Paris"))
    both = type(request)("q1", "passages", request.segments, (request.targets[0], other))
    before = server.calls
    assert set(generator.score([both])[0].logprobs) == {"answer", "reference:0"}
    assert server.calls - before == 2


@pytest.mark.parametrize("options", ["", "value=regenerate"])
def test_the_end_of_an_answer_has_no_score_where_only_the_server_knows_it(opened, options):
    generator, _ = opened(options)
    with pytest.raises(ScoringError, match="leave --score-end out"):
        generator.encode_target("q1", "Warsaw", end=True)


def test_a_named_tokenizer_knows_the_end(opened, local):
    generator, _ = opened(named=True)
    assert generator.encode_target("q1", "Warsaw", end=True) == local.encode_target("q1", "Warsaw", end=True)


def test_recorded_reasoning_needs_a_named_tokenizer(opened, trace):
    with pytest.raises(ScoringError, match="its recorded reasoning cannot stand before the answer"):
        opened()[0].prepare(trace, BORESIGHT, "hm")
    assert opened(named=True)[0].prepare(trace, BORESIGHT, "hm").tail.ids


def test_token_spans_of_the_server_rebuild_the_target(opened, trace):
    generator, _ = opened()
    target = target_for(generator, trace, "Warsaw, the capital")
    assert "".join(target.text[start:stop] for start, stop in target.offsets) == target.text
    assert len(target.offsets) == len(target.token_ids) > 3
