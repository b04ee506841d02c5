"""The command line: exit codes, one-sentence errors, JSON lines, help with examples."""

import json
import subprocess
import sys
from itertools import combinations

import pytest

from toy_encoders import dense_folder

ROWS = {
    ",".join(chosen): [-3.0 + len(chosen), -3.0] for size in range(4) for chosen in combinations("abc", size)
}
TABLE = {"*": {"answer": "in Rome", "closed_book": [-1.0, -1.0], "values": ROWS}}


def line(trace_id="t", names="abc", **fields):
    passages = [{"id": name, "text": f"text {name}", "score": -rank} for rank, name in enumerate(names)]
    return json.dumps({"id": trace_id, "query": "Where?", "passages": passages, **fields}) + "\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "table.json").write_text(json.dumps(TABLE))
    (tmp_path / "traces.jsonl").write_text(line(answer="in Rome") + line("u"))
    return tmp_path


def audit(files, *more, out="run"):
    table = f"fake:{files / 'table.json'}"
    return ["audit", files / "traces.jsonl", "-g", table, "-o", files / out, *more]


def test_an_audit_prints_tables_within_80_columns_and_exits_0(files, boresight):
    code, out, _ = boresight(*audit(files))
    assert code == 0
    assert "attribution" in out
    assert f"run directory: {files / 'run'}" in out.replace("\n", "")
    tables = [row for row in out.splitlines() if not row.startswith("run directory")]
    assert max(map(len, tables)) <= 80


def test_the_cost_is_said_first(files, boresight):
    _, _, err = boresight(*audit(files))
    assert "2 traces: 2 exact, 0 sampled" in err


def test_json_ends_with_one_line(files, boresight):
    code, out, _ = boresight(*audit(files, "--json"))
    (last,) = out.splitlines()
    result = json.loads(last, parse_constant=pytest.fail)
    assert code == 0
    assert result["traces"]["exact"] == 2
    assert result["counts"]["coalitions_scored"] == 16


def test_a_failed_trace_exits_3_and_is_named(files, boresight):
    broken = {"u": {"values": {"": [-1.0, -1.0]}}, **TABLE}
    (files / "table.json").write_text(json.dumps(broken))
    code, _, err = boresight(*audit(files))
    assert code == 3
    assert "failed: u:" in err


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{", "line 1"),
        (line() + line(), "line 2"),
        ("", "no traces"),
        (line().replace('"Where?"', "7"), "query"),
    ],
)
def test_bad_input_exits_2_with_place_and_reason(files, boresight, text, sentence):
    (files / "traces.jsonl").write_text(text)
    code, out, err = boresight(*audit(files))
    assert code == 2
    assert sentence in err
    assert "Traceback" not in out + err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--preset", "nosuch"],
        ["--measures", "wargh"],
        ["--stage", "nosuch"],
        ["--limit", "0"],
        ["--budget", "-1"],
        ["--no-such-option"],
    ],
)
def test_bad_usage_exits_2(files, boresight, arguments):
    code, _, err = boresight(*audit(files, *arguments))
    assert code == 2
    assert err.strip()


def test_an_unknown_generator_kind_lists_the_kinds(files, boresight):
    code, _, err = boresight("audit", files / "traces.jsonl", "-g", "gpt:4", "-o", files / "run")
    assert code == 2
    assert "fake:" in err


def test_another_spec_in_the_same_directory_exits_2_and_overwrite_passes(files, boresight):
    assert boresight(*audit(files))[0] == 0
    code, _, err = boresight(*audit(files, "--seed", "1"))
    assert code == 2
    assert "seed was 0 and is now 1" in err
    assert boresight(*audit(files, "--seed", "1", "--overwrite"))[0] == 0


def test_a_prompt_beyond_the_window_exits_2_with_both_numbers_and_can_be_skipped(files, boresight):
    tight = {"t": {"window": 9}, **TABLE}
    (files / "table.json").write_text(json.dumps(tight))
    code, _, err = boresight(*audit(files))
    assert code == 2
    assert "'t'" in err
    assert " 9" in err
    assert boresight(*audit(files, "--too-long", "skip", out="skipped"))[0] == 3


def test_a_plan_spends_nothing_and_leaves_nothing(files, boresight):
    before = sorted(files.iterdir())
    code, out, _ = boresight("plan", files / "traces.jsonl", "-g", f"fake:{files / 'table.json'}", "--json")
    plan = json.loads(out)
    assert code == 0
    assert (plan["traces"], plan["coalitions"], plan["at_most"]) == (2, 16, True)
    assert sorted(files.iterdir()) == before


def test_a_plan_says_what_explanations_cost(files, boresight):
    retriever = dense_folder(files / "encoder")
    table = f"fake:{files / 'table.json'}"
    asked = ["plan", files / "traces.jsonl", "-g", table, "-r", retriever, "--explain", "retriever,removals"]
    code, out, _ = boresight(*asked)
    assert code == 0
    assert "the retriever's scores of 6 passages to explain" in out
    assert "what moves passages across the cut: at most 12 rankings" in out
    assert max(map(len, out.splitlines())) <= 80
    assert json.loads(boresight(*asked, "--json")[1])["explained"] == 6


def test_explanations_that_a_run_lacks_are_refused_in_one_sentence(files, boresight):
    boresight(*audit(files))
    code, _, err = boresight("audit", "--from", files / "run", "--explain", "retriever", "-o", files / "new")
    assert code == 2
    assert "the run holds no explanations" in " ".join(err.split())


def test_a_plan_for_people_fits_80_columns(files, boresight):
    _, out, _ = boresight("plan", files / "traces.jsonl", "-g", f"fake:{files / 'table.json'}")
    assert "exact" in out
    assert max(map(len, out.splitlines())) <= 80


def test_traces_can_come_from_standard_input(files, boresight, monkeypatch):
    import io

    text = io.TextIOWrapper(io.BytesIO(line(answer="in Rome").encode()), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", text)
    assert boresight("audit", "-", "-g", f"fake:{files / 'table.json'}", "-o", files / "run")[0] == 0


def test_every_listed_measure_can_be_chosen(boresight):
    from boresight.measure.registry import parse

    _, out, _ = boresight("measures", "--json")
    names = [entry["name"] for entry in json.loads(out)["measures"]]
    assert [str(parse(name)) for name in names] == names
    assert {"warg@1.5", "warg_prob@1.5", "wasted_retrieval@2", "noise_share@1"} <= set(names)


def test_measures_for_people_name_formula_and_source(boresight):
    _, out, _ = boresight("measures")
    assert "arXiv 2601.21803" in out


def test_models_are_listed_with_licences(boresight):
    _, out, _ = boresight("models", "list")
    assert "smollm2-135m-instruct" in out
    assert "Apache-2.0" in out


def test_an_unknown_model_is_one_sentence(boresight):
    code, _, err = boresight("models", "fetch", "nosuch")
    assert code == 2
    assert "nosuch" in err


@pytest.mark.parametrize(
    "command",
    ["audit", "plan", "report", "measures", "doctor", "models list", "models fetch", "models remove"],
)
def test_help_has_an_example(boresight, command):
    code, out, _ = boresight(*command.split(), "--help")
    assert code == 0
    assert f"boresight {command}" in out.split("Example")[1]


def test_no_command_is_listed_that_does_not_exist(boresight):
    _, out, _ = boresight("--help")
    for later in ("serve", "remedy"):
        assert f"  {later} " not in out


def test_an_interrupt_exits_130_and_says_how_to_go_on(files, boresight, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("boresight.run.audit.run_job", interrupt)
    code, _, err = boresight(*audit(files))
    assert code == 130
    assert "same command" in err


def test_import_is_light():
    script = (
        "import sys, boresight, boresight.cli; print(*(m for m in ('torch', 'pandas') if m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("place", ["a_file", "a_file/inside", "x" * 300])
def test_a_place_that_cannot_be_written_is_one_sentence(files, boresight, place):
    (files / "a_file").write_text("")
    code, out, err = boresight(*audit(files, out=place))
    assert code == 2
    assert "Traceback" not in out + err


def test_a_refused_folder_is_left_as_it_was(files, boresight):
    (files / "mine").mkdir()
    (files / "mine/thesis.txt").write_text("years")
    assert boresight(*audit(files, "--overwrite", out="mine"))[0] == 2
    assert [path.name for path in (files / "mine").iterdir()] == ["thesis.txt"]


def test_an_audit_command_turns_into_a_plan(files, boresight):
    table = f"fake:{files / 'table.json'}"
    more = ["--stage", "retrieve", "--scale", "nats", "--span", "Rome"]
    assert boresight("plan", files / "traces.jsonl", "-g", table, *more)[0] == 0


def test_every_listed_measure_runs_alone(files, boresight):
    from boresight.measure.registry import catalogue

    names = dict.fromkeys(entry["family"] for entry in catalogue())
    for family in names:
        name = next(entry["name"] for entry in catalogue() if entry["family"] == family)
        code, _, err = boresight(*audit(files, "--measures", name, out=f"run-{family}"))
        assert code == 0, err


def test_traces_can_be_sliced(files, boresight):
    (files / "traces.jsonl").write_text(line(answer="in Rome", meta={"topic": "x"}))
    assert boresight(*audit(files, "--by", "meta.topic"))[0] == 0
    assert json.loads((files / "run/summary.json").read_text())["slices"]["meta.topic"]["x"]["traces"] == 1


def test_stored_values_are_read_again_by_another_method_without_a_call(files, boresight):
    boresight(*audit(files, "--exact"))
    code, out, _ = boresight(
        "audit", "--from", files / "run", "--method", "leverage", "-o", files / "new", "--json"
    )
    assert code == 0
    assert json.loads(out.splitlines()[-1])["counts"] == {"calls": 0, "coalitions_scored": 0}


def test_stored_values_and_traces_exclude_each_other(files, boresight):
    boresight(*audit(files))
    code, _, err = boresight(*audit(files, "--from", files / "run", out="new"))
    assert code == 2
    assert "--from brings the traces of its run" in err


def test_an_audit_without_traces_says_what_to_give(files, boresight):
    code, _, err = boresight("audit", "-g", f"fake:{files / 'table.json'}", "-o", files / "run")
    assert code == 2
    assert "give the traces, or --from RUN" in err
