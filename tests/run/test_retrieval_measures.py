"""Labels of a trace reach the measures of retrieval and the findings of a run."""

import json
from math import log2

import pytest

from boresight.api import audit
from helpers import additive_table, make_trace


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The retriever ranks a, b, c; b is relevant, c judged irrelevant; the answer rests on a and b."""
    folder = tmp_path_factory.mktemp("labels")
    table = additive_table({"a": 1.0, "b": 0.5, "c": -0.5})
    (folder / "fake.json").write_text(json.dumps({"*": table}), encoding="utf-8")
    trace = make_trace(answer="in Rome")
    for passage, label in zip(trace["passages"], (None, True, False), strict=True):
        passage["relevant"] = label
    names = ["ndcg@10", "map", "mrr", "recall@1", "label_holes", "share_outside_labels"]
    return audit(trace, generator=f"fake:{folder / 'fake.json'}", measures=names, out=folder / "run")


def test_every_measure_has_its_value(run):
    found = {name: one["value"] for name, one in run.summary["measures"].items()}
    assert found == {
        "ndcg@10": pytest.approx(1 / log2(3)), "map": 0.5, "mrr": 0.5, "recall@1": 0.0, "label_holes": 1.0,
        "share_outside_labels": pytest.approx(2 / 3),
    }  # fmt: skip


def test_the_hole_is_found(run):
    (found,) = run.findings[run.findings["kind"] == "label_hole"].to_dict("records")
    assert found["passages"] == ["a"]
    assert "1.50 nats from a (never judged)" in found["sentence"]
    assert run.summary["findings"]["label_hole"] == {
        "traces": 1, "of": 1, "value": 1.0, "low": pytest.approx(0.2065, abs=1e-4), "high": 1.0,
    }  # fmt: skip
