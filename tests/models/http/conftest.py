"""A tiny model that speaks in words, the same model behind a server, and generators that ask it."""

from contextlib import ExitStack

import numpy as np
import pytest
import torch

from boresight.models.http.generator import EndpointGenerator
from boresight.models.http.limits import Limits
from boresight.models.prompts import BORESIGHT
from boresight.models.seam import Request, Target
from boresight.models.transformers_generator import TransformersGenerator
from boresight.testing.server import EndpointServer
from boresight.testing.server_backends import ModelBackend
from boresight.testing.server_faults import Faults
from boresight.testing.toy_models import WORDS, tiny_model, toy_tokenizer

ANSWER = "Warsaw, in Poland."
FAST = Limits(timeout=10.0, backoff=0.001, longest_pause=0.01)


class LettersEncoder:
    """Compares texts by their letters."""

    def describe(self):
        return {"name": "letters"}

    def encode(self, texts, side=None):
        counts = [[text.lower().count(chr(code)) for code in range(97, 123)] for text in texts]
        return np.asarray(counts, np.float32)


@pytest.fixture(scope="session")
def tokenizer():
    return toy_tokenizer()


@pytest.fixture(scope="session")
def model(tokenizer):
    """A tiny Llama that says whole words only, so that its answers are tokenised again as they were made."""
    torch.set_num_threads(1)
    built = tiny_model("llama", vocabulary=len(tokenizer), window=4096, std=0.5)
    head = torch.nn.Linear(32, len(tokenizer))
    words = [tokenizer.convert_tokens_to_ids(f"Ġ{word}") for word in WORDS]
    with torch.no_grad():
        head.weight.copy_(built.lm_head.weight)
        head.bias.fill_(-30.0)
        head.bias[words] = 0.0
    built.lm_head = head
    return built.eval()


@pytest.fixture(scope="session")
def tokenizer_folder(tokenizer, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenizer")
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def local(model, tokenizer):
    return TransformersGenerator(model, tokenizer, name="toy")


@pytest.fixture(scope="session")
def backend(model, tokenizer):
    return ModelBackend(model, tokenizer)


@pytest.fixture
def opened(backend, tokenizer_folder, tmp_path):
    """Start a server that misbehaves as told, and open a generator that asks it."""
    with ExitStack() as stack:

        def start(options="", *, shape="vllm", named=False, limits=FAST, behind=backend, **faults):
            server = stack.enter_context(EndpointServer(behind, shape=shape, faults=Faults(**faults)))
            if named:
                options = (
                    f"{options}&tokenizer={tokenizer_folder}" if options else f"tokenizer={tokenizer_folder}"
                )
            spec = f"openai:{server.url}#toy" + (f"?{options}" if options else "")
            generator = EndpointGenerator.open(
                spec, limits=limits, probes=tmp_path / "probes", encoder=LettersEncoder()
            )
            stack.callback(generator.close)
            return generator, server

        yield start


def requests_for(generator, trace, text=ANSWER):
    """The requests of all coalitions of two passages, and closed book."""
    parts = generator.prepare(trace, BORESIGHT)
    target = target_for(generator, trace, text)
    first, second = (parts.block(name, label) for label, name in enumerate(trace.context, 1))
    kept = [(), (first,), (second,), (first, second)]
    asked = [Request(trace.id, "passages", (parts.header, *own, parts.tail), (target,)) for own in kept]
    return [*asked, Request(trace.id, "closed_book", (parts.closed_book,), (target,))]


def target_for(generator, trace, text=ANSWER):
    ids, spans = generator.encode_target(trace.id, text)
    return Target("answer", "recorded", text, ids, spans)


def values(generator, trace, text=ANSWER):
    scored = generator.score(requests_for(generator, trace, text))
    return np.stack([one.logprobs["answer"] for one in scored])
