"""Stages changed and a tiny real model asked: what the references gain, checked against the model by hand."""

from dataclasses import replace

import pytest

import boresight as bs
from boresight.errors import InputError, SpecError
from boresight.game import ContextGame
from boresight.models.transformers_generator import TransformersGenerator
from boresight.run.ablation import GeneratorAnswers
from boresight.testing.toy_models import tiny_model, toy_tokenizer

TEXTS = {key: bs.Passage(key, f"The river {key} runs by the castle.") for key in "abcde"}
TRACES = [
    bs.Trace(name, f"Where is {name}?", references=("by the castle", "there"), relevance={"e": 1})
    for name in ("first", "second", "third")
]


def ranked(ids):
    return [bs.Ranked(key, 10.0 - place) for place, key in enumerate(ids)]


def pipeline(cut=2):
    """A retriever that keeps all and a reranker that puts the good passage ``e`` third."""
    return bs.Pipeline(
        [
            bs.PipelineStage("bm25", "retrieve", lambda _query, _entering: ranked("abcde"), 5),
            bs.PipelineStage("ce", "rerank", lambda _query, _entering: ranked("abecd"), cut),
        ],
        TEXTS,
    )


class Counting(TransformersGenerator):
    """A generator that counts what it is asked."""

    scored = generated = 0

    def score(self, requests):
        type(self).scored += len(requests)
        return super().score(requests)

    def generate(self, request, max_new_tokens):
        type(self).generated += 1
        return super().generate(request, max_new_tokens)


@pytest.fixture
def generator():
    tokenizer = toy_tokenizer(window=512)
    Counting.scored = Counting.generated = 0
    return Counting(tiny_model("llama", vocabulary=len(tokenizer)), tokenizer, name="toy")


def effects(found):
    return {effect.measure: effect for effect in found.effects}


def by_hand(generator, trace, context):
    """Log-probability of the likelier reference behind the prompt of a context, from the model's logits."""
    import torch

    passages = tuple(TEXTS[key] for key in context)
    best = []
    for reference in trace.references:
        one = bs.Trace(trace.id, trace.query, passages, context=tuple(context), answer=reference)
        prompt = ContextGame(generator, one).prompt()
        ids = torch.tensor([[*prompt.ids, *prompt.target_ids]])
        with torch.no_grad():
            scores = generator._model(ids).logits[0].log_softmax(-1)
        at = range(len(prompt.ids) - 1, ids.shape[1] - 1)
        best.append(sum(float(scores[p, t]) for p, t in zip(at, prompt.target_ids, strict=True)))
    return max(best)


def test_a_wider_cut_moves_the_references_by_what_the_model_itself_gives(generator):
    (found,) = bs.ablate(pipeline(), TRACES, [bs.recut("ce", 3)], generator=generator, max_new_tokens=3)
    effect = effects(found)["reference_logprob"]
    before = [by_hand(generator, trace, "ab") for trace in TRACES]
    after = [by_hand(generator, trace, "abe") for trace in TRACES]
    assert effect.before == pytest.approx(sum(before) / 3, abs=1e-4)
    assert effect.after == pytest.approx(sum(after) / 3, abs=1e-4)
    assert effect.change.difference.value == pytest.approx(effect.after - effect.before, abs=1e-9)
    assert (effect.change.pairs, found.recovered.value) == (3, 1.0)
    assert {"answer_right", "answer_changed"} <= set(effects(found))


def test_the_same_context_is_asked_about_once(generator):
    changes = [bs.recut("ce", 3), bs.inject("bm25"), bs.skip("ce")]
    found = bs.ablate(pipeline(), TRACES, changes, generator=generator, max_new_tokens=2)
    assert (Counting.scored, Counting.generated) == (6, 6)  # contexts ab and abe; the rest is the same again
    assert [one.change.name for one in found] == ["recut@ce=3", "inject@bm25", "skip@ce"]
    assert effects(found[2])["context_changed"].after == 0.0


def test_without_answers_nothing_is_generated(generator):
    (found,) = bs.ablate(pipeline(), TRACES, [bs.recut("ce", 3)], generator=generator, answers=False)
    assert Counting.generated == 0
    assert set(effects(found)) == {
        "good_in_context", "any_good", "reciprocal_rank", "context_changed", "reference_logprob",
    }  # fmt: skip


def test_without_a_generator_only_the_contexts_are_compared():
    (found,) = bs.ablate(pipeline(), TRACES, [bs.inject("ce")])
    assert effects(found)["good_in_context"].after == 1.0
    assert "reference_logprob" not in effects(found)


def test_traces_may_be_objects_and_good_passages_may_be_named():
    lines = [{"id": "one", "query": "Where?"}, {"id": "two", "query": "Why?"}]
    (found,) = bs.ablate(pipeline(), lines, [bs.recut("ce", 5)], good=["one=c", "two=a"])
    assert (found.missing, found.recovered.value) == (1, 1.0)
    with pytest.raises(SpecError, match="write TRACE=PASSAGE"):
        bs.ablate(pipeline(), lines, [bs.recut("ce", 5)], good=["c"])
    with pytest.raises(InputError):
        bs.ablate(pipeline(), "nosuch.jsonl", [])


def test_a_context_too_long_for_the_window_is_counted_and_its_trace_left_out(generator):
    answered = replace(pipeline().run(TRACES[1]), answer="by the castle")
    prompt = ContextGame(generator, answered).prompt()
    window = len(prompt.ids) + len(prompt.target_ids)
    tokenizer = toy_tokenizer(window=window)
    narrow = TransformersGenerator(
        tiny_model("llama", vocabulary=len(tokenizer), window=window), tokenizer, name="toy"
    )
    (found,) = bs.ablate(pipeline(), TRACES, [bs.recut("ce", 5)], generator=narrow, answers=False)
    assert set(found.failed) == {"first", "second", "third"}
    assert "window holds" in found.failed["first"]
    assert "--too-long" not in found.failed["first"]


def test_a_trace_without_references_has_no_log_probability(generator):
    ran = pipeline().run(bs.Trace("t", "Where?"))
    found = GeneratorAnswers(generator, max_new_tokens=2)(ran)
    assert found.reference_logprob is None
    assert isinstance(found.text, str)
