"""`boresight convert`: other tools' traces as our JSONL."""

import json

import pytest

from boresight.trace import read_traces

SAMPLE = {"user_input": "Where?", "retrieved_contexts": ["text a", "text b"], "response": "in Rome"}


@pytest.fixture
def export(tmp_path):
    path = tmp_path / "export.jsonl"
    path.write_text("".join(json.dumps({**SAMPLE, "id": n}) + "\n" for n in range(3)))
    return path


def test_a_file_is_converted_and_what_it_lacks_is_told_on_standard_error(export, tmp_path, boresight):
    out = tmp_path / "traces.jsonl"
    code, said, err = boresight("convert", export, "--out", out)
    assert (code, said) == (0, f"{out}: 3 traces, read as ragas\n")
    assert "3 traces '0', '1', '2': not recorded: passage ids; they are made from the texts" in err
    assert read_traces(out).traces == read_traces(export).traces
    assert read_traces(out).warnings == ()


def test_json_counts_the_gaps(export, tmp_path, boresight):
    out = tmp_path / "traces.jsonl"
    _, said, _ = boresight("convert", export, "--out", out, "--limit", 2, "--json")
    result = json.loads(said)
    assert (result["format"], result["traces"]) == ("ragas", 2)
    assert result["not_recorded"] == {"passage ids": 2, "scores": 2}
    assert len(result["warnings"]) == 2


def test_converting_twice_gives_the_same_bytes(export, tmp_path, boresight):
    for name in ("one", "two"):
        boresight("convert", export, "--out", tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_format_can_be_named(export, tmp_path, boresight):
    code, _, err = boresight("convert", export, "--out", tmp_path / "o", "--format", "boresight")
    assert (code, err) == (2, f"boresight: {export}, line 1: query is missing; every trace needs one\n")
    code, _, err = boresight("convert", export, "--out", tmp_path / "o", "--format", "excel")
    assert code == 2
    assert err.startswith(
        "boresight: there is no format 'excel'; the formats are boresight, beir, openinference"
    )
    assert not (tmp_path / "o").exists()


def test_the_input_is_not_overwritten(export, boresight):
    before = export.read_bytes()
    code, _, err = boresight("convert", export, "--out", export)
    assert (code, err) == (2, f"boresight: {export} is the input itself; name another file with --out\n")
    assert export.read_bytes() == before


def test_a_missing_input_is_one_sentence(tmp_path, boresight):
    code, _, err = boresight("convert", tmp_path / "no", "--out", tmp_path / "o")
    assert (code, err) == (2, f"boresight: {tmp_path / 'no'} does not exist; check the path\n")
    (tmp_path / "o").write_text("kept")
    code, _, _ = boresight("convert", tmp_path / "no", "--out", tmp_path / "o")
    assert (code, (tmp_path / "o").read_text()) == (2, "kept")


@pytest.mark.parametrize(("out", "named"), [("folder", "folder"), ("missing/o", "missing")])
def test_an_output_that_cannot_be_written_is_named_and_leaves_nothing(
    export, tmp_path, boresight, out, named
):
    (tmp_path / "folder").mkdir()
    code, _, err = boresight("convert", export, "--out", tmp_path / out)
    assert code == 2
    assert err.splitlines()[-1].startswith(f"boresight: {tmp_path / named}: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["export.jsonl", "folder"]


def test_audit_reads_another_format_directly(export, tmp_path, boresight):
    rows = {"": [-3.0]}
    (trace, *_) = read_traces(export)
    first, second = sorted(trace.context)
    rows |= {first: [-2.0], second: [-3.0], f"{first},{second}": [-2.0]}
    (tmp_path / "fake.json").write_text(json.dumps({"*": {"closed_book": [-1.0], "values": rows}}))
    run = tmp_path / "run"
    code, _, err = boresight(
        "audit", export, "-g", f"fake:{tmp_path / 'fake.json'}", "-o", run, "--placebo", 0
    )
    assert (code, "not recorded: scores" in err) == (0, True)
    assert any(
        "not recorded: scores" in one for one in json.loads((run / "run.json").read_text())["warnings"]
    )
