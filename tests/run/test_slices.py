"""Run-level numbers by slice, and shares by place."""

import pytest

from boresight.api import audit
from boresight.errors import SpecError
from boresight.models.fake import FakeGenerator
from boresight.run.slices import ABSENT, slice_of
from boresight.trace import trace_from_dict
from helpers import make_trace


def traces(topics):
    return [make_trace(f"t{n}", answer="in Rome", meta={"topic": topic}) for n, topic in enumerate(topics)]


def run(made, tables, **options):
    return audit(made, generator=FakeGenerator(tables), **options)


def test_each_slice_has_its_own_means_and_counts(tables):
    found = run(traces(["art"] * 5 + ["law"] * 6), tables, by=["meta.topic"]).summary["slices"]["meta.topic"]
    assert {key: one["traces"] for key, one in found.items()} == {"art": 5, "law": 6}
    assert found["law"]["measures"]["spearman"]["defined"] == 6
    assert found["law"]["measures"]["spearman"]["value"] is not None


def test_a_small_slice_is_undefined_with_its_reason_and_not_hidden(tables):
    found = run(traces(["art"] * 4 + ["law"] * 5), tables, by=["meta.topic"]).summary["slices"]["meta.topic"]
    small = found["art"]["measures"]["spearman"]
    assert (small["value"], small["low"], small["defined"]) == (None, None, 4)
    assert "only 4" in small["reason"]


@pytest.mark.parametrize(
    ("meta", "slice_"),
    [
        ({"a": {"b": "x"}}, "x"),
        ({"a": {"b": 3}}, "3"),
        ({"a": {"b": ["p", "q"]}}, '["p", "q"]'),
        ({}, ABSENT),
    ],
)
def test_a_slice_is_named_after_the_value(meta, slice_):
    assert slice_of(trace_from_dict(make_trace(meta=meta)), "meta.a.b") == slice_


@pytest.mark.parametrize("field", ["topic", "meta.nosuch"])
def test_a_field_that_is_not_there_is_refused(tables, field):
    with pytest.raises(SpecError, match="meta"):
        run(traces(["art"]), tables, by=[field])


def test_slicing_can_change_on_resume_without_scoring(tables, tmp_path):
    first = run(traces(["art"]), tables, out=tmp_path / "run")
    second = run(traces(["art"]), tables, out=tmp_path / "run", by=["meta.topic"])
    assert second.run["counts"] == first.run["counts"]
    assert list(second.summary["slices"]) == ["meta.topic"]


def test_shares_by_rank_and_position_are_means_over_traces(tables):
    summary = run(traces(["art"] * 2), tables).summary
    by_rank = {row["rank"]: row["value"] for row in summary["share_by_rank"]}
    assert by_rank == pytest.approx({0: 0.8, 1: 0.0, 2: 0.2})
    assert [row["position"] for row in summary["share_by_position"]] == [0, 1, 2]
