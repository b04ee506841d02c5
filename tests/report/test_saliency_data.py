import json

import pytest

from boresight.api import Audit
from boresight.report.html.data import report_data
from boresight.report.html.saliency_data import trace_saliency, words_with_values
from boresight.report.saliency_text import retriever_lines
from html_runs import retriever_run, small_run


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return retriever_run(tmp_path_factory.mktemp("retriever"))


def test_pieces_of_a_word_are_summed_and_blanks_belong_to_none():
    tokens = [[1, "cop", 0, 3, 1.0], [2, "per", 3, 6, 0.5], [3, " x", 6, 8, 2.0], [4, "?", 8, 9, 4.0]]
    assert words_with_values(tokens, "copper x?") == [[0, 6, 1.5], [7, 8, 2], [8, 9, 4]]


def test_places_count_the_units_of_the_page():
    assert words_with_values([[0, "b", 2, 3, 1.0]], "\U0001f3f0 b") == [[3, 4, 1]]


def test_characters_of_scripts_without_blanks_stay_apart():
    tokens = [[0, "\u6771", 0, 1, 1.0], [1, "\u4eac", 1, 2, 2.0]]
    assert words_with_values(tokens, "\u6771\u4eac") == [[0, 1, 1], [1, 2, 2]]


def test_passages_stand_by_their_place_and_titles_are_read(run):
    look = report_data(run)["traces"][0]["look"]
    first = look["passages"][0]
    assert (look["kind"], look["method"]) == ("structural", "structural")
    assert [word[:2] for word in first["words"]] == [[5, 11], [21, 27]]
    assert first["query"][0][2] == pytest.approx(first["score"], rel=1e-5)
    assert look["passages"][2] == {**look["passages"][2], "score": 0, "query": [], "words": []}


def test_a_run_without_explanations_has_none(tmp_path):
    assert report_data(small_run(tmp_path))["traces"][0]["look"] is None
    assert trace_saliency(None, {}) is None


def test_a_redacted_page_holds_no_explanation(run):
    data = report_data(run, redact=True)
    assert data["traces"][0]["look"] is None
    assert "copper" not in json.dumps(data["traces"])


def test_the_terminal_names_the_top_words(run):
    audit = Audit(run)
    (line,) = retriever_lines(audit, audit.traces["t"])
    assert line.plain.startswith("bm25 looks at: ")
    assert "copper +" in line.plain
    assert "harbour? +" in line.plain
