"""Value rows survive kills, and their files depend on the rows alone."""

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from boresight.store import values
from boresight.store.values import ValueRow, ValueStore


def row(trace, coalition="10", batch=0, numbers=(-1.5, -0.25)):
    order = tuple(place for place, mark in enumerate(coalition) if mark == "1")
    return ValueRow(trace, "passages", "answer", coalition, order, np.array(numbers, np.float32), batch)


def same(one, other):
    return one.as_record() | {"logprobs": one.logprobs.tolist()} == other.as_record() | {
        "logprobs": other.logprobs.tolist()
    }


@pytest.fixture
def store(tmp_path):
    return ValueStore(tmp_path / "values")


def test_bounds_come_back_and_an_unknown_one_is_null_in_the_file(store):
    bounds = np.array([-np.inf, -0.5], np.float32), np.array([-1.5, -0.25], np.float32)
    store.write_batch(0, 0, [replace(row("0"), lower=bounds[0], upper=bounds[1]), row("0", "01")])
    first, second = store.read(0)
    assert (first.lower.tolist(), first.upper.tolist()) == ([-np.inf, -0.5], [-1.5, -0.25])
    assert (second.lower, second.upper) == (None, None)
    stored = pq.read_table(next(store._folder.glob("*.parquet")), partitioning=None).to_pylist()
    assert [one["lower"] for one in stored] == [[None, -0.5], None]


def fill(store, trace):
    store.write_batch(trace, 0, [row(str(trace))])
    store.write_batch(trace, 1, [row(str(trace), "01", 1)])
    store.finish(trace, 2)


def names(store):
    return sorted(path.name for path in store._folder.iterdir())


def test_a_finished_trace_is_one_file_with_its_rows_in_plan_order(store):
    fill(store, 3)
    assert names(store) == ["part-00000003.parquet"]
    assert [r.coalition for r in store.read(3)] == ["10", "01"]
    assert same(store.read(3)[0], row("3"))


def test_an_unfinished_trace_knows_its_batches(store):
    store.write_batch(0, 1, [row("0", "01", 1)])
    assert (store.has_batch(0, 0), store.has_batch(0, 1), store.is_finished(0)) == (False, True, False)
    assert len(store.read(0)) == 1


def test_a_kill_between_joining_and_removing_leaves_no_row_twice(store):
    store.write_batch(0, 0, [row("0")])
    left_behind = (store._folder / "batch-00000000-00000.parquet").read_bytes()
    store.finish(0, 1)
    (store._folder / "batch-00000000-00000.parquet").write_bytes(left_behind)
    store.recover()
    assert names(store) == ["part-00000000.parquet"]


def test_a_thousand_parts_become_one_file_with_a_row_group_each(store, monkeypatch):
    monkeypatch.setattr(values, "BLOCK", 3)
    for trace in (0, 2, 1, 3):
        fill(store, trace)
    assert names(store) == ["part-00000000-00000002.parquet", "part-00000003.parquet"]
    assert [store.read(trace)[1].trace for trace in range(4)] == ["0", "1", "2", "3"]


def test_a_trace_without_batches_counts_as_finished_in_its_block(store, monkeypatch):
    monkeypatch.setattr(values, "BLOCK", 2)
    store.finish(0, 0)
    fill(store, 1)
    assert names(store) == ["part-00000000-00000001.parquet"]
    assert (store.read(0), len(store.read(1))) == ([], 2)


def test_a_kill_while_compacting_leaves_no_row_twice(store, monkeypatch):
    monkeypatch.setattr(values, "BLOCK", 2)
    fill(store, 0)
    part = (store._folder / "part-00000000.parquet").read_bytes()
    fill(store, 1)
    (store._folder / "part-00000000.parquet").write_bytes(part)
    store.recover()
    assert names(store) == ["part-00000000-00000001.parquet"]


def test_the_same_rows_give_the_same_bytes(tmp_path):
    stores = [ValueStore(tmp_path / name) for name in ("a", "b")]
    for one in stores:
        fill(one, 0)
    files = [(one._folder / "part-00000000.parquet").read_bytes() for one in stores]
    assert files[0] == files[1]


def test_columns_are_those_of_the_blueprint(store):
    fill(store, 0)
    assert pq.read_schema(store._folder / "part-00000000.parquet").names == [
        "trace", "game", "target", "coalition", "order", "repeat", "value_kind", "logprobs", "lower",
        "upper", "batch",
    ]  # fmt: skip


def test_a_kill_before_compacting_is_made_up_for_on_recovery(store, monkeypatch):
    monkeypatch.setattr(values, "BLOCK", 2)
    fill(store, 0)
    with monkeypatch.context() as patch:
        patch.setattr(ValueStore, "_compact", lambda *_: None)
        fill(store, 1)
    assert names(store) == ["part-00000000.parquet", "part-00000001.parquet"]
    store.recover()
    assert names(store) == ["part-00000000-00000001.parquet"]
