import numpy as np
import pytest

from boresight.explain.saliency import (
    IntegratedGradients,
    SaliencyWarning,
    contrast,
    pair_side,
    passage_side,
    query_side,
)
from boresight.models.encoder import load_encoder
from toy_encoders import tokenizer

QUERY = "red small"
PASSAGES = {"a": "red blue green small .", "b": "green red", "c": "blue blue small red green . red"}
EXACT = IntegratedGradients(nodes=(128,))


def test_the_known_integral_of_a_square(squares):
    found = IntegratedGradients(nodes=(4,), quadrature="gauss").explain(squares)
    assert found.values == pytest.approx([9, 5, 0], abs=1e-6)
    assert (found.score, found.baseline, found.baseline_score) == (64.0, "zero", 50.0)
    assert found.gap == pytest.approx(0, abs=1e-6)
    assert found.additivity == pytest.approx(1)


def test_the_published_sum_overshoots_by_its_rule(squares):
    # 2 x^2 t over t = 0, 1/4, .. 1 divided by five is x^2; with both ends in full its slope is 2 at t = 1
    found = IntegratedGradients(nodes=(5,), quadrature="riemann").explain(squares)
    assert found.values == pytest.approx([9, 5, 0], abs=1e-6)


@pytest.mark.parametrize("pooling", ["cls", "mean", "max", "last"])
@pytest.mark.parametrize("similarity", ["cosine", "dot"])
def test_values_sum_to_the_change_of_the_encoders_own_score(make_encoder, pooling, similarity):
    encoder = make_encoder(pooling, similarity=similarity)
    fine = IntegratedGradients(nodes=(128,), tolerance=0.05)  # a maximum has kinks along the path
    scores = encoder.score(QUERY, PASSAGES)
    for passage, text in passage_side(encoder, QUERY, PASSAGES).items():
        found = fine.explain(text)
        assert found.score == pytest.approx(scores[passage], abs=1e-9)
        assert found.values.sum() == pytest.approx(found.change, rel=0.05 if pooling == "max" else 1e-3)
    assert fine.explain(query_side(encoder, QUERY, PASSAGES)).relative_gap < 0.05


@pytest.mark.parametrize("baseline", ["unk", "mask", "pad", "zero"])
def test_control_tokens_are_exactly_zero(encoder, baseline):
    found = IntegratedGradients(baseline).explain(passage_side(encoder, QUERY, PASSAGES)["c"])
    assert [token.value for token in found.tokens if token.part == "control"] == [0.0, 0.0]
    assert found.baseline == baseline
    assert all(token.value for token in found.tokens if token.part == "text")


def test_the_summed_score_is_the_sum_over_passages(encoder):
    whole = EXACT.explain(query_side(encoder, QUERY, PASSAGES))
    parts = [EXACT.explain(query_side(encoder, QUERY, {key: text})) for key, text in PASSAGES.items()]
    assert whole.values == pytest.approx(sum(part.values for part in parts), abs=1e-6)
    assert whole.score == pytest.approx(sum(encoder.score(QUERY, PASSAGES).values()), abs=1e-9)


def test_the_contrast_is_one_pass_and_swapping_flips_every_sign(encoder):
    first = EXACT.explain(contrast(encoder, QUERY, PASSAGES["a"], PASSAGES["b"]))
    second = EXACT.explain(contrast(encoder, QUERY, PASSAGES["b"], PASSAGES["a"]))
    assert np.array_equal(first.values, -second.values)
    scores = encoder.score(QUERY, PASSAGES)
    assert first.score == pytest.approx(scores["a"] - scores["b"], abs=1e-9)
    one = [EXACT.explain(query_side(encoder, QUERY, {key: PASSAGES[key]})).values for key in "ab"]
    assert first.values == pytest.approx(one[0] - one[1], abs=1e-6)


def test_neighbours_and_padding_side_change_nothing(make_encoder):
    left, right = (make_encoder(padding_side=side, normalize=True) for side in ("left", "right"))
    alone = {
        key: EXACT.explain(passage_side(left, QUERY, {key: text})[key]) for key, text in PASSAGES.items()
    }
    for encoder in (left, right):
        together = passage_side(encoder, QUERY, dict(reversed(PASSAGES.items())))
        for key, text in together.items():
            assert np.array_equal(EXACT.explain(text).values, alone[key].values)


def test_more_nodes_are_taken_when_the_gap_is_large(encoder):
    text = passage_side(encoder, QUERY, PASSAGES)["a"]
    found = IntegratedGradients(nodes=(2, 3, 128)).explain(text)
    assert found.nodes == 128
    assert found.evaluations == 1 + 2 + 3 + 128
    assert found.warning is None


def test_a_gap_that_stays_is_a_visible_warning(encoder):
    text = passage_side(encoder, QUERY, PASSAGES)["a"]
    with pytest.warns(SaliencyWarning, match="gap of .* with 2 nodes, above the tolerance"):
        found = IntegratedGradients(nodes=(2,), tolerance=1e-6).explain(text)
    assert found.warning.startswith("Integrated Gradients leave a gap")
    assert found.relative_gap > 1e-6


def test_a_missing_baseline_token_gives_the_next_one(make_encoder):
    words = tokenizer()
    words.mask_token = None
    text = passage_side(make_encoder(words=words), QUERY, PASSAGES)["a"]
    assert IntegratedGradients("mask").explain(text).baseline == "unk"
    with pytest.raises(ValueError, match="choose one of unk, mask, pad, zero"):
        IntegratedGradients("blank").explain(text)


def test_an_empty_text_has_no_value_and_no_gap(encoder):
    found = IntegratedGradients().explain(passage_side(encoder, QUERY, {"p": ""})["p"])
    assert found.values.tolist() == [0.0, 0.0]
    assert found.gap == pytest.approx(0, abs=1e-6)


def test_a_prompt_has_its_own_part(make_encoder):
    encoder = make_encoder(prompts={"query": "query : "})
    found = EXACT.explain(query_side(encoder, QUERY, PASSAGES))
    assert [token.part for token in found.tokens] == [
        "control",
        "prompt",
        "prompt",
        "text",
        "text",
        "control",
    ]
    assert [row["text"] for row in found.rows("q1", None, "toy")] == ["red", "small"]


def test_a_weight_of_no_passage_is_refused(encoder):
    with pytest.raises(ValueError, match="no passage 'z'"):
        query_side(encoder, QUERY, PASSAGES, {"z": 1.0})


@pytest.mark.parametrize("side", ["query", "passage"])
def test_a_cross_encoders_logit_is_explained_on_one_side(cross, side):
    texts = pair_side(cross, QUERY, PASSAGES, side)
    scores = cross.score(QUERY, PASSAGES)
    for key, text in texts.items():
        found = EXACT.explain(text)
        assert found.score == scores[key]
        assert found.relative_gap < 0.01
        assert {token.value for token in found.tokens if token.part != "text"} == {0.0}
        written = QUERY if side == "query" else PASSAGES[key]
        spans = [(token.start, token.end) for token in found.tokens if token.part == "text"]
        assert "".join(written[start:end] for start, end in spans) == written


@pytest.mark.real
def test_minilm_has_a_small_gap_on_both_sides_with_16_nodes():
    encoder = load_encoder("pypi:all-minilm-l6-v2", check=False)
    query, passage = "Where was Marie Curie born?", "Marie Curie was born in Warsaw, then a Russian city. 🙂"
    for text in (
        query_side(encoder, query, {"p": passage}),
        passage_side(encoder, query, {"p": passage})["p"],
    ):
        found = IntegratedGradients().explain(text)
        assert (found.nodes, found.baseline) == (16, "unk")
        assert found.relative_gap < 0.01
        assert found.score == pytest.approx(encoder.score(query, {"p": passage})["p"], abs=1e-6)
