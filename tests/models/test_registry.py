import json
import subprocess
import sys

import pytest

from boresight.errors import ModelError, SpecError
from boresight.models import carriers
from boresight.models.fake import FakeGenerator
from boresight.models.registry import load_generator
from boresight.testing.toy_models import tiny_model, toy_tokenizer


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("model")
    tiny_model("llama", vocabulary=len(toy_tokenizer())).save_pretrained(made)
    toy_tokenizer().save_pretrained(made)
    return made


def test_a_fake_spec_reads_its_table(tmp_path):
    file = tmp_path / "toy.json"
    file.write_text(json.dumps({"*": {"answer": "yes", "values": {"": [-1.0]}}}))
    assert isinstance(load_generator(f"fake:{file}"), FakeGenerator)


@pytest.mark.parametrize("prefix", ["", "hf:"])
def test_a_folder_loads_with_and_without_prefix(folder, prefix):
    generator = load_generator(f"{prefix}{folder}", dtype="bf16")
    assert generator.describe()["name"] == f"{prefix}{folder}"
    assert generator.describe()["dtype"] == "bfloat16"


def test_a_carrier_spec_loads_the_folder_that_the_carrier_gives(folder, monkeypatch):
    asked = []
    monkeypatch.setattr(carriers, "ensure", lambda name: asked.append(name) or folder)
    assert load_generator("pypi:some-model").describe()["name"] == "pypi:some-model"
    assert asked == ["some-model"]


@pytest.mark.parametrize("spec", ["other:http://x#m", "nothing", "hf:", "pypi:", "", "no/dir/x"])
def test_an_unknown_spec_lists_the_kinds_that_exist(spec):
    kinds = r"give hf:ORG/NAME, a folder, pypi:NAME, openai:URL#MODEL or fake:FILE\.json"
    with pytest.raises(SpecError, match=kinds):
        load_generator(spec)


def test_a_hub_id_without_prefix_is_told_its_prefix():
    with pytest.raises(SpecError, match="did you mean hf:org/name"):
        load_generator("org/name")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("gpt2", r"did you mean hf:gpt2\?"),
        ("smollm2-135m-instruct", r"did you mean pypi:smollm2-135m-instruct\?"),
        ("./nomodel", "there is no such folder"),
        ("/no/such/folder", "there is no such folder"),
        ("~/models/x", "there is no such folder"),
        ("C:/models/x", r"fake:FILE\.json$"),
        ("other:http://x#m", r"fake:FILE\.json$"),
    ],
)
def test_a_spec_of_no_kind_is_told_what_it_was_meant_to_be(spec, words):
    with pytest.raises(SpecError, match=words):
        load_generator(spec)


def test_a_carrier_of_an_encoder_is_no_generator():
    with pytest.raises(SpecError, match="pypi:all-minilm-l6-v2 is an encoder; use it as the retriever"):
        load_generator("pypi:all-minilm-l6-v2")


def test_a_fake_file_that_is_not_there_is_said(tmp_path):
    with pytest.raises(ModelError, match="cannot be read"):
        load_generator(f"fake:{tmp_path}/none.json")


def test_the_light_modules_import_without_torch():
    code = (
        "import sys; import boresight.models.seam, boresight.models.prompts, boresight.models.fake, "
        "boresight.models.registry, boresight.models.chat, boresight.testing.toy_games, "
        "boresight.testing.toy_models; "
        "print({'torch', 'transformers', 'tokenizers', 'pandas'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"
