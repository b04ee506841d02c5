"""A run in a notebook cell."""

from boresight.api import audit
from boresight.models.fake import FakeGenerator
from helpers import additive_table, make_trace


def view(**fields):
    table = {"*": additive_table({"a": 1.0, "b": -0.5, "c": 0.25})}
    return audit([make_trace(answer="in Rome", **fields)], generator=FakeGenerator(table))._repr_html_()


def test_the_overview_and_a_trace_are_shown():
    html = view()
    assert "Spearman" in html
    assert "attribution" in html
    assert "in Rome" in html


def test_text_of_traces_is_escaped():
    assert "<script>" not in view(trace_id="<script>x</script>", query="<script>y</script>")


def test_a_run_without_passages_has_a_view():
    assert "undefined" in view(names=())
