"""Tables appear whole; a run directory has one writer."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from boresight.errors import SpecError
from boresight.store import tables
from boresight.store.lock import locked
from boresight.store.tables import TableWriter, write_rows

SCHEMA = pa.schema([("id", pa.string()), ("x", pa.float64())])


def test_a_missing_cell_is_null_and_not_nan(tmp_path):
    write_rows(tmp_path / "t.parquet", SCHEMA, [{"id": "a", "x": 1.0}, {"id": "b"}])
    assert pq.read_table(tmp_path / "t.parquet").to_pydict() == {"id": ["a", "b"], "x": [1.0, None]}


def test_an_unknown_column_is_an_error(tmp_path):
    with pytest.raises(KeyError, match="y"):
        write_rows(tmp_path / "t.parquet", SCHEMA, [{"id": "a", "y": 1}])
    assert list(tmp_path.iterdir()) == []


def test_a_table_without_rows_still_has_its_columns(tmp_path):
    write_rows(tmp_path / "t.parquet", SCHEMA, [])
    assert pq.read_table(tmp_path / "t.parquet").schema.names == ["id", "x"]


def test_rows_beyond_a_group_are_all_there(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "ROWS_PER_GROUP", 3)
    with TableWriter(tmp_path / "t.parquet", SCHEMA) as writer:
        for start in range(0, 8, 2):
            writer.add({"id": str(n), "x": n} for n in range(start, start + 2))
    assert pq.read_table(tmp_path / "t.parquet")["x"].to_pylist() == list(range(8))


def test_a_second_writer_is_refused(tmp_path):
    with locked(tmp_path), pytest.raises(SpecError, match="another process"), locked(tmp_path):
        pass


def test_the_lock_is_free_again_afterwards(tmp_path):
    with locked(tmp_path):
        pass
    with locked(tmp_path):
        assert (tmp_path / "run.lock").exists()
