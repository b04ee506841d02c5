import subprocess
import sys

import pytest

from boresight.errors import SpecError
from boresight.models.rankers import extras
from boresight.models.rankers.registry import SPECS, load_ranker
from toy_encoders import cross_folder, dense_folder, sparse_folder


@pytest.mark.parametrize(
    ("kind", "make", "spec"),
    [
        ("sparse", sparse_folder, "sparse:{}"),
        ("maxsim", dense_folder, "maxsim:{}"),
        ("cross-encoder", cross_folder, "cross-encoder:{}"),
    ],
)
def test_a_spec_gives_its_kind(tmp_path, kind, make, spec):
    ranker = load_ranker(spec.format(make(tmp_path / "model")))
    assert ranker.describe()["kind"] == kind


def test_a_model_alone_is_a_dense_encoder(tmp_path):
    folder = dense_folder(tmp_path / "model")
    assert load_ranker(str(folder)).describe()["pooling"] == ["mean"]
    assert load_ranker(f"dense:{folder}").describe()["pooling"] == ["mean"]


def test_two_models_are_two_towers(tmp_path):
    folder = dense_folder(tmp_path / "model")
    assert "query_tower" in load_ranker(f"dense:{folder}|{folder}").describe()
    with pytest.raises(SpecError, match="3 towers"):
        load_ranker(f"dense:{folder}|{folder}|{folder}")


@pytest.mark.parametrize("spec", ["", "magic", "sparse:", "cross-encoder", "yes-no", "magic:x"])
def test_a_spec_of_no_kind_lists_the_kinds(spec):
    with pytest.raises(SpecError, match="names no ranker: give dense:MODEL") as error:
        load_ranker(spec)
    assert all(kind in str(error.value) for kind in SPECS)


def test_attention_needs_a_local_model(tmp_path):
    table = tmp_path / "fake.json"
    table.write_text('{"*": {"answer": "a", "values": {"": [-1.0]}}}')
    with pytest.raises(SpecError, match="attention can only be read of a local model"):
        load_ranker(f"attention:fake:{table}")


def test_a_missing_library_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(SpecError, match=r"needs bm25s.*pip install 'boresight\[retrieval\]'"):
        extras.library("bm25s")


def test_lexical_ranking_and_fusion_load_no_torch():
    code = (
        "import sys; import boresight.models.rankers.bm25, boresight.models.rankers.fusion, "
        "boresight.models.rankers.registry, boresight.explain.lexical, boresight.explain.removal, "
        "boresight.explain.structural; assert 'torch' not in sys.modules; assert 'bm25s' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
