"""Hostile traces pass through every command, on a tiny random model with real control tokens."""

import json

import pandas as pd
import pyarrow.parquet as pq
import pytest

from boresight.testing.toy_models import tiny_model, toy_tokenizer


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tiny")
    tokenizer = toy_tokenizer(window=16_384)
    tiny_model("llama", vocabulary=len(tokenizer), window=16_384).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def hostile(root):
    return root / "tests/data/hostile.jsonl"


@pytest.fixture
def finished(hostile, model, boresight, tmp_path):
    code, out, _ = boresight(
        "audit", hostile, "-g", model, "-o", tmp_path / "run", "--max-new-tokens", "4", "--threads", "1",
        "--show", "100",
    )  # fmt: skip
    return code, out, tmp_path / "run"


def test_an_audit_of_hostile_traces_finishes_and_its_files_are_sound(finished, hostile):
    code, out, run = finished
    lines = [json.loads(line) for line in hostile.read_bytes().split(b"\n") if line.strip()]
    record = json.loads((run / "run.json").read_text(), parse_constant=pytest.fail)
    assert code == (3 if record["failures"] else 0)
    assert set(record["failures"]) <= {line["id"] for line in lines}
    assert "\x1b" not in out
    assert "\x00" not in out
    json.loads((run / "summary.json").read_text(), parse_constant=pytest.fail)
    table = pq.read_table(run / "passages.parquet").to_pandas()
    context = {(line["id"], str(p)) for line in lines if "context" in line for p in line["context"]}
    keys = set(zip(table["trace"], table["passage"], strict=True))
    scored = {trace for trace, _ in keys}
    assert {key for key in context if key[0] in scored} <= keys
    assert pd.notna(table["attribution"]).all()


def test_a_plan_of_hostile_traces(hostile, model, boresight):
    code, out, _ = boresight("plan", hostile, "-g", model, "--json")
    assert code == 0
    assert json.loads(out)["traces"] > 20


def test_a_passage_of_12_000_tokens_is_refused_with_both_numbers(root, tmp_path, boresight):
    tokenizer = toy_tokenizer(window=8192)
    tiny_model("llama", vocabulary=len(tokenizer), window=8192).save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    long = root / "tests/data/long_passage.jsonl"
    code, _, err = boresight("audit", long, "-g", tmp_path / "model", "-o", tmp_path / "run")
    assert code == 2
    assert "8192" in err
