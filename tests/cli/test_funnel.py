"""The command ``funnel``, and naming good passages with ``audit``."""

import json

import pytest

from boresight.store.files import read_json, write_json
from helpers import additive_table, make_trace, write_jsonl
from html_runs import funnel_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return funnel_run(tmp_path_factory.mktemp("funnel"))


def test_help_has_an_example(boresight):
    code, out, _ = boresight("funnel", "--help")
    assert code == 0
    assert "boresight funnel" in out.split("Example")[1]


def test_the_funnel_shows_losses_ways_and_alignment_in_80_columns(run, boresight):
    code, out, _ = boresight("funnel", run, "--show", 3)
    assert code == 0
    assert max(map(len, out.splitlines())) <= 80
    assert "Funnel: 17 good passages of 16 traces" in out
    assert "14 more good passages: --show N, or --trace ID" in out
    assert out.index("warg@1.5") < out.index("spearman")
    assert out.count("rerank ") > 2


def test_one_trace_is_told_with_what_its_loss_was_read_off(run, boresight):
    code, out, _ = boresight("funnel", run, "--trace", "07-0")
    assert code == 0
    assert "rerank: scored well" in " ".join(out.split())
    assert "- gold: rank 7" in out


def test_json_is_one_line_with_integers_and_nulls(run, boresight):
    code, out, _ = boresight("funnel", run, "--json", "--trace", "07-0")
    (line,) = out.splitlines()
    found = json.loads(line, parse_constant=pytest.fail)
    (passage,) = found["traces"]["07-0"]
    assert code == 0
    assert (passage["lost_kind"], passage["attribution"]) == ("cut", None)
    assert passage["rank_low"] == 7
    assert isinstance(passage["rank_low"], int)
    assert found["summary"]["good"] == 17
    assert found["stages"]


def test_an_unknown_trace_and_a_run_of_before_are_bad_input(run, boresight, tmp_path):
    code, _, err = boresight("funnel", run, "--trace", "zz")
    assert (code, "no trace 'zz'" in err) == (2, True)
    summary = read_json(run / "summary.json")
    old = funnel_run(tmp_path)
    write_json(old / "summary.json", {key: value for key, value in summary.items() if key != "funnel"})
    code, _, err = boresight("funnel", old)
    assert (code, "has no funnel" in err) == (2, True)


def test_an_audit_takes_named_passages_and_a_grade_and_says_where_they_went(boresight, tmp_path):
    table = tmp_path / "table.json"
    table.write_text(json.dumps({"*": additive_table({"a": 1.0, "b": -0.5, "c": 0.25})}))
    lines = [make_trace("t", answer="in Rome"), make_trace("u", answer="in Rome", relevance={"c": 1, "b": 2})]
    traces = write_jsonl(tmp_path / "traces.jsonl", lines)
    options = ("--good", "t=gone", "--good", "t=a", "--least-grade", "2")
    code, out, _ = boresight("audit", traces, "-g", f"fake:{table}", "-o", tmp_path / "run", *options)
    assert code == 0
    assert "Funnel: 3 good passages of 2 traces" in out
    code, out, _ = boresight("funnel", tmp_path / "run")
    assert "never retrieved" in out
    code, _, err = boresight(
        "audit", traces, "-g", f"fake:{table}", "-o", tmp_path / "run", "--good", "nowhere"
    )
    assert (code, "write TRACE=PASSAGE" in err) == (2, True)
