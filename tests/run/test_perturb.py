"""A perturbation setup on a generator that uses what the retriever ranks high, wherever it stands."""

import json
from io import StringIO

import pytest
from rich.console import Console

from boresight.errors import InputError, SpecError
from boresight.models.fake import FakeGenerator
from boresight.report.perturb_text import perturb_view
from boresight.run.perturb import MEASURES, perturb
from boresight.run.result import RunResult
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
    assert "line 1: _id must be" in " ".join(err.split())


def test_random_passages_come_from_the_corpus(tmp_path, boresight):
    """Setup B, k = 2: a and b of the trace, x and y of the corpus; x and y weigh least."""
    table = {"*": additive_table({"a": 2.0, "b": 1.5, "x": 0.5, "y": 0.0}, base=-9.0)}
    (tmp_path / "fake.json").write_text(json.dumps(table))
    write_jsonl(tmp_path / "traces.jsonl", TRACES)
    write_jsonl(tmp_path / "corpus.jsonl", [{"_id": name, "text": f"about {name}"} for name in "xy"])
    arguments = [tmp_path / "traces.jsonl", "-g", f"fake:{tmp_path / 'fake.json'}", "-o", tmp_path / "out"]
    corpus = ["--corpus", tmp_path / "corpus.jsonl"]
    code, out, err = boresight("perturb", *arguments, "--setup", "B", "--k", 2, *corpus, "--json")
    assert code == 0, err
    assert set(RunResult(tmp_path / "out" / "condition-1").traces["t"].context) == set("abxy")
    # Whichever of x and y stands first: Spearman 1 or 0.8 under condition 1, -0.6 or -0.8 under 2.
    assert json.loads(out)["measures"]["spearman"]["difference"]["value"] > 1


def test_what_no_measure_reads_is_not_scored(tmp_path):
    perturb(TRACES, tmp_path / "out", generator=GENERATOR, setup="A", k=2)
    spec = json.loads((tmp_path / "out" / "condition-1" / "run.json").read_text())["spec"]
    assert (spec["placebo"], spec["closed_book_answers"]) == (0, False)


@pytest.mark.parametrize(
    ("other", "words"), [({"setup": "C"}, "setup was 'A' and is now 'C'"), ({"k": 1}, "k was 2")]
)
def test_another_setup_in_the_same_folder_is_refused_before_anything_runs(tmp_path, other, words):
    whole = run(tmp_path / "out")
    fields = {"generator": GENERATOR, "setup": "A", "k": 2, "settings": {"placebo": 0}} | other
    with pytest.raises(SpecError, match=words):
        perturb(TRACES, tmp_path / "out", **fields)
    assert json.loads((tmp_path / "out" / "perturb.json").read_text()) == whole
    assert perturb(TRACES, tmp_path / "out", **fields, overwrite=True)["k"] == fields["k"]


def test_a_failed_trace_is_named_and_gives_exit_code_3(tmp_path, boresight):
    whole = additive_table(WEIGHTS, base=-9.0)
    table = {
        "t": whole,
        "u": {**whole, "values": {key: row for key, row in whole["values"].items() if key != "a,b"}},
    }
    (tmp_path / "fake.json").write_text(json.dumps(table))
    write_jsonl(tmp_path / "traces.jsonl", TRACES)
    arguments = [tmp_path / "traces.jsonl", "-g", f"fake:{tmp_path / 'fake.json'}", "-o", tmp_path / "out"]
    code, out, err = boresight("perturb", *arguments, "--setup", "A", "--k", 2, "--json")
    found = json.loads(out.splitlines()[-1])
    assert code == 3
    assert [list(found["failed"][number]) for number in "123"] == [["u"]] * 3
    assert found["measures"]["spearman"]["pairs"] == 1
    assert "failed under condition 1: u:" in err


def test_no_name_of_a_measure_is_cut(tmp_path):
    lines = console_lines(perturb_view(run(tmp_path / "out")))
    assert {name for name in MEASURES if any(line.split()[:1] == [name] for line in lines)} == set(MEASURES)
    assert max(map(len, lines)) <= 80


def console_lines(shown):
    screen = Console(width=80, file=StringIO(), markup=False)
    screen.print(*shown, sep="\n")
    return screen.file.getvalue().splitlines()
