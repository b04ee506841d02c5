"""Risks of a finished run, in Python and on the command line."""

import json

import pytest
from typer.testing import CliRunner

from boresight.api import audit
from boresight.cli.app import app
from boresight.errors import SpecError
from boresight.measure.risk import hoeffding_bentkus
from boresight.run.risk import finding_risk, measure_risk
from helpers import additive_table, make_trace, write_jsonl

TRACES = 30


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Thirty traces; in ten of them the answer rests on b, which the retriever ranks second."""
    folder = tmp_path_factory.mktemp("risk")
    tables = {
        f"t{place}": additive_table(
            {"a": 0.5, "b": 1.0, "c": -0.5} if place % 3 == 0 else {"a": 1.0, "b": 0.5, "c": 0.25}
        )
        for place in range(TRACES)
    }
    (folder / "fake.json").write_text(json.dumps(tables), encoding="utf-8")
    write_jsonl(folder / "traces.jsonl", [make_trace(name) for name in tables])
    found = audit(str(folder / "traces.jsonl"), generator=f"fake:{folder / 'fake.json'}", out=folder / "run")
    return found.folder


def test_the_risk_is_one_minus_the_measure(run):
    found = measure_risk(run, "top1_agreement")
    assert found.found.risk == pytest.approx(1 / 3)
    assert found.found.bound == hoeffding_bentkus(found.found.risk, TRACES, 0.1)
    assert found.loss == "1 - top1_agreement"


def test_a_measure_that_is_itself_a_loss(run):
    assert measure_risk(run, "top1_agreement", lower_is_better=True).found.risk == pytest.approx(2 / 3)


def test_a_measure_on_another_scale_is_moved_to_it(run):
    found = measure_risk(run, "spearman")
    assert found.loss == "1 - (spearman +1) / 2"
    assert 0 <= found.found.risk <= 1


def test_the_share_of_traces_with_a_finding(run):
    found = finding_risk(run, "harmful_passage", delta=0.05)
    assert (found.found.risk, found.found.traces, found.left_out) == (pytest.approx(1 / 3), TRACES, 0)


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("context_gain", "context_gain has none"),
        ("wasted_share@9", "does not hold wasted_share@9"),
        ("wasted_retrieval@2", "needs at least 22 traces with a value, there are 0"),
    ],
)
def test_what_gives_no_risk_is_refused(run, name, match):
    with pytest.raises(SpecError, match=match):
        measure_risk(run, name)


def test_an_unknown_finding_is_refused_with_the_known_ones(run):
    with pytest.raises(SpecError, match="no finding 'harm'; it knows wasted_retrieval,"):
        finding_risk(run, "harm")


def test_the_command_prints_one_sentence_or_one_line_of_json(run):
    said = CliRunner().invoke(app, ["risk", str(run), "--measure", "top1_agreement"])
    assert said.exit_code == 0
    assert "the mean risk (1 - top1_agreement) is at most 0.51" in said.output
    line = CliRunner().invoke(app, ["risk", str(run), "--finding", "harmful_passage", "--json"])
    assert json.loads(line.output)["traces"] == TRACES


def test_the_command_wants_one_risk(run):
    with pytest.raises(SpecError, match="one of --measure NAME and --finding KIND"):
        CliRunner().invoke(app, ["risk", str(run)], catch_exceptions=False)
