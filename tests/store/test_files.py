"""Files are whole or absent, private, and free of NaN."""

import os
import stat

import pytest

from boresight.store.files import (
    append_jsonl,
    mend_jsonl,
    read_json,
    read_jsonl,
    remove_temporaries,
    write_bytes,
    write_json,
)


def test_a_json_file_reads_back(tmp_path):
    write_json(tmp_path / "a.json", {"é": [1, None, "\u2028"]})
    assert read_json(tmp_path / "a.json") == {"é": [1, None, "\u2028"]}


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_no_number_that_is_not_finite_reaches_a_file(tmp_path, number):
    with pytest.raises(ValueError, match="Out of range"):
        write_json(tmp_path / "a.json", {"x": number})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_files_are_private(tmp_path):
    write_json(tmp_path / "a.json", {})
    append_jsonl(tmp_path / "b.jsonl", [{}])
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {0o600}


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    write_bytes(tmp_path / "a", b"old")
    monkeypatch.setattr("os.fsync", _fail)
    with pytest.raises(OSError, match="disk"):
        write_bytes(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"old"


def _fail(_):
    raise OSError("disk")


def test_temporary_files_of_a_killed_writer_are_removed(tmp_path):
    (tmp_path / ".writing-abc").write_text("half")
    (tmp_path / "kept").write_text("whole")
    remove_temporaries(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_appended_lines_read_back_in_order(tmp_path):
    append_jsonl(tmp_path / "a.jsonl", [{"n": 1}])
    append_jsonl(tmp_path / "a.jsonl", [{"n": 2}, {"n": 3}])
    assert [line["n"] for line in read_jsonl(tmp_path / "a.jsonl")] == [1, 2, 3]


@pytest.mark.parametrize("cut", ['{"n": 2', '{"n": 2}', ""])
def test_a_line_that_was_cut_short_is_dropped(tmp_path, cut):
    path = tmp_path / "a.jsonl"
    path.write_text('{"n": 1}\n' + cut)
    mend_jsonl(path)
    assert path.read_text() == '{"n": 1}\n'


def test_a_missing_jsonl_file_has_no_lines(tmp_path):
    mend_jsonl(tmp_path / "none.jsonl")
    assert list(read_jsonl(tmp_path / "none.jsonl")) == []
