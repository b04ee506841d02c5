"""A perturbation setup on a generator that uses what the retriever ranks high, wherever it stands."""

import json

import pytest

from boresight.errors import InputError
from boresight.models.fake import FakeGenerator
from boresight.run.perturb import perturb
from helpers import additive_table, make_trace, write_jsonl

WEIGHTS = {"a": 2.0, "b": 1.5, "c": 0.5, "d": 0.0}
TRACES = [make_trace(name, tuple(WEIGHTS)) for name in ("t", "u")]
GENERATOR = FakeGenerator({"*": additive_table(WEIGHTS, base=-9.0)})


def run(out, **fields):
    return perturb(TRACES, out, generator=GENERATOR, setup="A", k=2, settings={"placebo": 0}, **fields)


def test_a_right_order_scores_above_a_wrong_one(tmp_path):
    found = run(tmp_path / "out")
    spearman = found["measures"]["spearman"]
    # Places c, d, a, b against weights a > b > c > d: squared distances 4 times 4, so 1 - 96 / 60.
    assert spearman["means"]["1"] == pytest.approx(1.0)
    assert spearman["means"]["2"] == pytest.approx(-0.6)
    assert spearman["difference"]["value"] == pytest.approx(1.6)
    assert spearman["pairs"] == 2
    assert found["measures"]["warg@1.5"]["means"]["1"] == pytest.approx(1.0)
    assert json.loads((tmp_path / "out" / "perturb.json").read_text()) == found


def test_the_same_command_goes_on_without_a_new_call(tmp_path):
    whole = run(tmp_path / "out")
    record = json.loads((tmp_path / "out" / "condition-1" / "run.json").read_text())
    assert run(tmp_path / "out") == whole
    again = json.loads((tmp_path / "out" / "condition-1" / "run.json").read_text())
    assert again["counts"] == record["counts"]


def test_no_trace_is_refused(tmp_path):
    with pytest.raises(InputError):
        perturb([], tmp_path / "out", generator=GENERATOR, setup="A", k=2)


def test_the_command_prints_a_row_a_measure(tmp_path, boresight):
    write_jsonl(tmp_path / "traces.jsonl", TRACES)
    table = {"*": additive_table(WEIGHTS, base=-9.0)}
    (tmp_path / "fake.json").write_text(json.dumps(table))
    arguments = [tmp_path / "traces.jsonl", "-g", f"fake:{tmp_path / 'fake.json'}", "-o", tmp_path / "out"]
    code, out, err = boresight("perturb", *arguments, "--setup", "A", "--k", 2)
    assert code == 0, err
    assert max(map(len, out.splitlines())) <= 80
    assert "spearman" in out
    assert "1.600" in out


def test_a_corpus_without_ids_is_refused_by_line(tmp_path, boresight):
    write_jsonl(tmp_path / "traces.jsonl", TRACES)
    write_jsonl(tmp_path / "corpus.jsonl", [{"text": "no id"}])
    (tmp_path / "fake.json").write_text(json.dumps({"*": additive_table(WEIGHTS)}))
    arguments = [tmp_path / "traces.jsonl", "-g", f"fake:{tmp_path / 'fake.json'}", "-o", tmp_path / "out"]
    code, _, err = boresight("perturb", *arguments, "--corpus", tmp_path / "corpus.jsonl")
    assert code == 2
    assert "line 1: a passage needs _id (or id) and text" in " ".join(err.split())
