"""The page: one file, the same bytes for the same run, and no element that comes from a trace."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from boresight.errors import SpecError
from boresight.report.html import write_report
from boresight.report.html.data import report_data
from boresight.report.html.page import embedded, render
from html_runs import (
    audit,
    big_run,
    empty_run,
    hostile_run,
    random_table,
    sampled_run,
    small_run,
    trace_of,
    words,
)


class Elements(HTMLParser):
    """Start tags with their attributes, comments, and the text of the data block."""

    def __init__(self):
        super().__init__()
        self.tags, self.comments, self.data, self._inside = [], [], "", False

    def handle_starttag(self, tag, attributes):
        self.tags.append(
            (tag, tuple(sorted((name, value) for name, value in attributes if name != "content")))
        )
        self._inside = ("id", "data") in attributes

    def handle_endtag(self, tag):
        self._inside = False

    def handle_comment(self, data):
        self.comments.append(data)

    def handle_data(self, data):
        if self._inside:
            self.data += data


def parsed(page):
    reader = Elements()
    reader.feed(page)
    reader.close()
    return reader


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_run(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory, root):
    return hostile_run(tmp_path_factory.mktemp("hostile"), root)


def test_hostile_texts_add_no_element_and_no_comment(small, hostile, tmp_path):
    harmless = parsed(write_report(small, tmp_path / "a.html").read_text())
    nasty = parsed(write_report(hostile, tmp_path / "b.html").read_text())
    assert nasty.tags == harmless.tags
    assert nasty.comments == harmless.comments


def test_hostile_texts_arrive_whole(hostile, tmp_path):
    data = json.loads(parsed(write_report(hostile, tmp_path / "b.html").read_text()).data)
    traces = {trace["id"]: trace for trace in data["traces"]}
    assert traces["html"]["passages"][0]["text"] == 'At nine. "><img src=x onerror=alert(1)>'
    assert traces["html"]["query"] == "When <b>does</b> it open? <!--"
    assert traces["control-characters"]["passages"][0]["text"] == "The\x00 key\x10 is\x01 blue\x0b.\x0c\x7f"
    assert [one["field"] for one in data["slices"]] == ["meta.topic"]


@given(st.recursive(st.text() | st.floats(allow_nan=False, allow_infinity=False), st.lists, max_leaves=5))
def test_embedded_data_holds_no_markup_and_parses_back(value):
    text = embedded(value)
    assert "<" not in text
    assert json.loads(text) == value


def test_embedded_data_refuses_nan():
    with pytest.raises(ValueError, match="not JSON compliant"):
        embedded([float("nan")])


def test_a_lone_surrogate_becomes_its_escape(small):
    data = report_data(small)
    data["traces"][0]["query"] = "cut \ud83d here"
    page = render(data).decode("utf-8")
    assert json.loads(parsed(page).data)["traces"][0]["query"] == "cut \ud83d here"


def test_the_same_run_gives_the_same_bytes(small, tmp_path):
    first, second = (write_report(small, tmp_path / name).read_bytes() for name in ("a.html", "b.html"))
    assert first == second


def test_the_file_is_private_and_lies_in_the_run_by_default(small):
    path = write_report(small)
    assert path == small / "report.html"
    assert path.stat().st_mode & 0o777 == 0o600
    path.unlink()


def test_a_missing_folder_is_one_sentence(small, tmp_path):
    with pytest.raises(SpecError, match="is no folder; create it, or choose another --out"):
        write_report(small, tmp_path / "nowhere" / "a.html")


def test_nothing_is_fetched(small, tmp_path):
    page = write_report(small, tmp_path / "a.html").read_text()
    assert "default-src 'none'" in page
    addresses = set(
        re.findall(r"(?:https?:)?//[a-z][\w.-]+", page.split('id="data"')[0] + page.split("</script>")[1])
    )
    assert addresses <= {"http://www.w3.org"}  # the name of SVG, never fetched
    for tag, attributes in parsed(page).tags:
        assert not {name for name, _ in attributes} & {"src", "srcset", "data", "action"}, tag


def test_scripts_never_write_markup(small, tmp_path):
    script = write_report(small, tmp_path / "a.html").read_text().split("<script>")[1]
    for sink in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "new Function",
        "DOMParser",
    ):
        assert sink not in script


def test_a_hundred_traces_of_five_passages_fit_in_the_limit(tmp_path):
    assert write_report(big_run(tmp_path, tokens=96)).stat().st_size < 1.5 * 2**20


@pytest.mark.parametrize(("count", "length", "tokens"), [(1, 5, 2), (2, 10_000, 2), (2, 20, 2_000)])
def test_extreme_traces_render(tmp_path, count, length, tokens):
    rng = np.random.default_rng(5)
    names = [f"p{place}" for place in range(count)]
    answer = words(tokens, rng)
    line = trace_of("t", [words(length, rng)[:10_000] for _ in names], answer=answer)
    run = audit(tmp_path, [line], {"*": random_table(names, tokens, rng, answer)}, exact=True)
    trace = json.loads(parsed(write_report(run).read_text()).data)["traces"][0]
    assert len(trace["pieces"]) == len(trace["tokens"][0]) == tokens


def test_a_trace_of_64_passages_renders(tmp_path):
    trace = json.loads(parsed(write_report(sampled_run(tmp_path)).read_text()).data)["traces"][0]
    assert len(trace["passages"]) == 64


def test_a_run_without_traces_renders(tmp_path):
    page = write_report(empty_run(tmp_path)).read_text()
    assert json.loads(parsed(page).data)["traces"] == []
